import { formatMicro } from '../../kernel/money.ts';
import type { Days } from '../../kernel/time/days.ts';
import type {
  GroupSeries,
  GroupUsage,
  TimeRange,
  UsageFilter,
  UsageSums,
  WantedGroups,
} from '../../ledger/log.ts';
import { TREND_DAYS_MAX, TREND_HOURS_MAX } from '../bounds.ts';
import { type AccountEndpointDeps, ownAccount } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { nullable, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { CONSUMPTION_FIELDS, USAGE_FIELDS, usageFilterOf } from '../logs/log-filter.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

export interface FundsView {
  readonly balanceMicro: bigint;
  readonly creditsMicro: bigint;
  /** Of the current month. */
  readonly monthSpentMicro: bigint;
  readonly extraApiQuotaMicro: bigint;
}

interface WantedTimes {
  readonly range: UsageFilter;
  readonly edges: readonly number[];
}

export interface StatsPort {
  /** First the sum before the first edge, then the sums between each edge and the next. */
  between(accountId: number, wanted: WantedTimes): Promise<readonly UsageSums[]>;
  groups(accountId: number, wanted: WantedGroups): Promise<readonly GroupUsage[]>;
  /** The same as `between` for each group. The last has everything outside of the groups. */
  series(accountId: number, wanted: WantedGroups & WantedTimes): Promise<readonly GroupSeries[]>;
  /** The names of the account's keys. Deleted keys are absent. */
  keyNames(accountId: number, keyIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  funds(accountId: number, nowMs: number): Promise<FundsView>;
}

export interface StatsNeeds {
  readonly stats: StatsPort;
  readonly deps: AccountEndpointDeps;
  readonly days: Days;
}

const COUNT = Type.Integer({ minimum: 0 });
export const SUM_FIELDS = {
  calls: COUNT,
  failed: COUNT,
  input_tokens: COUNT,
  output_tokens: COUNT,
  cache_read_tokens: COUNT,
  cache_write_tokens: COUNT,
  reasoning_tokens: COUNT,
  images: COUNT,
  videos: COUNT,
  amount: SHOWN_AMOUNT,
  credits: SHOWN_AMOUNT,
  ttft_ms: nullable(
    Type.Integer({ minimum: 0, description: 'Mean time to the first token of streamed calls.' }),
  ),
};
export const SUMS = Type.Object(SUM_FIELDS);

export const SUMS_EXAMPLE = {
  calls: 3,
  failed: 0,
  input_tokens: 3000,
  output_tokens: 1500,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  images: 0,
  videos: 0,
  amount: '0.075',
  credits: '75',
  ttft_ms: 412,
};

export const GROUP = { surface: 'user', access: 'user', tag: 'Usage', method: 'GET' } as const;

/** Rule I-81: everything comes from roll-ups, in the days of the server's time zone. */
export function statsOperations(needs: StatsNeeds): readonly Operation[] {
  return [overview(needs), trend(needs)];
}

function overview({ stats, days, deps }: StatsNeeds): Operation {
  return operation({
    ...GROUP,
    name: 'stats.overview',
    path: '/stats/overview',
    title: 'Get my usage overview',
    summary: 'The usage of today, of this month and in total, and the remaining money.',
    query: Type.Object(USAGE_FIELDS),
    data: Type.Object({
      today: SUMS,
      month: SUMS,
      total: SUMS,
      balance: SHOWN_AMOUNT,
      credits: SHOWN_AMOUNT,
      month_spent: SHOWN_AMOUNT,
      extra_api_quota: SHOWN_AMOUNT,
    }),
    example: {
      data: {
        ...{ today: SUMS_EXAMPLE, month: SUMS_EXAMPLE, total: SUMS_EXAMPLE },
        ...{ balance: '100', credits: '49925', month_spent: '0.075', extra_api_quota: '0' },
      },
    },
    handle: async ({ query }, context) => {
      const range = usageFilterOf(query, deps);
      if ('kind' in range) return range;
      const accountId = ownAccount(context);
      const nowMs = context.clock.now();
      const edges = [...new Set([days.startOfMonth(nowMs), days.startOf(nowMs)])];
      const [sums, funds] = await Promise.all([
        stats.between(accountId, { range, edges }),
        stats.funds(accountId, nowMs),
      ]);
      return data({
        today: shownSums(sums.at(-1)),
        month: shownSums(...sums.slice(1)),
        total: shownSums(...sums),
        balance: formatMicro(funds.balanceMicro),
        credits: formatMicro(funds.creditsMicro),
        month_spent: formatMicro(funds.monthSpentMicro),
        extra_api_quota: formatMicro(funds.extraApiQuotaMicro),
      });
    },
  });
}

const POINT = Type.Object({ time: TIME, ...SUM_FIELDS });
const HOUR_MS = 3_600_000;

function trend({ stats, deps, days }: StatsNeeds): Operation {
  return operation({
    ...GROUP,
    name: 'stats.trend',
    path: '/stats/trend',
    title: 'Get my usage over time',
    summary: 'Usage over time, by hours or days; points without calls are zero.',
    query: Type.Object({ ...CONSUMPTION_FIELDS, granularity: GRANULARITY }),
    data: Type.Array(POINT),
    example: { data: [{ time: '2026-11-15 00:00:00', ...SUMS_EXAMPLE }] },
    handle: async ({ query }, context) => {
      const filter = usageFilterOf(query, deps);
      if ('kind' in filter) return filter;
      const range = trendRange(query.granularity, filter, { nowMs: context.clock.now(), days });
      if ('kind' in range) return range;
      const { edges, ...times } = range;
      const [, ...sums] = await stats.between(ownAccount(context), { range: { ...filter, ...times }, edges });
      return data(
        sums.map((each, place) => ({ time: deps.showTime(edges[place] ?? 0), ...shownSums(each) })),
      );
    },
  });
}

export const GRANULARITY = Type.Optional(
  Type.Union([Type.Literal('hour'), Type.Literal('day')], {
    default: 'day',
    description: 'Default range: the last 24 hours, or 7 days.',
  }),
);

export function trendRange(
  granularity: 'hour' | 'day' | undefined,
  asked: TimeRange,
  { nowMs, days }: { readonly nowMs: number; readonly days: Days },
): TrendRange | Failure {
  return TREND_RANGES[granularity ?? 'day'](asked, nowMs, days);
}

interface TrendRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** The start of each point. */
  readonly edges: readonly number[];
}

type ToTrendRange = (asked: TimeRange, nowMs: number, days: Days) => TrendRange | Failure;

const TREND_RANGES: Readonly<Record<'hour' | 'day', ToTrendRange>> = {
  // Hours are those of the roll-up. In a time zone with a half-hour offset they begin at half past.
  hour: (asked, nowMs) => {
    const toMs = asked.toMs ?? Math.max(nowMs, asked.fromMs ?? 0) + 1;
    const fromMs = asked.fromMs ?? floorTo(toMs - 1, HOUR_MS) - 23 * HOUR_MS;
    if (toMs - fromMs > TREND_HOURS_MAX * HOUR_MS) return tooLong(TREND_HOURS_MAX, 'hours');
    const edges: number[] = [];
    for (let edge = floorTo(fromMs, HOUR_MS); edge < toMs; edge += HOUR_MS) edges.push(edge);
    return { fromMs, toMs, edges };
  },
  day: (asked, nowMs, days) => {
    const toMs = asked.toMs ?? Math.max(nowMs, asked.fromMs ?? 0) + 1;
    const fromMs = asked.fromMs ?? days.startOf(toMs - 1 - 6 * 24 * HOUR_MS);
    if (toMs - fromMs > TREND_DAYS_MAX * 24 * HOUR_MS) return tooLong(TREND_DAYS_MAX, 'days');
    const edges: number[] = [];
    for (let edge = days.startOf(fromMs); edge < toMs; edge = days.after(edge)) edges.push(edge);
    return { fromMs, toMs, edges };
  },
};

function floorTo(timeMs: number, unitMs: number): number {
  return Math.floor(timeMs / unitMs) * unitMs;
}

function tooLong(most: number, unit: string): Failure {
  return fail('badParameter', `from must be at most ${most} ${unit} before to`);
}

/** The sum of all points. */
export function shownSums(
  ...sums: readonly (UsageSums | undefined)[]
): Record<keyof typeof SUM_FIELDS, unknown> {
  const total = (pick: (each: UsageSums) => number): number =>
    sums.reduce((sum, each) => sum + (each === undefined ? 0 : pick(each)), 0);
  const totalMicro = (pick: (each: UsageSums) => bigint): string =>
    formatMicro(sums.reduce((sum, each) => sum + (each === undefined ? 0n : pick(each)), 0n));
  return {
    calls: total(({ calls }) => calls),
    failed: total(({ failed }) => failed),
    input_tokens: total(({ inputTokens }) => inputTokens),
    output_tokens: total(({ outputTokens }) => outputTokens),
    cache_read_tokens: total(({ cacheReadTokens }) => cacheReadTokens),
    cache_write_tokens: total(({ cacheWriteTokens }) => cacheWriteTokens),
    reasoning_tokens: total(({ reasoningTokens }) => reasoningTokens),
    images: total(({ images }) => images),
    videos: total(({ videos }) => videos),
    amount: totalMicro(({ amountMicro }) => amountMicro),
    credits: totalMicro(({ creditsMicro }) => creditsMicro),
    ttft_ms: meanOf(
      total(({ ttftMs }) => ttftMs),
      total(({ ttftCalls }) => ttftCalls),
    ),
  };
}

function meanOf(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count);
}
