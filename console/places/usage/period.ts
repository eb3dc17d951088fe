import { day, exactTime } from '../../parts/text/times.ts';

/** The periods of usage. Days are those of the server's time zone; the last one is today. */
export const PRESETS = ['24h', '7d', '30d', 'year'] as const;
export type Preset = (typeof PRESETS)[number];
export const USUAL_PERIOD: Preset = '30d';

export type Step = 'hour' | 'day' | 'week';

export interface PeriodSearch {
  readonly period?: Preset | 'custom' | undefined;
  /** Days, both included: 2026-11-01. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface Span {
  /** As the server reads times. */
  readonly from: string;
  /** Exclusive. Undefined: until now. */
  readonly to: string | undefined;
  readonly firstDay: string;
  readonly lastDay: string;
  /** The usual step first. */
  readonly steps: readonly [Step, ...Step[]];
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS_MAX = 366;

/** A day that exists, or undefined. */
export function readDay(value: unknown): string | undefined {
  if (typeof value !== 'string' || !DAY.test(value)) return undefined;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value) ? value : undefined;
}

/** What is not understood is written over: the router keeps the keys of an address that nobody has read. */
export function readPeriod(raw: Readonly<Record<string, unknown>>): PeriodSearch {
  const period = [...PRESETS, 'custom' as const].find((each) => each === raw.period);
  const [from, to] = [readDay(raw.from), readDay(raw.to)];
  const isCustom = period === 'custom';
  return {
    period: period === USUAL_PERIOD ? undefined : period,
    from: isCustom ? from : undefined,
    to: isCustom ? to : undefined,
  };
}

export function addDays(date: string, count: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MS);
}

const PRESET_DAYS = { '7d': 7, '30d': 30, year: 364 } as const;

function stepsOf(days: number): Span['steps'] {
  if (days <= 2) return ['hour'];
  if (days <= 14) return ['day', 'hour'];
  return days <= 92 ? ['day', 'week'] : ['week', 'day'];
}

function spanOfDays(firstDay: string, lastDay: string, today: string): Span {
  return {
    from: `${firstDay} 00:00:00`,
    to: lastDay >= today ? undefined : `${addDays(lastDay, 1)} 00:00:00`,
    ...{ firstDay, lastDay, steps: stepsOf(daysBetween(firstDay, lastDay) + 1) },
  };
}

export function spanOf(search: PeriodSearch, nowMs: number): Span {
  const { period = USUAL_PERIOD } = search;
  const today = day(nowMs);
  if (period === '24h') {
    const fromMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 23 * HOUR_MS;
    return {
      ...{ from: exactTime(fromMs), to: undefined },
      ...{ firstDay: day(fromMs), lastDay: today, steps: ['hour'] },
    };
  }
  if (period !== 'custom') return spanOfDays(addDays(today, 1 - PRESET_DAYS[period]), today, today);
  const [first, last] = [search.from ?? addDays(search.to ?? today, -6), search.to ?? today].toSorted();
  const lastDay = last ?? today;
  const earliest = addDays(lastDay, 1 - DAYS_MAX);
  const firstDay = first === undefined || first < earliest ? earliest : first;
  return spanOfDays(firstDay > today ? today : firstDay, lastDay > today ? today : lastDay, today);
}

/** How many days a span has, for “the 12 days before”. */
export function lengthOf({ firstDay, lastDay }: Span): number {
  return daysBetween(firstDay, lastDay) + 1;
}
