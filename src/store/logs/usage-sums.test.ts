import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { closeAllDays } from '../../../test/support/days.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { dropPartitionsBefore } from './partitions.ts';
import { usageBetween, usageBy, usageSeries } from './usage-sums.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let fresh: FreshDatabase;
let accountId: number;
let calls: readonly CallRecord[];

const createLedger = () =>
  createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });

beforeAll(async () => {
  fresh = await freshDatabase();
  accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const neighbour = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const made = (id: number): readonly CallRecord[] =>
    Array.from({ length: 60 }, (_, at) =>
      callOf({
        accountId: id,
        createdAtMs: NOVEMBER + at * 13 * MINUTE,
        modelUsed: `model-${at % 4}`,
        usage: { ...NO_USAGE, inputFresh: 1000 + at, cacheRead: at, outputText: 400, outputReasoning: 7 },
        ...(at % 6 === 0 && { verdict: 'cut-by-upstream' as const }),
      }),
    );
  calls = made(accountId);
  await createLedger().settle([...calls, ...made(neighbour)]);
});
afterAll(() => fresh.drop());

function sumOf(some: readonly CallRecord[]) {
  const add = (pick: (call: CallRecord) => number): number => some.reduce((sum, call) => sum + pick(call), 0);
  return {
    calls: some.length,
    failed: add(({ verdict }) => (verdict === 'complete' ? 0 : 1)),
    inputTokens: add(({ usage }) => usage.inputFresh + usage.cacheRead),
    outputTokens: add(({ usage }) => usage.outputText + usage.outputReasoning),
    cacheReadTokens: add(({ usage }) => usage.cacheRead),
    reasoningTokens: add(({ usage }) => usage.outputReasoning),
    amountMicro: some.reduce((sum, call) => sum + call.amountMicro, 0n),
    creditsMicro: some.reduce((sum, call) => sum + call.chargeMicro, 0n),
  };
}

const within = (fromMs: number, toMs: number): readonly CallRecord[] =>
  calls.filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < toMs);

describe('usage between edges', () => {
  test.each([
    ['whole hours', [NOVEMBER + 2 * HOUR, NOVEMBER + 5 * HOUR]],
    ['half hours, as days of India have them', [NOVEMBER + 90 * MINUTE, NOVEMBER + 270 * MINUTE]],
    ['two edges in one hour', [NOVEMBER + 65 * MINUTE, NOVEMBER + 100 * MINUTE]],
  ])('is exact at %s', async (_name, edges) => {
    const found = await usageBetween(fresh.database, accountId, { range: {}, edges });
    const [first = 0, second = 0] = edges;
    expect(found).toMatchObject([
      sumOf(within(0, first)),
      sumOf(within(first, second)),
      sumOf(within(second, Infinity)),
    ]);
  });

  test('counts nothing outside its range, wherever the range begins and ends', async () => {
    const range = { fromMs: NOVEMBER + 20 * MINUTE, toMs: NOVEMBER + 200 * MINUTE };
    const edges = [NOVEMBER, NOVEMBER + HOUR, NOVEMBER + 2 * HOUR];
    const [before, ...found] = await usageBetween(fresh.database, accountId, { range, edges });
    expect(before?.calls).toBe(0);
    expect(found).toMatchObject([
      sumOf(within(range.fromMs, NOVEMBER + HOUR)),
      sumOf(within(NOVEMBER + HOUR, NOVEMBER + 2 * HOUR)),
      sumOf(within(NOVEMBER + 2 * HOUR, range.toMs)),
    ]);
  });
});

describe('usage where the log was dropped', () => {
  const MIDNIGHT = Date.UTC(2026, 8, 10, 18, 30);
  const edges = [MIDNIGHT, MIDNIGHT + 24 * HOUR];
  const range = { fromMs: MIDNIGHT, toMs: MIDNIGHT + 48 * HOUR };
  let old: number;

  beforeAll(async () => {
    old = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    await createLedger().settle(
      Array.from({ length: 240 }, (_, at) =>
        callOf({ accountId: old, createdAtMs: Date.UTC(2026, 8, 9) + at * 30 * MINUTE }),
      ),
    );
    await dropPartitionsBefore(fresh.database, '2026-10');
  });

  test.each(['hours', 'days'])('loses no call of a day of India, from %s', async (from) => {
    if (from === 'days') await closeAllDays(fresh.database, 'Asia/Kolkata', NOVEMBER);
    const found = await usageBetween(fresh.database, old, { range, edges });
    expect(found.map(({ calls: count }) => count)).toEqual([0, 48, 48]);
    const all = await usageBetween(fresh.database, old, { range: {}, edges });
    expect(all.reduce((sum, { calls: count }) => sum + count, 0)).toBe(240);
  });

  test('has ranges within an hour that share nothing and lose nothing, model by model', async () => {
    const ranges = [{ toMs: MIDNIGHT }, range, { fromMs: range.toMs }];
    const found = await Promise.all(
      ranges.map((each) => usageBy(fresh.database, old, { by: 'model', range: each, most: 200 })),
    );
    expect(found.flat().reduce((sum, { calls: count }) => sum + count, 0)).toBe(240);
  });

  test('counts a later call with its hour, once', async () => {
    await createLedger().settle([callOf({ accountId: old, createdAtMs: MIDNIGHT + 24 * HOUR + MINUTE })]);
    const found = await usageBetween(fresh.database, old, { range, edges });
    expect(found.map(({ calls: count }) => count)).toEqual([0, 49, 48]);
  });
});

test('usage of models has the largest amount first', async () => {
  const range = { fromMs: NOVEMBER + 20 * MINUTE };
  const found = await usageBy(fresh.database, accountId, { by: 'model', range, most: 200 });
  expect(found).toHaveLength(4);
  for (const each of found) {
    const own = within(range.fromMs, Infinity).filter(({ modelUsed }) => modelUsed === each.group);
    expect(each).toMatchObject(sumOf(own));
  }
  const amounts = found.map(({ amountMicro }) => amountMicro);
  expect(amounts).toEqual(amounts.toSorted((one, other) => (one > other ? -1 : 1)));
});

describe('filtered and grouped usage is the sum of the matching calls', () => {
  const DAY = 24 * HOUR;
  const BEGIN = Date.UTC(2026, 9, 20, 0, 10);
  const KEYS = [11, 12, 13];
  const PROTOCOLS = ['chat', 'messages', 'images'] as const;
  let own: number;
  let made: readonly CallRecord[];

  beforeAll(async () => {
    own = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    made = Array.from({ length: 150 }, (_, at) => {
      const payer = (['credits', 'subscription', 'credits', 'none'] as const)[at % 4] ?? 'credits';
      return callOf({
        accountId: own,
        createdAtMs: BEGIN + at * 47 * MINUTE,
        modelUsed: `model-${at % 5}`,
        keyId: KEYS[at % 3] ?? 0,
        protocolIn: PROTOCOLS[at % 3] ?? 'chat',
        stream: at % 2 === 0,
        ttfbMs: at % 7 === 0 ? null : 100 + at,
        payer,
        ...(payer !== 'credits' && { chargeMicro: 0n }),
        ...(payer === 'none' && { price: null, amountMicro: 0n, status: 429, verdict: 'refused' as const }),
      });
    });
    await createLedger().settle(made);
  });

  const FILTERS = [
    {},
    { models: ['model-1', 'model-2'] },
    { keyId: 12 },
    { protocol: 'messages' },
    { payer: 'subscription' },
    { status: 429 },
    { models: ['model-2'], keyId: 13, payer: 'credits', status: 200 },
    { models: ['nobody’s'] },
  ] as const;
  const RANGES = [{}, { fromMs: BEGIN + 5 * HOUR + 1, toMs: BEGIN + 3 * DAY + 77_777 }];

  interface Narrow {
    readonly fromMs?: number;
    readonly toMs?: number;
    readonly models?: readonly string[];
    readonly keyId?: number;
    readonly protocol?: string;
    readonly payer?: string;
    readonly status?: number;
  }

  const fitting = (filter: Narrow): readonly CallRecord[] =>
    made.filter(
      (call) =>
        call.createdAtMs >= (filter.fromMs ?? 0) &&
        call.createdAtMs < (filter.toMs ?? Infinity) &&
        (filter.models ?? [call.modelUsed]).includes(call.modelUsed) &&
        (filter.keyId ?? call.keyId) === call.keyId &&
        (filter.protocol ?? call.protocolIn) === call.protocolIn &&
        (filter.payer ?? call.payer) === call.payer &&
        (filter.status ?? call.status) === call.status,
    );

  const truth = (some: readonly CallRecord[]) => {
    const timed = some.filter(({ stream, ttfbMs }) => stream && ttfbMs !== null);
    return {
      ...sumOf(some),
      ttftCalls: timed.length,
      ttftMs: timed.reduce((sum, { ttfbMs }) => sum + (ttfbMs ?? 0), 0),
    };
  };

  const NAME_OF = {
    model: ({ modelUsed }: CallRecord) => modelUsed,
    key: ({ keyId }: CallRecord) => String(keyId),
    protocol: ({ protocolIn }: CallRecord) => protocolIn,
    payer: ({ payer }: CallRecord) => payer,
  };
  const GROUPS = ['model', 'key', 'protocol', 'payer'] as const;

  test.each(['hours', 'days'])('from %s', async (from) => {
    if (from === 'days') await closeAllDays(fresh.database, 'Asia/Kolkata', BEGIN + 3 * DAY);
    for (const range of FILTERS.flatMap((filter) => RANGES.map((each) => ({ ...each, ...filter })))) {
      const some = fitting(range);
      const [all] = await usageBetween(fresh.database, own, { range, edges: [BEGIN + 100 * DAY] });
      expect(all, JSON.stringify(range)).toMatchObject(truth(some));
      for (const by of GROUPS) {
        const found = await usageBy(fresh.database, own, { by, range, most: 200 });
        const wanted = Map.groupBy(some, NAME_OF[by]);
        expect(new Set(found.map(({ group }) => group))).toEqual(new Set(wanted.keys()));
        for (const each of found) expect(each).toMatchObject(truth(wanted.get(each.group) ?? []));
      }
    }
  });

  test.each(GROUPS)('the largest by %s have a series each, and all others share one', async (by) => {
    const edges = Array.from({ length: 5 }, (_, day) => BEGIN + day * DAY);
    const range = { fromMs: BEGIN, toMs: BEGIN + 5 * DAY };
    const largest = await usageBy(fresh.database, own, { by, range, most: 2 });
    const names = largest.map(({ group }) => group);
    const found = await usageSeries(fresh.database, own, { by, range, edges, names });
    const wanted = Map.groupBy(fitting(range), NAME_OF[by]);
    expect(found).toHaveLength(wanted.size > 2 ? 3 : wanted.size);
    const named = new Set(found.map(({ group }) => group));
    for (const { group, points } of found) {
      const some =
        group === undefined
          ? fitting(range).filter((call) => !named.has(NAME_OF[by](call)))
          : (wanted.get(group) ?? []);
      expect(points).toMatchObject([
        truth([]),
        ...edges.map((edge) =>
          truth(some.filter(({ createdAtMs }) => createdAtMs >= edge && createdAtMs < edge + DAY)),
        ),
      ]);
    }
  });
});
