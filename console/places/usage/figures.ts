import { count, countShort, duration, money, percent, written } from '../../parts/text/format.ts';
import { clock, dayOfYear } from '../../parts/text/times.ts';
import type { Language } from '../../texts/language.ts';
import { failedShare, type Sums, tokensOf, type UsageGroup } from './data.ts';
import type { Step } from './period.ts';
import type { Grouping, Measure } from './search.ts';
import type { en } from './texts.en.ts';

export type UsageTexts = typeof en;

/** How a measure is read, written and drawn. Amounts become numbers for the height of a column only. */
interface MeasureFigures {
  readonly value: (sums: Sums) => number | null;
  readonly text: (sums: Sums) => string;
  readonly axis: (value: number, language: Language) => string;
  readonly kind: 'columns' | 'lines';
}

export const MEASURE: Readonly<Record<Measure, MeasureFigures>> = {
  spend: {
    value: ({ amount }) => Number(amount),
    text: ({ amount }) => money(amount),
    axis: (value) => `¥${count(value)}`,
    kind: 'columns',
  },
  calls: {
    value: ({ calls }) => calls,
    text: ({ calls }) => count(calls),
    axis: (value, language) => written(countShort(value, language)),
    kind: 'columns',
  },
  tokens: {
    value: tokensOf,
    text: (sums) => count(tokensOf(sums)),
    axis: (value, language) => written(countShort(value, language)),
    kind: 'columns',
  },
  failed: {
    value: ({ failed }) => failed,
    text: (sums) => (sums.failed === 0 ? '0' : `${count(sums.failed)} (${percent(failedShare(sums))})`),
    axis: (value, language) => written(countShort(value, language)),
    kind: 'columns',
  },
  firstToken: {
    value: ({ ttft_ms: ttft }) => ttft,
    text: ({ ttft_ms: ttft }) => written(duration(ttft)),
    axis: (value) => written(duration(value)),
    kind: 'lines',
  },
};

/** What a group is called. */
export function groupName(
  { group, name }: Pick<UsageGroup, 'group' | 'name'>,
  by: Grouping,
  t: UsageTexts,
): string {
  if (group === null) return t.other;
  if (by === 'key') return name ?? t.deletedKey(group);
  if (by === 'protocol') return t.protocols[group as keyof typeof t.protocols] ?? group;
  if (by === 'payer') return t.payers[group as keyof typeof t.payers] ?? group;
  return group === '' ? t.noModel : group;
}

function weekdayOf(time: string): number {
  return new Date(`${time.slice(0, 10)}T00:00:00Z`).getUTCDay();
}

/** Below a column: 12 Nov, or 14:00. */
export function pointLabel(time: string, step: Step, language: Language): string {
  return step === 'hour' ? clock(time).slice(0, 5) : dayOfYear(time, language);
}

interface PointWords {
  readonly step: Step;
  readonly language: Language;
  readonly t: UsageTexts;
}

/** In full: Thu 12 Nov; Thu 12 Nov, 14:00; the week from 12 Nov. */
export function pointTitle(time: string, { step, language, t }: PointWords): string {
  const date = dayOfYear(time, language);
  if (step === 'week') return t.weekFrom(date);
  const named = t.dayNamed(t.weekdays[weekdayOf(time)] ?? '', date);
  return step === 'hour' ? t.dayAndTime(named, clock(time).slice(0, 5)) : named;
}
