import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { useNow } from '../text/now.ts';
import { CountDown } from '../text/time.tsx';
import { type Instant, toDate } from '../text/times.ts';
import { usePartTexts } from '../texts.ts';
import styles from './meter.module.css';

export interface MeterProps {
  /** “Requests”. */
  readonly label: string;
  /** The window in words: “a minute”. Grey. */
  readonly window?: string | undefined;
  /** As written: 412, 1.86 M. */
  readonly used: string;
  readonly limit: string;
  /** How much of the limit is used, and how much is held for what is under way: 0 to 1. */
  readonly ratio: number;
  readonly heldRatio?: number | undefined;
  /** What is held, as written. */
  readonly held?: string | undefined;
  /** When the window opens again, and how long it is: the ring shows the part that is left. */
  readonly resetsAt?: Instant | undefined;
  readonly windowMs?: number | undefined;
  readonly onReset?: (() => void) | undefined;
  /** Instead of the count-down. */
  readonly note?: ReactNode;
}

const AMBER = 0.8;

export function Meter(props: MeterProps) {
  const { label, window, used, limit, ratio, heldRatio = 0, held, resetsAt, windowMs, onReset, note } = props;
  const t = usePartTexts();
  const full = Math.min(1, Math.max(0, ratio));
  const tone = ratio >= 1 ? styles.bad : ratio >= AMBER ? styles.warn : undefined;
  const part = `${full * 100}%`;
  return (
    <div className={classes(styles.meter, tone)}>
      <span>
        {label} {window !== undefined && <span className={styles.dim}>{window}</span>}
      </span>
      <span className={styles.of}>
        {used}{' '}
        <span>
          {t.of} {limit}
        </span>
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: <meter> cannot show what is held */}
      <div
        role="meter"
        aria-label={window === undefined ? label : `${label} ${window}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(full * 100)}
        aria-valuetext={`${used} ${t.of} ${limit}`}
        className={styles.track}
      >
        <i style={{ width: part }} />
        {heldRatio > 0 && (
          <i
            className={styles.held}
            style={{ left: part, width: `${Math.min(1 - full, heldRatio) * 100}%` }}
          />
        )}
      </div>
      <small>
        {note ??
          (resetsAt !== undefined && (
            <>
              <Ring until={resetsAt} windowMs={windowMs} />
              {t.meterTime(ratio >= 1, <CountDown key="time" until={resetsAt} onEnd={onReset} />)}
            </>
          ))}
        {held !== undefined && `${note === undefined && resetsAt === undefined ? '' : '; '}${t.held(held)}`}
      </small>
    </div>
  );
}

function Ring({ until, windowMs }: { readonly until: Instant; readonly windowMs: number | undefined }) {
  const left = toDate(until).getTime() - useNow();
  const part = windowMs === undefined ? 100 : Math.min(100, Math.max(0, (left / windowMs) * 100));
  return (
    <svg className={styles.ring} viewBox="0 0 12 12" aria-hidden="true">
      <circle cx="6" cy="6" r="4.5" />
      <circle cx="6" cy="6" r="4.5" pathLength="100" strokeDasharray={`${part} 100`} />
    </svg>
  );
}
