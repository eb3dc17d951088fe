import type { Data } from '../../api/api.ts';
import { count, countShort, money, written } from '../../parts/text/format.ts';
import type { Language } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

export type Limits = Data<'getLimits'>;
export type Policy = NonNullable<Limits['scopes'][number]['policy']>;
export type Window = Policy['windows'][number];
export type Dimension = Window['dimension'];

const UNITS = [
  { seconds: 604_800, name: 'week' },
  { seconds: 86_400, name: 'day' },
  { seconds: 3_600, name: 'hour' },
  { seconds: 60, name: 'minute' },
  { seconds: 1, name: 'second' },
] as const;

/** A length of time in its largest whole unit: “a week”, “5 hours”. */
export function windowWords(seconds: number, t: typeof en): string {
  const unit = UNITS.find((each) => seconds % each.seconds === 0);
  if (unit === undefined) return String(seconds);
  return t.lengths[unit.name](seconds / unit.seconds);
}

/** A figure of a window, in full. */
export function figure(value: string, dimension: Dimension): string {
  return dimension === 'amount' ? money(value) : count(value);
}

/** A figure of a window in short, for tables and meters. */
export function shortFigure(value: string, dimension: Dimension, language: Language): string {
  if (dimension === 'amount') return money(value);
  return dimension === 'tokens' ? written(countShort(Number(value), language)) : count(value);
}

/** For the width of a bar alone. */
export function ratioOf(used: string | null, limit: string): number {
  return Number(limit) === 0 ? 1 : Number(used ?? 0) / Number(limit);
}
