import type { Days } from '../../kernel/time/days.ts';
import type { TimeRange } from '../../ledger/log.ts';
import { TREND_DAYS_MAX, TREND_HOURS_MAX, TREND_MINUTES_MAX } from '../bounds.ts';
import { type Failure, fail } from '../failure.ts';
import { Type } from '../schema.ts';

/** The points of a statistic over time. */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const WEEK_DAYS = 7;

const GRANULARITIES = ['minute', 'hour', 'day', 'week'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export const GRANULARITY = Type.Optional(
  Type.Union(
    GRANULARITIES.map((name) => Type.Literal(name)),
    {
      default: 'day',
      description:
        'Default range: the last hour, 24 hours, 7 days or 28 days. Weeks are counted from the first day.',
    },
  ),
);

export interface TrendRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** The start of each point. */
  readonly edges: readonly number[];
}

interface Now {
  readonly nowMs: number;
  readonly days: Days;
}

export function trendRange(
  granularity: Granularity | undefined,
  asked: TimeRange,
  now: Now,
): TrendRange | Failure {
  return TREND_RANGES[granularity ?? 'day'](asked, now);
}

type ToTrendRange = (asked: TimeRange, now: Now) => TrendRange | Failure;

/** Points of one length, the newest of which is not over yet. */
function evenRange(
  unitMs: number,
  usual: number,
  tooMany: (asked: number) => Failure | undefined,
): ToTrendRange {
  return (asked, { nowMs }) => {
    const toMs = asked.toMs ?? Math.max(nowMs, asked.fromMs ?? 0) + 1;
    const fromMs = asked.fromMs ?? floorTo(toMs - 1, unitMs) - (usual - 1) * unitMs;
    const refused = tooMany((toMs - fromMs) / unitMs);
    if (refused !== undefined) return refused;
    const edges: number[] = [];
    for (let edge = floorTo(fromMs, unitMs); edge < toMs; edge += unitMs) edges.push(edge);
    return { fromMs, toMs, edges };
  };
}

/** Points of so many days of the time zone. */
function dayRange(length: number, usualDays: number): ToTrendRange {
  return (asked, { nowMs, days }) => {
    const toMs = asked.toMs ?? Math.max(nowMs, asked.fromMs ?? 0) + 1;
    const fromMs = asked.fromMs ?? days.startOf(toMs - 1 - (usualDays - 1) * 24 * HOUR_MS);
    if (toMs - fromMs > TREND_DAYS_MAX * 24 * HOUR_MS) return tooLong(TREND_DAYS_MAX, 'days');
    const edges: number[] = [];
    for (let edge = days.startOf(fromMs); edge < toMs; edge = daysAfter(edge, length, days)) edges.push(edge);
    return { fromMs, toMs, edges };
  };
}

const TREND_RANGES: Readonly<Record<Granularity, ToTrendRange>> = {
  minute: evenRange(MINUTE_MS, 60, (points) =>
    points > TREND_MINUTES_MAX ? tooLong(TREND_MINUTES_MAX, 'minutes') : undefined,
  ),
  // Hours are those of the roll-up. In a time zone with a half-hour offset they begin at half past.
  hour: evenRange(HOUR_MS, 24, (points) =>
    points > TREND_HOURS_MAX ? tooLong(TREND_HOURS_MAX, 'hours') : undefined,
  ),
  day: dayRange(1, 7),
  week: dayRange(WEEK_DAYS, 4 * WEEK_DAYS),
};

function floorTo(timeMs: number, unitMs: number): number {
  return Math.floor(timeMs / unitMs) * unitMs;
}

function daysAfter(edge: number, count: number, days: Days): number {
  let after = edge;
  for (let day = 0; day < count; day++) after = days.after(after);
  return after;
}

function tooLong(most: number, unit: string): Failure {
  return fail('badParameter', `from must be at most ${most} ${unit} before to`);
}

/**
 * As many points directly before a range. If the last point of the range is not over, the last one before
 * ends at the same moment of it: a day until noon is compared with a day until noon.
 */
export function rangeBefore(granularity: Granularity | undefined, range: TrendRange, days: Days): TrendRange {
  const { edges, fromMs, toMs } = range;
  const [first = fromMs] = edges;
  const last = edges.at(-1) ?? first;
  const { before, lastEnds } = STEPS_BACK[granularity ?? 'day'](edges, days);
  const [firstBefore = first] = before;
  const lastBefore = before.at(-1) ?? firstBefore;
  return {
    edges: before,
    fromMs: firstBefore + (fromMs - first),
    toMs: toMs >= lastEnds ? first : Math.min(first, lastBefore + (toMs - last)),
  };
}

type StepsBack = (
  edges: readonly number[],
  days: Days,
) => { readonly before: readonly number[]; readonly lastEnds: number };

function evenStepsBack(unitMs: number): StepsBack {
  return (edges) => ({
    before: edges.map((edge) => edge - edges.length * unitMs),
    lastEnds: (edges.at(-1) ?? 0) + unitMs,
  });
}

function dayStepsBack(length: number): StepsBack {
  return (edges, days) => {
    let [edge = 0] = edges;
    const before = edges.map(() => {
      for (let day = 0; day < length; day++) edge = days.startOf(edge - 1);
      return edge;
    });
    return { before: before.reverse(), lastEnds: daysAfter(edges.at(-1) ?? 0, length, days) };
  };
}

const STEPS_BACK: Readonly<Record<Granularity, StepsBack>> = {
  minute: evenStepsBack(MINUTE_MS),
  hour: evenStepsBack(HOUR_MS),
  day: dayStepsBack(1),
  week: dayStepsBack(WEEK_DAYS),
};
