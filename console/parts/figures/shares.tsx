import type { ReactNode } from 'react';
import { Swatch } from '../text/status.tsx';
import styles from './shares.module.css';

export interface Share {
  readonly key: string;
  readonly label: ReactNode;
  readonly value: string;
  readonly share: string;
  readonly series: number | 'failed';
}

/** The legend of a chart with what each series is worth. */
export function Shares({ shares }: { readonly shares: readonly Share[] }) {
  return (
    <ul className={styles.shares}>
      {shares.map(({ key, label, value, share, series }) => (
        <li key={key}>
          <span>
            <Swatch series={series} />
            {label}
          </span>
          <b>{value}</b>
          <small>{share}</small>
        </li>
      ))}
    </ul>
  );
}

export interface LegendProps {
  readonly series: readonly {
    readonly key: string;
    readonly label: ReactNode;
    readonly series: number | 'failed';
  }[];
}

/** Names only. */
export function Legend({ series }: LegendProps) {
  return (
    <ul className={styles.legend}>
      {series.map((each) => (
        <li key={each.key}>
          <Swatch series={each.series} />
          {each.label}
        </li>
      ))}
    </ul>
  );
}

export interface BarsProps {
  /** `ratio` is 0 to 1 of the widest. */
  readonly bars: readonly {
    key: string;
    label: ReactNode;
    ratio: number;
    value: ReactNode;
    detail?: ReactNode;
  }[];
}

/** Names with a bar each, largest first. */
export function Bars({ bars }: BarsProps) {
  return (
    <ul className={styles.bars}>
      {bars.map((bar) => (
        <li key={bar.key}>
          <span>{bar.label}</span>
          <span className={styles.track}>
            <i style={{ width: `${bar.ratio * 100}%` }} />
          </span>
          <span>{bar.value}</span>
          <small>{bar.detail}</small>
        </li>
      ))}
    </ul>
  );
}

/** A small bar in a cell of a table. The figure stands beside it. */
export function BarCell({
  ratio,
  series,
}: {
  readonly ratio: number;
  /** The colour of the row, where it has one. */
  readonly series?: number | undefined;
}) {
  const background = series === undefined ? undefined : `var(--c${series})`;
  return (
    <span className={styles.cell} aria-hidden="true">
      <i style={{ width: `${Math.min(1, Math.max(0, ratio)) * 100}%`, background }} />
    </span>
  );
}
