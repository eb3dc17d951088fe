/** What an account asks of its logs and statistics, by the very functions that the platform uses. */

import type { Database } from '../../src/store/database.ts';
import { pageOfBalanceLog } from '../../src/store/logs/balance-log.ts';
import { findOwnCall } from '../../src/store/logs/call-log.ts';
import { searchCalls } from '../../src/store/logs/call-search.ts';
import { findCallsAfter } from '../../src/store/logs/live-calls.ts';
import { pageOfLog } from '../../src/store/logs/log-pages.ts';
import { usageBetween, usageBy } from '../../src/store/logs/usage-sums.ts';
import { FILLED_TO_MS } from './fill.ts';

export interface Asked {
  readonly database: Database;
  readonly accountId: number;
  /** Calls of each account. */
  readonly calls: number;
  /** Of the account's newest call. */
  readonly newestId: number;
}

/** As many rows as every account of the small database has: both answer the same. */
const SIZE = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TODAY_MS = FILLED_TO_MS - (FILLED_TO_MS % DAY_MS);
const MODEL = { models: ['model-1'] };
const NARROW = { models: ['model-1', 'model-2'], keyId: 1 };
/** The log ends then, for a search too. */
const NOW = { now: () => FILLED_TO_MS, monotonic: () => performance.now() };
/** A day whose ends lie in the middle of an hour, where the small database has calls too. */
const CUT = { fromMs: FILLED_TO_MS - 2 * DAY_MS - 1_234_567, toMs: FILLED_TO_MS - 1_234_567 };

/** The last page of the log, however long the log is. */
const deepest = (rows: number) => ({ skip: Math.max(0, rows - SIZE), size: SIZE });
const first = { skip: 0, size: SIZE };

export const QUESTIONS: Readonly<Record<string, (asked: Asked) => Promise<unknown>>> = {
  'call log, first page': ({ database, accountId }) =>
    pageOfLog(database, 'calls', { accountId, filter: {}, place: first }),
  'call log, last page': ({ database, accountId, calls }) =>
    pageOfLog(database, 'calls', { accountId, filter: {}, place: deepest(calls) }),
  'call log, middle page of a model': ({ database, accountId, calls }) =>
    pageOfLog(database, 'calls', { accountId, filter: MODEL, place: deepest(Math.floor(calls / 6)) }),
  'call log, page of two days': ({ database, accountId }) =>
    pageOfLog(database, 'calls', { accountId, filter: CUT, place: first }),
  'call log, detail': ({ database, accountId, newestId }) => findOwnCall(database, accountId, newestId),
  'call log, first page of two models of a key': ({ database, accountId }) =>
    pageOfLog(database, 'calls', { accountId, filter: NARROW, place: first }),
  'call log, search of failed calls': ({ database, accountId }) =>
    searchCalls({ database, clock: NOW }, { accountId, status: 'failed', verdict: 'refused', size: SIZE }),
  'call log, look for new calls': ({ database, accountId, newestId }) =>
    findCallsAfter(database, { after: newestId - 1, accounts: [accountId], seen: [], size: SIZE }),
  'consumption log, first page': ({ database, accountId }) =>
    pageOfLog(database, 'consumptions', { accountId, filter: {}, place: first }),
  'consumption log, last page': ({ database, accountId, calls }) =>
    pageOfLog(database, 'consumptions', { accountId, filter: {}, place: deepest(calls) }),
  'balance log, first page': ({ database, accountId }) =>
    pageOfBalanceLog(database, accountId, { range: {}, place: first }),
  'balance log, last page': ({ database, accountId, calls }) =>
    pageOfBalanceLog(database, accountId, { range: {}, place: deepest(calls) }),
  'balance log, page of two days': ({ database, accountId }) =>
    pageOfBalanceLog(database, accountId, { range: CUT, place: first }),
  'stats, overview': ({ database, accountId }) =>
    usageBetween(database, accountId, { range: {}, edges: [Date.UTC(2026, 10, 1), TODAY_MS] }),
  'stats, trend of 7 days': ({ database, accountId }) =>
    trend({ database, accountId }, TODAY_MS - 6 * DAY_MS, DAY_MS),
  'stats, bars of an hour by minutes': ({ database, accountId }) =>
    trend({ database, accountId }, FILLED_TO_MS - HOUR_MS, 60_000),
  'stats, trend of 24 hours': ({ database, accountId }) =>
    trend({ database, accountId }, FILLED_TO_MS - 24 * HOUR_MS, HOUR_MS),
  'stats, models of the month': ({ database, accountId }) =>
    usageBy(database, accountId, { by: 'model', range: { fromMs: Date.UTC(2026, 10, 1) }, most: 200 }),
};

/** Points begin at midnight or at a full hour, and the last one is not over, as the platform has them. */
function trend(
  { database, accountId }: Pick<Asked, 'database' | 'accountId'>,
  fromMs: number,
  pointMs: number,
): Promise<unknown> {
  const edges: number[] = [];
  for (let edge = fromMs; edge < FILLED_TO_MS; edge += pointMs) edges.push(edge);
  return usageBetween(database, accountId, { range: { fromMs, toMs: FILLED_TO_MS }, edges });
}
