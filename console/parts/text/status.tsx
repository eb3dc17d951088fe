import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Icon, type IconName } from '../icons/icon.tsx';
import styles from './status.module.css';

/** `live` pulses: something is running now. */
export type DotTone = 'ok' | 'warn' | 'bad' | 'live' | 'off';
export type PillTone = 'ok' | 'warn' | 'bad' | 'info' | 'accent' | 'plain';

export function Dot({ tone = 'off' }: { readonly tone?: DotTone | undefined }) {
  return <span aria-hidden="true" className={classes(styles.dot, styles[`dot-${tone}`])} />;
}

/** The state of a row: a dot and a word. */
export function Status({ tone, children }: { readonly tone: DotTone; readonly children: ReactNode }) {
  return (
    <span className={styles.status}>
      <Dot tone={tone} />
      {children}
    </span>
  );
}

export interface PillProps {
  readonly tone?: PillTone | undefined;
  readonly dot?: DotTone | undefined;
  readonly icon?: IconName | undefined;
  readonly children: ReactNode;
}

/** Only for what deviates, or for a code. */
export function Pill({ tone = 'plain', dot, icon, children }: PillProps) {
  return (
    <span className={classes(styles.pill, styles[tone])}>
      {dot !== undefined && <Dot tone={dot} />}
      {icon !== undefined && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}

/** The name of a field, a feature, a kind. */
export function Tag({
  mono,
  children,
}: {
  readonly mono?: boolean | undefined;
  readonly children: ReactNode;
}) {
  return <span className={classes(styles.tag, mono && styles.mono)}>{children}</span>;
}

/** A small count beside a heading or a tab. */
export function Badge({ children }: { readonly children: ReactNode }) {
  return <span className={styles.badge}>{children}</span>;
}

/** The letter of a vendor. Its name stands beside it. */
export function VendorMark({ name }: { readonly name: string }) {
  return (
    <span aria-hidden="true" className={styles.vendor}>
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}

/** The colour of a series: 1 to 8, or failed. */
export function Swatch({ series }: { readonly series: number | 'failed' }) {
  const colour = series === 'failed' ? 'var(--danger)' : `var(--c${series})`;
  return <span aria-hidden="true" className={styles.swatch} style={{ background: colour }} />;
}

/** One stroke for each stretch of time: how it was. `label` says it in words. */
export function Ticks({
  ticks,
  label,
}: {
  readonly ticks: readonly ('ok' | 'warn' | 'bad' | 'none')[];
  readonly label: string;
}) {
  return (
    <span role="img" aria-label={label} className={styles.ticks}>
      {ticks.map((tick, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stroke has no identity but its place
        <i key={index} className={styles[`tick-${tick}`]} />
      ))}
    </span>
  );
}
