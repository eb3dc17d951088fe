import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { SETTLE_BATCH_MAX } from '../../bounds.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import type { LogFilter } from '../../ledger/log.ts';
import { EXPORT_ROWS_AT_ONCE } from '../../operations/bounds.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { pageOfBalanceLog, wholeBalanceLog } from './balance-log.ts';
import { inPieces, pageOfLog, wholeLog } from './log-pages.ts';
import { dropPartitionsBefore } from './partitions.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const REFUSED: Partial<CallRecord> = {
  ...{ price: null, vendor: null, usage: NO_USAGE, amountMicro: 0n, chargeMicro: 0n },
  ...{ payer: 'none' as const, verdict: 'refused' as const, status: 429 },
};

let fresh: FreshDatabase;
let accountId: number;
let calls: readonly CallRecord[];

const createLedger = () =>
  createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });

/** Twenty days of calls, several in some hours and milliseconds, none in others; a neighbour has as many. */
beforeAll(async () => {
  fresh = await freshDatabase();
  accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const neighbour = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const made = (id: number): readonly CallRecord[] =>
    Array.from({ length: 120 }, (_, at) =>
      callOf({
        accountId: id,
        createdAtMs: NOVEMBER - Math.floor(at / 3) * 12 * HOUR - (at % 4) * 17 * MINUTE,
        keyId: 1 + (at % 2),
        modelUsed: `model-${at % 3}`,
        protocolIn: at % 5 === 0 ? 'messages' : 'chat',
        ...(at % 7 === 0 && REFUSED),
        ...(at % 11 === 0 && at % 7 !== 0 && { verdict: 'cut-by-upstream' as const }),
      }),
    );
  calls = made(accountId);
  await createLedger().settle([...calls, ...made(neighbour)]);
});
afterAll(() => fresh.drop());

const fits = (call: CallRecord, filter: LogFilter): boolean => {
  const isOk = call.verdict === 'complete' || call.verdict === 'cut-by-client';
  const { status } = filter;
  return (
    call.createdAtMs >= (filter.fromMs ?? 0) &&
    call.createdAtMs < (filter.toMs ?? Infinity) &&
    (filter.models ?? [call.modelUsed]).includes(call.modelUsed) &&
    (filter.keyId ?? call.keyId) === call.keyId &&
    (filter.protocol ?? call.protocolIn) === call.protocolIn &&
    (status === undefined ||
      (typeof status === 'number' ? call.status === status : isOk === (status === 'ok')))
  );
};

const FILTERS: readonly LogFilter[] = [
  {},
  { models: ['model-1'] },
  { keyId: 2, protocol: 'messages' },
  { status: 429 },
  { status: 'ok' },
  { status: 'failed', models: ['model-2', 'model-3'] },
  { fromMs: NOVEMBER - 9 * 24 * HOUR, toMs: NOVEMBER - 2 * 24 * HOUR },
  // Both ends in the middle of an hour, and of the same hour.
  { fromMs: NOVEMBER - 9 * 24 * HOUR - 20 * MINUTE, toMs: NOVEMBER - 33 * MINUTE, keyId: 1 },
  { fromMs: NOVEMBER - 51 * MINUTE, toMs: NOVEMBER - 17 * MINUTE },
  { models: ['nobody asked for this'] },
  { models: ['nul \0 and half \ud800'] },
  { fromMs: NOVEMBER + HOUR },
];

describe.each(FILTERS)('with the filter %o', (filter) => {
  test.each([1, 7, 100])('pages of %i calls are the log from the newest to the oldest', async (size) => {
    const expected = calls.filter((call) => fits(call, filter));
    const seen: string[] = [];
    let lastMs = Infinity;
    for (let skip = 0; skip <= expected.length; skip += size) {
      const { items, total } = await pageOfLog(fresh.database, 'calls', {
        ...{ accountId, filter, place: { skip, size } },
      });
      expect(total).toBe(expected.length);
      for (const item of items) {
        expect(item.createdAtMs).toBeLessThanOrEqual(lastMs);
        lastMs = item.createdAtMs;
        seen.push(item.callId);
      }
      if (size === 1 && skip > 10) return;
    }
    expect(seen.toSorted()).toEqual(expected.map(({ callId }) => callId).toSorted());
  });

  test('an export of the whole log has every row once', async () => {
    const seen: string[] = [];
    for await (const items of wholeLog(fresh.database, 'calls', { accountId, filter })) {
      seen.push(...items.map(({ callId }) => callId));
    }
    const expected = calls.filter((call) => fits(call, filter)).map(({ callId }) => callId);
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });
});

test('pages of the consumption log contain the calls that reached a vendor, each with its receipt', async () => {
  for (const filter of FILTERS.filter(({ status }) => typeof status !== 'string')) {
    const expected = calls.filter((call) => call.price !== null && fits(call, filter));
    const seen: string[] = [];
    for (let skip = 0; skip <= expected.length; skip += 40) {
      const question = { accountId, filter, place: { skip, size: 40 } };
      const { items, total } = await pageOfLog(fresh.database, 'consumptions', question);
      expect(total).toBe(expected.length);
      for (const { callId, receipt } of items) {
        expect(receipt.call_id).toBe(callId);
        seen.push(callId);
      }
    }
    expect(seen.toSorted()).toEqual(expected.map(({ callId }) => callId).toSorted());
  }
});

test('a page behind the last one is empty and has the total', async () => {
  const question = { accountId, filter: {}, place: { skip: 10 ** 9, size: 20 } };
  expect(await pageOfLog(fresh.database, 'calls', question)).toEqual({ items: [], total: calls.length });
});

describe('the balance log', () => {
  test('is the chain of entries from the newest on, at any page', async () => {
    const whole: bigint[] = [];
    for (let skip = 0; ; skip += 30) {
      const { items, total } = await pageOfBalanceLog(fresh.database, accountId, {
        ...{ range: {}, place: { skip, size: 30 } },
      });
      whole.push(...items.map(({ afterMicro }) => afterMicro));
      if (items.length > 0) continue;
      expect(total).toBe(whole.length);
      break;
    }
    expect(whole.at(-1)).toBe(10n ** 12n);
    expect(whole).toEqual(whole.toSorted((one, other) => (one < other ? -1 : 1)));
  });

  test('can be limited to a time range', async () => {
    const own = await accountWith(fresh.database, { creditsMicro: 1n, balanceMicro: 1n });
    const at = (day: number): number => Date.UTC(2026, 5, day);
    await fresh.database.query(
      `insert into ledger_entries (transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref, created_at)
       select 0, $1, 2 + i, 'grant', 'credits', 1, 1 + i, 'day ' || i, '2026-06-01'::timestamptz + i * interval '1 day'
       from generate_series(1, 20) as i`,
      [own],
    );
    // Times go up with the numbers; these are from before the account's opening, so that one is moved.
    await fresh.database.query('alter table ledger_entries disable trigger ledger_entries_are_final');
    await fresh.database.query(
      "update ledger_entries set created_at = '2026-01-01' where account_id = $1 and seq < 3",
      [own],
    );
    await fresh.database.query('alter table ledger_entries enable trigger ledger_entries_are_final');
    await fresh.database.query('update accounts set last_seq = 22 where id = $1', [own]);
    const refsOf = async (fromMs?: number, toMs?: number) => {
      const range = { fromMs, toMs };
      const place = { skip: 0, size: 100 };
      const { items, total } = await pageOfBalanceLog(fresh.database, own, { range, place });
      expect(total).toBe(items.length);
      const exported: string[] = [];
      for await (const piece of wholeBalanceLog(fresh.database, own, { range })) {
        exported.push(...piece.map(({ ref }) => ref));
      }
      expect(exported).toEqual(items.map(({ ref }) => ref));
      return exported;
    };
    expect(await refsOf(at(20))).toEqual(['day 20', 'day 19']);
    expect(await refsOf(at(5), at(8))).toEqual(['day 6', 'day 5', 'day 4']);
    expect(await refsOf(undefined, at(2))).toEqual(['opening', 'opening']);
    expect(await refsOf(at(2), at(2) + 1)).toEqual(['day 1']);
    expect(await refsOf(at(28), at(29))).toEqual([]);
  });

  test('of one pool has the same pages as the whole log without the other', async () => {
    const own = await accountWith(fresh.database, { creditsMicro: 1n, balanceMicro: 1n });
    // Entries of balance alone, in a row, at both ends and among those of Credits.
    const pools = 'ccbccbbbcccccbccccccbb'.split('').map((pool) => (pool === 'b' ? 'balance' : 'credits'));
    await fresh.database.query(
      `insert into ledger_entries (transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref)
       select 0, $1, 2 + place, 'grant', pool, 1, 1, pool || place
       from unnest($2::text[]) with ordinality as made(pool, place)`,
      [own, pools],
    );
    await fresh.database.query('update accounts set last_seq = 2 + $2 where id = $1', [own, pools.length]);
    const place = { skip: 0, size: 100 };
    const { items: whole } = await pageOfBalanceLog(fresh.database, own, { range: {}, place });
    for (const pool of ['balance', 'credits'] as const) {
      const wanted = whole.filter((item) => item.pool === pool);
      for (let skip = 0; skip <= wanted.length; skip++) {
        const question = { range: {}, pool, place: { skip, size: 3 } };
        const page = await pageOfBalanceLog(fresh.database, own, question);
        expect(page).toEqual({ items: wanted.slice(skip, skip + 3), total: wanted.length });
      }
      const exported: unknown[] = [];
      for await (const piece of wholeBalanceLog(fresh.database, own, { range: {}, pool })) {
        exported.push(...piece);
      }
      expect(exported).toEqual(wanted);
    }
  });
});

test('an hour with more calls than one read is exported whole, with a busy millisecond in it', async () => {
  const busy = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const made = Array.from({ length: 3 * EXPORT_ROWS_AT_ONCE + 77 }, (_, at) => {
    const isBusy = at >= 400 && at < 400 + 1.5 * EXPORT_ROWS_AT_ONCE;
    return callOf({ accountId: busy, createdAtMs: NOVEMBER + (isBusy ? 500 : at) });
  });
  const ledger = createLedger();
  for (let at = 0; at < made.length; at += SETTLE_BATCH_MAX) {
    await ledger.settle(made.slice(at, at + SETTLE_BATCH_MAX));
  }
  const seen: string[] = [];
  for await (const items of wholeLog(fresh.database, 'calls', { accountId: busy, filter: {} })) {
    expect(items.length).toBeLessThanOrEqual(EXPORT_ROWS_AT_ONCE);
    seen.push(...items.map(({ callId }) => callId));
  }
  expect(seen.toSorted()).toEqual(made.map(({ callId }) => callId).toSorted());
});

test('a read is bounded, and a large hour is read alone', () => {
  const range = (rows: number) => ({ from: new Date(0), to: new Date(1), before: 0, rows });
  const sizes = (rows: readonly number[]) =>
    inPieces(rows.map(range)).map((piece) => piece.map((each) => each.rows));
  expect(sizes([400, 400, 400, 5000, 1, 999])).toEqual([[400, 400], [400], [5000], [1, 999]]);
  expect(sizes([])).toEqual([]);
});

test('dropped logs are in no total, nor is a call that came after its month was dropped', async () => {
  await dropPartitionsBefore(fresh.database, '2026-11');
  const kept = calls.filter(({ createdAtMs }) => createdAtMs >= Date.UTC(2026, 10));
  expect(kept.length).toBeLessThan(calls.length);
  const late = callOf({ accountId, createdAtMs: Date.UTC(2026, 9, 30, 12, 50) });
  await createLedger().settle([late]);
  // Of the second range the hour of the late call is cut.
  for (const filter of [{}, { fromMs: late.createdAtMs - MINUTE }]) {
    const question = { accountId, filter, place: { skip: 0, size: 100 } };
    const { items, total } = await pageOfLog(fresh.database, 'calls', question);
    expect([items.length, total]).toEqual([Math.min(100, kept.length), kept.length]);
  }
});
