import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import type { Database } from '../database.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { type CallCursor, type CallSearch, searchCalls } from './call-search.ts';

/** Calls that did not end well are found among many that did, without reading those. */

const MINUTE = 60_000;
const GOOD = 600;
const clock = new ManualClock(NOVEMBER);
let fresh: FreshDatabase;
let accounts: readonly number[];
let calls: readonly CallRecord[];

const ENDS = [
  { status: 504, errorCode: 50401, verdict: 'failed' },
  { status: 429, errorCode: 42901, verdict: 'refused' },
  { status: 200, errorCode: 50202, verdict: 'cut-by-upstream' },
  { status: 200, errorCode: 50001, verdict: 'cut-by-gateway' },
  { status: 499, errorCode: null, verdict: 'cut-by-client' },
] as const;

beforeAll(async () => {
  fresh = await freshDatabase();
  const { database } = fresh;
  const calendar = createCalendar('UTC');
  const ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  accounts = await Promise.all([1, 2].map(() => accountWith(database, { creditsMicro: 10n ** 12n })));
  const made = (at: number): CallRecord => {
    const end = ENDS[Math.floor(at / 60) % ENDS.length];
    return callOf({
      ...{ accountId: accounts[at % 2] ?? 0, createdAtMs: NOVEMBER - 1 - at * 30 * MINUTE, keyId: at % 3 },
      ...(at % 30 === 0 && end),
    });
  };
  calls = Array.from({ length: GOOD }, (_, at) => made(at));
  await ledger.settle(calls);
  await database.query('vacuum analyze calls');
});
afterAll(() => fresh.drop());

async function everyPage(
  wanted: Omit<CallSearch, 'size'>,
  { database = fresh.database, size = 3 }: { readonly database?: Database; readonly size?: number } = {},
) {
  const found: string[] = [];
  let before: CallCursor | undefined;
  do {
    const { items, next } = await searchCalls({ database, clock }, { ...wanted, before, size });
    found.push(...items.map(({ callId }) => callId));
    before = next;
  } while (before !== undefined);
  return found;
}

const isFailed = ({ verdict }: CallRecord): boolean => verdict !== 'complete' && verdict !== 'cut-by-client';
const WANTED: readonly (readonly [string, Omit<CallSearch, 'size'>, (call: CallRecord) => boolean])[] = [
  ...ENDS.map(
    ({ verdict }) =>
      [`verdict ${verdict}`, { verdict }, (call: CallRecord) => call.verdict === verdict] as const,
  ),
  ['code 50401', { errorCode: 50401, status: 'failed' }, ({ errorCode }) => errorCode === 50401],
  ['code 40401', { errorCode: 40401, status: 'failed' }, () => false],
  ['failed', { status: 'failed' }, isFailed],
  [
    'code and verdict',
    { errorCode: 42901, verdict: 'refused', status: 'failed' },
    ({ errorCode }) => errorCode === 42901,
  ],
  ['failed, of a key', { status: 'failed', keyId: 0 }, (call) => isFailed(call) && call.keyId === 0],
  ['failed with a status', { status: 504, verdict: 'failed' }, ({ status }) => status === 504],
];

test.each(WANTED)('%s: every page has its calls, newest first', async (_name, wanted, fits) => {
  for (const accountId of [undefined, ...accounts]) {
    const expected = calls.filter((call) => fits(call) && (accountId ?? call.accountId) === call.accountId);
    expect(await everyPage({ ...wanted, accountId })).toEqual(expected.map(({ callId }) => callId));
  }
});

test('verdict complete and a status of all accounts are found too', async () => {
  const complete = calls.filter(({ verdict }) => verdict === 'complete').map(({ callId }) => callId);
  expect(await everyPage({ verdict: 'complete', status: 'ok' }, { size: 200 })).toEqual(complete);
  const refused = calls.filter(({ status }) => status === 429).map(({ callId }) => callId);
  expect(await everyPage({ status: 429 })).toEqual(refused);
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of the log were read and thrown away. */
function wastedRows(node: PlanNode): number {
  const own = node['Relation Name']?.startsWith('calls') === true ? (node['Rows Removed by Filter'] ?? 0) : 0;
  return (node.Plans ?? []).reduce((sum, each) => sum + wastedRows(each), own);
}

test.each([
  ['a rare code', { errorCode: 50401, status: 'failed' }],
  ['a code that no call has', { errorCode: 40401, status: 'failed' }],
  ['a verdict', { verdict: 'cut-by-gateway', status: 'failed' }],
  ['failed', { status: 'failed' }],
] as const)('%s is found without reading the calls that ended well', async (_name, wanted) => {
  for (const accountId of [undefined, accounts[0]]) {
    let wasted = 0;
    const query: Database['query'] = async (text, values = []) => {
      expect(text).not.toContain('usage_hourly');
      await fresh.database.transaction(async (transaction) => {
        await transaction.query('set local enable_seqscan = off');
        const [row] = await transaction.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
          `explain (analyze, format json) ${text}`,
          values,
        );
        wasted += wastedRows(row?.['QUERY PLAN'][0]?.Plan ?? {});
      });
      return fresh.database.query(text, values);
    };
    await everyPage({ ...wanted, accountId }, { database: { ...fresh.database, query }, size: 30 });
    expect(wasted).toBeLessThan(GOOD / 10);
  }
});
