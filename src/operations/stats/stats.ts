import { assert } from '../../kernel/assert.ts';
import { formatMicro } from '../../kernel/money.ts';
import type { UsageSums } from '../../ledger/log.ts';
import { findAccountView } from '../../store/accounts/account-view.ts';
import { usageBetween } from '../../store/logs/usage-sums.ts';
import { monthSpentMicro } from '../accounts/own-account.ts';
import { ownAccount } from '../context.ts';
import { nullable, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { CONSUMPTION_FIELDS, readUsageFilter, USAGE_FIELDS } from '../logs/log-filter.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { GRANULARITY, trendRange } from './trend-range.ts';

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

const overview = operation({
  ...GROUP,
  name: 'stats.overview',
  id: 'getUsageOverview',
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
    const range = readUsageFilter(query, context);
    if ('kind' in range) return range;
    const { database, days } = context;
    const accountId = ownAccount(context);
    const nowMs = context.clock.now();
    const edges = [...new Set([days.startOfMonth(nowMs), days.startOf(nowMs)])];
    const [sums, account] = await Promise.all([
      usageBetween(database, accountId, { range, edges }),
      findAccountView(database, accountId),
    ]);
    assert(account !== undefined, 'a login has an account');
    const { funds, extraApiQuotaMicro } = account;
    return data({
      today: shownSums(sums.at(-1)),
      month: shownSums(...sums.slice(1)),
      total: shownSums(...sums),
      balance: formatMicro(funds.balanceMicro),
      credits: formatMicro(funds.creditsMicro),
      month_spent: formatMicro(monthSpentMicro(account, context)),
      extra_api_quota: formatMicro(extraApiQuotaMicro),
    });
  },
});

const POINT = Type.Object({ time: TIME, ...SUM_FIELDS });
const trend = operation({
  ...GROUP,
  name: 'stats.trend',
  id: 'getUsageOverTime',
  path: '/stats/trend',
  title: 'Get my usage over time',
  summary: 'Usage over time, by minutes, hours, days or weeks; points without calls are zero.',
  query: Type.Object({ ...CONSUMPTION_FIELDS, granularity: GRANULARITY }),
  data: Type.Array(POINT),
  example: { data: [{ time: '2026-11-15 00:00:00', ...SUMS_EXAMPLE }] },
  handle: async ({ query }, context) => {
    const filter = readUsageFilter(query, context);
    if ('kind' in filter) return filter;
    const range = trendRange(query.granularity, filter, { nowMs: context.clock.now(), days: context.days });
    if ('kind' in range) return range;
    const { edges, ...times } = range;
    const wanted = { range: { ...filter, ...times }, edges };
    const [, ...sums] = await usageBetween(context.database, ownAccount(context), wanted);
    return data(
      sums.map((each, place) => ({ time: context.showTime(edges[place] ?? 0), ...shownSums(each) })),
    );
  },
});

/** The sum of all points. */
export function shownSums(
  ...sums: readonly (UsageSums | undefined)[]
): Readonly<Record<keyof typeof SUM_FIELDS, string | number | null>> {
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
    ttft_ms: meanOrNull(
      total(({ ttftMs }) => ttftMs),
      total(({ ttftCalls }) => ttftCalls),
    ),
  };
}

function meanOrNull(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count);
}

/** Rule I-81: everything comes from roll-ups, in the days of the server's time zone. */
export const statsOperations: readonly Operation[] = [overview, trend];
