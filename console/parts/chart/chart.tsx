import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef } from 'react';
import { classes } from '../classes.ts';
import styles from './chart.module.css';
import { setCursor, useCursor } from './cursor.ts';
import type { Mark } from './draw.ts';
import { makeScale, pickLabels, type Scale } from './scale.ts';
import { type ChartProps, type ChartSeries, colourOf, textOf } from './series.ts';
import { useThemeChanges } from './theme.ts';
import { ChartTable, Tip } from './tip.tsx';

export type { ChartProps, ChartSeries } from './series.ts';

/** Stacked columns, for sums. */
export function BarChart(props: ChartProps) {
  return <Chart {...props} kind="columns" />;
}

/** Lines, for rates. */
export function LineChart(props: ChartProps) {
  return <Chart {...props} kind="lines" />;
}

// What draws is read beside the page: a chart waits for its figures only. A failure shows when it draws.
import('./draw.ts').catch(() => {});

type Kind = 'columns' | 'lines';

/** The scale has four lines at least one apart. */
const WHOLE_TOP = 4;

function findTop({ series }: ChartProps, kind: Kind, count: number): number {
  const isStacked = ({ colour }: ChartSeries) => kind === 'columns' && colour !== 'before';
  const stacked = series.filter(isStacked);
  const single = series.filter((each) => !isStacked(each));
  const tops = Array.from({ length: count }, (_, index) =>
    Math.max(
      stacked.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
      ...single.map(({ values }) => values[index] ?? 0),
    ),
  );
  return Math.max(0, ...tops);
}

/** Where a point stands, in percent of the width. */
function placeOf(index: number, count: number, kind: Kind): number {
  if (kind === 'columns') return ((index + 0.5) / Math.max(count, 1)) * 100;
  return count < 2 ? 0 : (index / (count - 1)) * 100;
}

function indexAt(event: PointerEvent<HTMLElement>, count: number, kind: Kind): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  const part = (event.clientX - left) / Math.max(width, 1);
  const index = kind === 'columns' ? Math.floor(part * count) : Math.round(part * (count - 1));
  return Math.min(count - 1, Math.max(0, index));
}

function Chart({ kind, ...props }: ChartProps & { readonly kind: Kind }) {
  const { label, labels, height = 220, whole, onPick, series, picked } = props;
  const owner = useId();
  const count = labels.length;
  const cursor = useCursor(count);
  const top = findTop(props, kind, count);
  const scale = useMemo(() => makeScale(whole === true ? Math.max(WHOLE_TOP, top) : top), [top, whole]);
  const put = (index: number) => setCursor({ index, count, owner });
  const clear = () => setCursor(undefined);
  const move = (event: KeyboardEvent) => {
    const from = cursor?.index ?? (event.key === 'ArrowLeft' ? count : -1);
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: count - 1 }[event.key];
    if (event.key === 'Escape') clear();
    if (event.key === 'Enter' && cursor !== undefined) onPick?.(cursor.index);
    if (to === undefined || count === 0) return;
    event.preventDefault();
    put(Math.min(count - 1, Math.max(0, to)));
  };
  const said = (index: number) =>
    [
      props.titles?.[index] ?? labels[index],
      ...series.map((each) => `${each.label} ${textOf(props, each, index)}`),
    ].join(', ');
  return (
    <figure className={styles.chart}>
      <div
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, count - 1)}
        aria-valuenow={cursor?.index ?? 0}
        aria-valuetext={count === 0 ? '' : said(cursor?.index ?? 0)}
        className={classes(styles.plot, onPick && styles.picks)}
        style={{ height }}
        onPointerMove={(event) => count > 0 && put(indexAt(event, count, kind))}
        onPointerLeave={clear}
        onBlur={clear}
        onKeyDown={move}
        onClick={() => cursor !== undefined && onPick?.(cursor.index)}
      >
        <Grid scale={scale} format={props.format} />
        {picked !== undefined && picked >= 0 && <Band index={picked} count={count} />}
        {cursor !== undefined && kind === 'columns' && <Band index={cursor.index} count={count} />}
        <Marks kind={kind} series={series} top={scale.top} />
        {cursor !== undefined && kind === 'lines' && (
          <Points
            index={cursor.index}
            left={placeOf(cursor.index, count, kind)}
            series={series}
            top={scale.top}
          />
        )}
        <XLabels labels={labels} kind={kind} />
        {cursor?.owner === owner && (
          <Tip chart={props} index={cursor.index} left={placeOf(cursor.index, count, kind)} />
        )}
      </div>
      <ChartTable chart={props} />
    </figure>
  );
}

function Grid({ scale, format }: { readonly scale: Scale; readonly format: (value: number) => string }) {
  return scale.ticks.map((tick) => (
    <div
      key={tick}
      className={classes(styles.grid, tick === 0 && styles.base)}
      style={{ bottom: `${(tick / scale.top) * 100}%` }}
    >
      <span>{format(tick)}</span>
    </div>
  ));
}

function Band({ index, count }: { readonly index: number; readonly count: number }) {
  return (
    <div className={styles.band} style={{ left: `${(index / count) * 100}%`, width: `${100 / count}%` }} />
  );
}

interface PointsProps {
  readonly index: number;
  readonly left: number;
  readonly series: readonly ChartSeries[];
  readonly top: number;
}

function Points({ index, left, series, top }: PointsProps) {
  return (
    <>
      <div className={styles.cursor} style={{ left: `${left}%` }} />
      {series.map((each) => {
        const value = each.values[index];
        if (value === null || value === undefined) return null;
        const bottom = `${(value / top) * 100}%`;
        return (
          <i
            key={each.key}
            className={styles.point}
            style={{ left: `${left}%`, bottom, background: `var(${colourOf(each.colour)})` }}
          />
        );
      })}
    </>
  );
}

const LABELS_AT_MOST = 5;

function XLabels({ labels, kind }: { readonly labels: readonly string[]; readonly kind: Kind }) {
  return pickLabels(labels.length, LABELS_AT_MOST).map((index) => {
    const left = placeOf(index, labels.length, kind);
    const shift = left < 4 ? '0' : left > 97 ? '-100%' : '-50%';
    return (
      <span key={index} className={styles.label} style={{ left: `${left}%`, translate: shift }}>
        {labels[index]}
      </span>
    );
  });
}

function Marks({
  kind,
  series,
  top,
}: {
  readonly kind: Kind;
  readonly series: readonly ChartSeries[];
  readonly top: number;
}) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useThemeChanges();
  const marks = useMemo<readonly Mark[]>(
    () =>
      series.map(({ values, colour }) => ({ values, colour: colourOf(colour), dashed: colour === 'before' })),
    [series],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    let remove: (() => void) | undefined;
    let left = false;
    void import('./draw.ts').then(({ draw }) => {
      if (!left && place.current !== null) remove = draw(place.current, { kind, marks, top });
    });
    return () => {
      left = true;
      remove?.();
    };
  }, [kind, marks, top, theme]);
  return <div ref={place} className={styles.marks} aria-hidden="true" />;
}
