import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { CallRecord, LedgerStore } from '../../ledger/contract.ts';
import { updateAccount } from '../accounts/accounts.ts';
import { dropPartitionsBefore } from '../logs/partitions.ts';
import { createLedgerStore } from './ledger.ts';

let fresh: FreshDatabase;
let ledger: LedgerStore;

beforeAll(async () => {
  fresh = await freshDatabase();
  ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('Asia/Shanghai'),
  });
});

afterAll(() => fresh.drop());

const settleOne = async (call: CallRecord) => (await ledger.settle([call]))[0]?.funds;

const readEntries = (accountId: number) =>
  fresh.database.query(
    `select seq, kind, pool, change_micro, after_micro, ref from ledger_entries where account_id = $1 order by seq`,
    [accountId],
  );

const findConsumption = async (call: CallRecord) => {
  const rows = await fresh.database.query<Record<string, unknown>>(
    `select amount_micro, spent_micro, credits_micro, shortfall_micro, month, short from consumptions
     where call_id = $1`,
    [call.callId],
  );
  return rows[0];
};

describe('a charge', () => {
  test('is taken from Credits and leaves call log, consumption log and ledger entry', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = callOf({ accountId });
    expect(call.chargeMicro).toBe(25_000_000n);
    expect(await settleOne(call)).toEqual({
      version: 2,
      creditsMicro: 75_000_000n,
      balanceMicro: 0n,
      monthSpentMicro: 25_000n,
      month: '2026-11',
    });
    expect(await readEntries(accountId)).toMatchObject([
      { seq: 1n, kind: 'top_up', pool: 'credits', change_micro: 100_000_000n, after_micro: 100_000_000n },
      {
        seq: 2n,
        kind: 'consumption',
        change_micro: -25_000_000n,
        after_micro: 75_000_000n,
        ref: call.callId,
      },
    ]);
    expect(await findConsumption(call)).toEqual({
      amount_micro: 25_000n,
      spent_micro: 25_000n,
      credits_micro: 25_000_000n,
      shortfall_micro: 0n,
      month: '2026-11',
      short: null,
    });
    const [logged] = await fresh.database.query<Record<string, unknown>>(
      'select * from calls where call_id = $1',
      [call.callId],
    );
    expect(logged).toMatchObject({
      account_id: BigInt(accountId),
      created_at: new Date(NOVEMBER),
      model_asked: 'gpt-5',
      protocol_in: 'chat',
      protocol_out: 'responses',
      input_fresh: 1000n,
      output_text: 500n,
      amount_micro: 25_000n,
      charge_micro: 25_000_000n,
      price: { prices: { inputMicro: '10000000' }, rates: { userMicro: '100000000' } },
      attempts: call.attempts,
      verdict: 'complete',
    });
  });

  test('with auto-exchange on moves exactly what is missing from balance, rounded up to a micro-yuan', async () => {
    const accountId = await accountWith(fresh.database, {
      creditsMicro: 4_999_500n,
      balanceMicro: 1_000_000n,
      autoExchange: true,
    });
    const call = callOf({ accountId });
    const funds = await settleOne(call);
    // 20,000,500 micro-Credits are missing: 20,001 micro-yuan buy 20,001,000, and 500 stay.
    expect(funds).toMatchObject({ creditsMicro: 500n, balanceMicro: 979_999n, monthSpentMicro: 25_000n });
    expect((await readEntries(accountId)).slice(2)).toMatchObject([
      { kind: 'exchange', pool: 'balance', change_micro: -20_001n, after_micro: 979_999n },
      { kind: 'exchange', pool: 'credits', change_micro: 20_001_000n, after_micro: 25_000_500n },
      { kind: 'consumption', pool: 'credits', change_micro: -25_000_000n, after_micro: 500n },
    ]);
  });

  test('with auto-exchange off does not use the balance and records the shortfall', async () => {
    const accountId = await accountWith(fresh.database, {
      creditsMicro: 10_000_000n,
      balanceMicro: 5_000_000n,
    });
    const call = callOf({ accountId });
    expect(await settleOne(call)).toMatchObject({
      creditsMicro: 0n,
      balanceMicro: 5_000_000n,
      monthSpentMicro: 10_000n,
    });
    expect(await findConsumption(call)).toMatchObject({
      amount_micro: 25_000n,
      spent_micro: 10_000n,
      credits_micro: 10_000_000n,
      shortfall_micro: 15_000_000n,
    });
  });

  test('takes everything when balance is short too, and never goes below zero', async () => {
    const accountId = await accountWith(fresh.database, {
      creditsMicro: 1_000_000n,
      balanceMicro: 3_000n,
      autoExchange: true,
    });
    const calls = [callOf({ accountId }), callOf({ accountId })];
    const [settled] = await ledger.settle(calls);
    expect(settled?.funds).toMatchObject({ creditsMicro: 0n, balanceMicro: 0n, monthSpentMicro: 4_000n });
    const [first, second] = await Promise.all(calls.map(findConsumption));
    expect(first).toMatchObject({ credits_micro: 4_000_000n, shortfall_micro: 21_000_000n });
    expect(second).toMatchObject({ credits_micro: 0n, shortfall_micro: 25_000_000n, spent_micro: 0n });
  });

  test('above the hold is taken too, as far as the account can pay; a shortfall has its reason', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 40_000_000n });
    const expected = { inputTokens: 1_000, outputTokens: 100, images: 0 };
    const [first, second] = [1, 2].map(() => callOf({ accountId, heldMicro: 5_000_000n, expected }));
    const [settled] = await ledger.settle([first, second].filter((call) => call !== undefined));
    expect(settled?.funds.creditsMicro).toBe(0n);
    const rows = await Promise.all([first, second].map((call) => call && findConsumption(call)));
    expect(rows).toMatchObject([
      { credits_micro: 25_000_000n, shortfall_micro: 0n, short: null },
      {
        credits_micro: 15_000_000n,
        shortfall_micro: 10_000_000n,
        spent_micro: 15_000n,
        short: { of: 'credits', capMicro: null, seq: '3', expected },
      },
    ]);
  });

  test('exceeds no monthly cap, and the highest cap of the month is stored', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    const capMicro = 30_000n;
    await updateAccount(fresh.database, accountId, { extraApiQuotaMicro: capMicro });
    const [first, second] = [1, 2].map(() => callOf({ accountId, heldMicro: 15_000_000n, capMicro }));
    const [settled] = await ledger.settle([first, second].filter((call) => call !== undefined));
    expect(settled?.funds).toMatchObject({ monthSpentMicro: capMicro });
    expect(second && (await findConsumption(second))).toMatchObject({
      credits_micro: 5_000_000n,
      shortfall_micro: 20_000_000n,
      short: { of: 'cap', capMicro: '30000', seq: '3' },
    });
    const [row] = await fresh.database.query('select month_cap_micro from accounts where id = $1', [
      accountId,
    ]);
    expect(row).toEqual({ month_cap_micro: capMicro });
  });

  test('may be taken from the balance although auto-exchange was switched off while it ran', async () => {
    const accountId = await accountWith(fresh.database, { balanceMicro: 100_000n, autoExchange: true });
    const running = callOf({ accountId, createdAtMs: Date.now() - 60_000 });
    await updateAccount(fresh.database, accountId, { autoExchange: false });
    await ledger.settle([running]);
    expect(await findConsumption(running)).toMatchObject({ shortfall_micro: 0n });
    const later = callOf({ accountId, createdAtMs: Date.now() + 60_000 });
    await ledger.settle([later]);
    expect(await findConsumption(later)).toMatchObject({ credits_micro: 0n, shortfall_micro: 25_000_000n });
  });

  test('counts in the month of the call in the configured time zone; a late call does not count in a newer month', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 1_000_000_000n });
    const beforeMidnight = Date.UTC(2026, 9, 31, 15, 59, 59);
    const afterMidnight = Date.UTC(2026, 9, 31, 16);
    expect(await settleOne(callOf({ accountId, createdAtMs: beforeMidnight }))).toMatchObject({
      month: '2026-10',
      monthSpentMicro: 25_000n,
    });
    expect(await settleOne(callOf({ accountId, createdAtMs: afterMidnight }))).toMatchObject({
      month: '2026-11',
      monthSpentMicro: 25_000n,
    });
    expect(await settleOne(callOf({ accountId, createdAtMs: beforeMidnight }))).toMatchObject({
      month: '2026-11',
      monthSpentMicro: 25_000n,
      creditsMicro: 925_000_000n,
    });
  });

  test('is taken at the factor of its own time, although the setting is another now', async () => {
    const accountId = await accountWith(fresh.database, { balanceMicro: 1_000_000n });
    const call = callOf({
      accountId,
      month: '2026-11',
      mayExchange: true,
      creditsPerYuan: 500,
      amountMicro: 20_000n,
      chargeMicro: 10_000_000n,
    });
    expect(await settleOne(call)).toMatchObject({ creditsMicro: 0n, balanceMicro: 980_000n });
    expect(await findConsumption(call)).toMatchObject({ spent_micro: 20_000n, credits_micro: 10_000_000n });
  });

  test('counts in the month of its hold, whenever it began', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 1_000_000_000n });
    const october = { accountId, createdAtMs: Date.UTC(2026, 9, 20) };
    expect(await settleOne(callOf({ ...october, month: '2026-11' }))).toMatchObject({
      month: '2026-11',
      monthSpentMicro: 25_000n,
    });
    const late = callOf({ ...october, month: '2026-11' });
    expect(await settleOne(late)).toMatchObject({ month: '2026-11', monthSpentMicro: 50_000n });
    expect(await findConsumption(late)).toMatchObject({ month: '2026-11' });
  });
});

describe('a call', () => {
  test('that is free is logged and changes no money', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 5_000_000n });
    const free = { chargeMicro: 0n, amountMicro: 25_000n } as const;
    const calls = [
      callOf({ accountId, ...free, payer: 'byok', freeReason: 'byok' }),
      callOf({ accountId, ...free, payer: 'subscription', freeReason: 'covered' }),
      callOf({
        accountId,
        payer: 'none',
        verdict: 'failed',
        price: null,
        usage: NO_USAGE,
        routeId: null,
        protocolOut: null,
      }),
    ];
    const [settled] = await ledger.settle(calls);
    expect(settled?.funds).toMatchObject({ version: 1, creditsMicro: 5_000_000n, monthSpentMicro: 0n });
    const logged = await fresh.database.query('select payer from calls where account_id = $1', [accountId]);
    expect(logged).toHaveLength(3);
    expect(await readEntries(accountId)).toHaveLength(1);
    // Who reached a vendor has a row in the consumption log too, over nothing.
    const nothing = { amount_micro: 25_000n, spent_micro: 0n, credits_micro: 0n, shortfall_micro: 0n };
    const [byok, covered, failed] = await Promise.all(calls.map(findConsumption));
    expect([byok, covered]).toMatchObject([nothing, nothing]);
    expect(failed).toBeUndefined();
  });

  test('settled again, alone or twice in a batch, changes nothing', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = callOf({ accountId });
    await ledger.settle([call, call]);
    const again = await ledger.settle([call, callOf({ accountId, chargeMicro: 0n }), call]);
    expect(again).toMatchObject([{ accountId, funds: { version: 2, creditsMicro: 75_000_000n } }]);
    expect(await readEntries(accountId)).toHaveLength(2);
  });

  test('is logged with its own price, whichever other prices its batch has, and without one when it has none', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 1_000_000_000n });
    const cheap = callOf({ accountId });
    assert(cheap.price !== null, 'a charged call has a price');
    const prices = { ...cheap.price.prices, imageMicro: 7n };
    const dear = callOf({ accountId, price: { ...cheap.price, prices } });
    const refused = callOf({ accountId, usage: NO_USAGE, price: null, payer: 'none', verdict: 'refused' });
    const again = callOf({ accountId, price: cheap.price });
    const batch = [cheap, refused, dear, again];
    await ledger.settle(batch);
    const rows = await fresh.database.query<{ call_id: string; image: string | null }>(
      `select call_id, price #>> '{prices,imageMicro}' as image from calls where account_id = $1`,
      [accountId],
    );
    const images = new Map(rows.map((row) => [row.call_id, row.image]));
    const cheapImage = String(cheap.price.prices.imageMicro);
    expect(batch.map((call) => images.get(call.callId))).toEqual([cheapImage, null, '7', cheapImage]);
  });

  test('whose texts PostgreSQL cannot store is logged with a mark in their place', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = callOf({ accountId, modelAsked: 'a\0b\ud800c', droppedFields: ['x\0', '\\u0000'] });
    await ledger.settle([call]);
    const rows = await fresh.database.query(
      'select model_asked, dropped_fields from calls where call_id = $1',
      [call.callId],
    );
    expect(rows).toEqual([{ model_asked: 'a\ufffdb\ufffdc', dropped_fields: ['x\ufffd', '\\u0000'] }]);
  });

  test('of an unknown account is refused by name, and nothing of its batch is written', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const stray = callOf({ accountId: 987_654 });
    await expect(ledger.settle([callOf({ accountId }), stray])).rejects.toThrow('987654');
    expect(await readEntries(accountId)).toHaveLength(1);
  });

  test('of a month whose log was dropped is known to the ledger, or free', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const old = { accountId, createdAtMs: Date.UTC(2025, 5, 15) };
    const calls = [
      callOf(old),
      callOf({ ...old, chargeMicro: 0n, payer: 'subscription', freeReason: 'covered' }),
    ];
    await ledger.settle(calls);
    expect(await dropPartitionsBefore(fresh.database, '2025-07')).toEqual([
      'calls_2025_06',
      'consumptions_2025_06',
    ]);
    const [again] = await ledger.settle(calls);
    expect(again?.funds).toMatchObject({ creditsMicro: 75_000_000n });
    expect(await readEntries(accountId)).toHaveLength(2);
    expect(await findConsumption(calls[0] as CallRecord)).toBeUndefined();
  });

  test('that comes after its month was dropped is charged once', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const old = { accountId, createdAtMs: Date.UTC(2025, 3, 15) };
    await ledger.settle([callOf(old)]);
    await dropPartitionsBefore(fresh.database, '2025-07');
    const late = callOf(old);
    // Its ledger still believes that the month is there; the next try makes it.
    await expect(ledger.settle([late])).rejects.toThrow(StoreUnavailable);
    for (const funds of [await settleOne(late), await settleOne(late)]) {
      expect(funds).toMatchObject({ creditsMicro: 50_000_000n });
    }
    expect(await findConsumption(late)).toMatchObject({ credits_micro: 25_000_000n });
    expect(await dropPartitionsBefore(fresh.database, '2025-07')).toContain('calls_2025_04');
    expect(await settleOne(late)).toMatchObject({ creditsMicro: 50_000_000n });
    expect(await readEntries(accountId)).toHaveLength(3);
  });
});

describe('the ledger', () => {
  test('refuses to change or delete an entry', async () => {
    await accountWith(fresh.database, { creditsMicro: 1n });
    for (const statement of [
      'update ledger_entries set change_micro = 2',
      'delete from ledger_entries',
      'truncate ledger_entries',
    ]) {
      await expect(fresh.database.query(statement)).rejects.toThrow('never changed or deleted');
    }
  });

  test('sums to zero in every transaction, for each kind and pool', async () => {
    const sums = await fresh.database.query<{ sum: bigint }>(
      'select sum(change_micro)::bigint as sum from ledger_entries group by transaction_id, kind, pool',
    );
    expect(sums.length).toBeGreaterThan(10);
    expect(new Set(sums.map((row) => row.sum))).toEqual(new Set([0n]));
  });
});

test('a database without the tables of this version is away: no call is blamed or given up', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
  const call = callOf({ accountId });
  await fresh.database.query('alter table usage_hourly rename to usage_hourly_gone');
  try {
    await expect(ledger.settle([call])).rejects.toThrow(StoreUnavailable);
  } finally {
    await fresh.database.query('alter table usage_hourly_gone rename to usage_hourly');
  }
  expect(await settleOne(call)).toMatchObject({ creditsMicro: 75_000_000n });
});
