import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import type { ServerTimes } from '../../../app/server-time.ts';
import { classes } from '../../../parts/classes.ts';
import { count } from '../../../parts/text/format.ts';
import { Hidden } from '../../../parts/text/text.tsx';
import { clock, day, dayOfYear } from '../../../parts/text/times.ts';
import { type Language, useLanguage, useTexts } from '../../../texts/language.ts';
import type { Bar, Bars } from '../data.ts';
import type { OnSearch } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';
import css from './histogram.module.css';

export interface HistogramProps {
  readonly bars: Bars | undefined;
  readonly nowMs: number;
  readonly onSearch: OnSearch;
  readonly times: ServerTimes;
}

interface Chosen {
  readonly from: number;
  readonly to: number;
}

/** 14:00, on another day with it; days alone for bars of a day. */
function timeText(timeMs: number, { granularity }: Bars, nowMs: number, language: Language): string {
  if (granularity === 'day') return dayOfYear(timeMs, language);
  const time = clock(timeMs).slice(0, 5);
  return day(timeMs) === day(nowMs) ? time : `${dayOfYear(timeMs, language)} ${time}`;
}

const LABELS = 4;
const DAY_MS = 86_400_000;

/** Short, because there is little room: the day where it changes, and alone where there are many. */
function labelTexts(
  bars: Bars,
  places: readonly number[],
  nowMs: number,
  language: Language,
): readonly string[] {
  const times = places.map((place) => bars.bars[place]?.fromMs ?? 0);
  const [first = 0] = times;
  if (nowMs - first > 2 * DAY_MS) return times.map((timeMs) => dayOfYear(timeMs, language));
  return times.map((timeMs, at) => {
    const before = times[at - 1];
    const isSameDay = before !== undefined && day(before) === day(timeMs);
    return isSameDay ? clock(timeMs).slice(0, 5) : timeText(timeMs, bars, nowMs, language);
  });
}

function labelPlaces(length: number): readonly number[] {
  const step = Math.max(1, Math.ceil(length / LABELS));
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step).filter(
    (place) => place === 0 || length - place > step / 2,
  );
}

/** The calls of the list over its time. A click or a drag narrows the period. */
export function Histogram(props: HistogramProps) {
  const { bars, nowMs } = props;
  const language = useLanguage();
  const t = useTexts({ en, zh }).histogram;
  if (bars === undefined) return <div className={css.place} aria-hidden="true" />;
  const { length } = bars.bars;
  const last = bars.bars.at(-1);
  const endsNow = last !== undefined && last.toMs >= nowMs;
  const places = labelPlaces(length);
  const labels = labelTexts(bars, places, nowMs, language);
  return (
    <figure className={css.place} title={bars.isExact ? undefined : t.wider}>
      <Plot {...props} bars={bars} />
      <div className={css.axis} aria-hidden="true">
        {places.map((place, at) => (
          <span key={place} style={{ left: `${(place / Math.max(1, length)) * 100}%` }}>
            {labels[at]}
          </span>
        ))}
        {last !== undefined && (
          <span className={css.end}>{endsNow ? t.now : timeText(last.toMs, bars, nowMs, language)}</span>
        )}
      </div>
    </figure>
  );
}

function indexAt(event: PointerEvent<HTMLElement>, length: number): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  return Math.min(
    length - 1,
    Math.max(0, Math.floor(((event.clientX - left) / Math.max(1, width)) * length)),
  );
}

/** Where the arrow keys lead. */
function stepOf(key: string, at: number, length: number): number | undefined {
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: length - 1 }[key];
  return to === undefined ? undefined : Math.min(length - 1, Math.max(0, to));
}

function useChoice(bars: readonly Bar[], onChoose: (chosen: Chosen) => void) {
  const [cursor, setCursor] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const at = cursor ?? bars.length - 1;
  const chosen =
    cursor === undefined
      ? undefined
      : { from: Math.min(cursor, anchor ?? cursor), to: Math.max(cursor, anchor ?? cursor) };
  const end = () => {
    setAnchor(undefined);
    setCursor(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      onChoose(chosen);
      end();
    }
    const to = stepOf(
      event.key,
      cursor === undefined && event.key === 'ArrowLeft' ? bars.length : at,
      bars.length,
    );
    if (to === undefined) return;
    event.preventDefault();
    if (!event.shiftKey) setAnchor(undefined);
    else if (anchor === undefined) setAnchor(at);
    setCursor(to);
  };
  const handlers = {
    onKeyDown,
    onBlur: end,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setAnchor(indexAt(event, bars.length));
      setCursor(indexAt(event, bars.length));
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => setCursor(indexAt(event, bars.length)),
    onPointerUp: () => {
      if (chosen !== undefined && anchor !== undefined) onChoose(chosen);
      end();
    },
    onPointerLeave: () => anchor === undefined && end(),
    onPointerCancel: end,
  };
  return { at, chosen, handlers };
}

function Plot({ bars, nowMs, onSearch, times }: HistogramProps & { readonly bars: Bars }) {
  const language = useLanguage();
  const t = useTexts({ en, zh }).histogram;
  const all = bars.bars;
  const top = Math.max(1, ...all.map(({ calls }) => calls));
  const { at, chosen, handlers } = useChoice(all, ({ from, to }) => {
    const [first, last] = [all[from], all[to]];
    if (first === undefined || last === undefined) return;
    onSearch({ period: undefined, from: times.write(first.fromMs), to: times.write(last.toMs) });
  });
  const said = ({ fromMs, calls, failed }: Bar) =>
    t.bar(timeText(fromMs, bars, nowMs, language), count(calls), count(failed));
  const current = all[at];
  return (
    <>
      <div
        className={css.plot}
        role="slider"
        tabIndex={0}
        aria-label={t.label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, all.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={current === undefined ? '' : said(current)}
        {...handlers}
      >
        {all.map((bar, place) => (
          <BarMark
            key={bar.fromMs}
            bar={bar}
            top={top}
            isChosen={chosen !== undefined && place >= chosen.from && place <= chosen.to}
          />
        ))}
        {chosen !== undefined && (
          <Tip text={tipText(all, chosen, said)} left={((chosen.to + 0.5) / all.length) * 100} />
        )}
      </div>
      <Hidden>
        {all
          .filter(({ calls }) => calls > 0)
          .map(said)
          .join('; ')}
      </Hidden>
    </>
  );
}

function tipText(all: readonly Bar[], { from, to }: Chosen, said: (bar: Bar) => string): string {
  const chosen = all.slice(from, to + 1);
  const [first] = chosen;
  if (first === undefined) return '';
  const sum = (of: 'calls' | 'failed') => chosen.reduce((total, bar) => total + bar[of], 0);
  return said({ ...first, calls: sum('calls'), failed: sum('failed') });
}

function Tip({ text, left }: { readonly text: string; readonly left: number }) {
  const place = left > 50 ? { right: `${100 - left}%` } : { left: `${left}%` };
  return (
    <span className={css.tip} style={place} aria-hidden="true">
      {text}
    </span>
  );
}

interface BarMarkProps {
  readonly bar: Bar;
  readonly top: number;
  readonly isChosen: boolean;
}

function BarMark({ bar, top, isChosen }: BarMarkProps) {
  const { calls, failed } = bar;
  return (
    <span className={classes(css.slot, isChosen && css.chosen)}>
      {failed > 0 && <i className={css.failed} style={{ height: `${(failed / top) * 100}%` }} />}
      {calls > failed && <i className={css.bar} style={{ height: `${((calls - failed) / top) * 100}%` }} />}
    </span>
  );
}
