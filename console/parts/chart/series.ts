import type { ReactNode } from 'react';
import { NOTHING } from '../text/format.ts';

export interface ChartSeries {
  readonly key: string;
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** The values as the server wrote them, for tip and table; without them `format` writes them. */
  readonly texts?: readonly string[] | undefined;
  /** 1 to 8, by size; `failed` is red; `before` is the period before: a grey dashed line, never stacked. */
  readonly colour: number | 'failed' | 'before';
}

export interface ChartProps {
  /** What is shown, with its unit. */
  readonly label: string;
  /** One for each point: for the axis. */
  readonly labels: readonly string[];
  /** For tip and table, where the axis is too short: “Thu 12 Nov”. */
  readonly titles?: readonly string[] | undefined;
  readonly series: readonly ChartSeries[];
  /** Writes a value on the axis. */
  readonly format: (value: number) => string;
  /** The last line of the tip, as the server wrote it. */
  readonly totals?: readonly string[] | undefined;
  /** Grey at the right of the tip's title: “734 calls”. */
  readonly note?: ((index: number) => ReactNode) | undefined;
  readonly height?: number | undefined;
  /** Counts: the axis has no fractions. */
  readonly whole?: boolean | undefined;
  /** The point that is looked at elsewhere on the page. */
  readonly picked?: number | undefined;
  /** A click or Enter on a point. */
  readonly onPick?: ((index: number) => void) | undefined;
}

export function colourOf(colour: ChartSeries['colour']): string {
  return colour === 'failed' ? '--danger' : colour === 'before' ? '--n-7' : `--c${colour}`;
}

export function textOf(chart: ChartProps, series: ChartSeries, index: number): string {
  const value = series.values[index];
  return series.texts?.[index] ?? (value === null || value === undefined ? NOTHING : chart.format(value));
}
