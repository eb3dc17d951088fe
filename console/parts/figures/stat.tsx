import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Unit } from '../text/text.tsx';
import styles from './stat.module.css';

/** A row of tiles between two hairlines. */
export function Stats({
  children,
  columns = 5,
}: {
  readonly children: ReactNode;
  readonly columns?: number | undefined;
}) {
  return (
    <div className={styles.stats} style={{ ['--tiles' as string]: columns }}>
      {children}
    </div>
  );
}

export interface StatProps {
  readonly label: ReactNode;
  /** As a formatter wrote it: ¥388.35. The sign of the currency turns grey. */
  readonly value: string;
  readonly unit?: string | undefined;
  /** Against the period before, with its sign. */
  readonly delta?: string | undefined;
  /** Whether the change is good news; undefined where it is neither. */
  readonly deltaTone?: 'good' | 'bad' | undefined;
  /** A Sparkline. */
  readonly children?: ReactNode;
}

export function Stat({ label, value, unit, delta, deltaTone, children }: StatProps) {
  const [, sign = '', figure = value] = /^([−+]?¥)(.*)$/.exec(value) ?? [];
  return (
    <div className={styles.stat}>
      <div className={styles.label}>
        {label}
        {delta !== undefined && (
          <span className={classes(styles.delta, deltaTone && styles[deltaTone])}>{delta}</span>
        )}
      </div>
      <div className={styles.value}>
        {sign !== '' && <span className={styles.currency}>{sign}</span>}
        {figure}
        {unit !== undefined && unit !== '' && <Unit>{unit}</Unit>}
      </div>
      {children !== undefined && <div className={styles.foot}>{children}</div>}
    </div>
  );
}

export interface SparklineProps {
  readonly values: readonly number[];
  /** The period before, in grey. */
  readonly before?: readonly number[] | undefined;
}

const WIDTH = 300;
const HEIGHT = 84;
const EDGE = 3;

function line(values: readonly number[], top: number): string {
  const step = values.length > 1 ? WIDTH / (values.length - 1) : WIDTH;
  const y = (value: number) => HEIGHT - EDGE - (top === 0 ? 0 : value / top) * (HEIGHT - 2 * EDGE);
  const points = values.length === 1 ? [values[0] ?? 0, values[0] ?? 0] : values;
  return points
    .map((value, at) => `${at === 0 ? 'M' : 'L'}${(at * step).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('');
}

/** Decoration beside a figure; the figure says the same in words. */
export function Sparkline({ values, before }: SparklineProps) {
  if (values.length === 0) return null;
  const top = Math.max(...values, ...(before ?? []), 0);
  const path = line(values, top);
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {before !== undefined && before.length > 0 && <path className={styles.before} d={line(before, top)} />}
      <path className={styles.fill} d={`${path}V${HEIGHT}H0z`} />
      <path d={path} />
    </svg>
  );
}
