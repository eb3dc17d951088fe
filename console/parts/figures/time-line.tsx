import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Icon, type IconName } from '../icons/icon.tsx';
import { duration } from '../text/format.ts';
import styles from './time-line.module.css';

export interface TimeLineRow {
  readonly key: string;
  readonly label: ReactNode;
  readonly icon?: IconName | undefined;
  /** Milliseconds from the start of the call. */
  readonly startMs: number;
  readonly endMs: number;
  /** When the first byte came: the wait before it is hatched. */
  readonly firstByteMs?: number | undefined;
  readonly tone?: 'good' | 'bad' | 'gate' | undefined;
  /** Beside the bar: “529 overloaded”. */
  readonly note?: ReactNode;
  /** At the right end: how long it took. */
  readonly took: ReactNode;
}

const STEPS = [1, 2, 2.5, 5, 10];

/** A round length that five equal parts cover. */
function roundLength(ms: number): number {
  const part = Math.max(ms, 1) / 5;
  const power = 10 ** Math.floor(Math.log10(part));
  return (STEPS.find((step) => step * power >= part) ?? 10) * power * 5;
}

/** The attempts of a call over its time. */
export function TimeLine({ rows }: { readonly rows: readonly TimeLineRow[] }) {
  const length = roundLength(Math.max(...rows.map((row) => row.endMs), 1));
  const inSeconds = length >= 1_000;
  const ticks = [0, 1, 2, 3, 4, 5].map((part) => (part * length) / 5);
  return (
    <div className={styles.line}>
      {rows.map((row) => (
        <Lane key={row.key} row={row} length={length} />
      ))}
      <span />
      <span className={styles.axis}>
        {ticks.map((tick, index) => (
          <span key={tick} style={{ left: `${index * 20}%` }}>
            {Number((inSeconds ? tick / 1_000 : tick).toFixed(2))}
            {index === 5 && ` ${duration(length).unit === 'ms' ? 'ms' : 's'}`}
          </span>
        ))}
      </span>
      <span />
    </div>
  );
}

function Lane({ row, length }: { readonly row: TimeLineRow; readonly length: number }) {
  const at = (ms: number) => `${Math.min(100, (ms / length) * 100)}%`;
  const width = (from: number, to: number) => `${Math.max(0.2, ((to - from) / length) * 100)}%`;
  const { startMs, endMs, firstByteMs } = row;
  const tone = row.tone === 'bad' ? styles.bad : row.tone === 'gate' ? styles.gate : undefined;
  const waits = firstByteMs !== undefined && firstByteMs > startMs;
  const late = startMs / length > 0.6;
  return (
    <>
      <span className={styles.label}>
        {row.icon !== undefined && <Icon name={row.icon} size={14} />}
        {row.label}
      </span>
      <span className={styles.lane}>
        {waits && (
          <i className={styles.wait} style={{ left: at(startMs), width: width(startMs, firstByteMs) }} />
        )}
        <i
          className={tone}
          style={{
            left: at(waits ? firstByteMs : startMs),
            width: width(waits ? firstByteMs : startMs, endMs),
          }}
        />
        {row.note !== undefined && (
          <b
            className={classes(row.tone === 'bad' && styles.badText)}
            title={typeof row.note === 'string' ? row.note : undefined}
            style={
              late
                ? { right: `calc(100% - ${at(startMs)} + 6px)`, maxWidth: `calc(${at(startMs)} - 6px)` }
                : { left: `calc(${at(endMs)} + 6px)`, maxWidth: `calc(100% - ${at(endMs)} - 6px)` }
            }
          >
            {row.note}
          </b>
        )}
      </span>
      <span className={styles.end}>{row.took}</span>
    </>
  );
}
