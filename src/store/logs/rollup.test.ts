import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER, PRICE } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { examine } from '../operations/doctor.ts';

let fresh: FreshDatabase;
let accountId: number;

beforeAll(async () => {
  fresh = await freshDatabase();
});

beforeEach(async () => {
  accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
});

afterAll(() => fresh.drop());

const createLedger = () =>
  createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });

const usage = () =>
  fresh.database.query<Record<string, unknown>>(
    'select * from usage_hourly where account_id = $1 order by hour, model_id, key_id, status, payer',
    [accountId],
  );

describe("an account's hours", () => {
  test('are the sums of its calls, apart by model, key, status, protocol and payer', async () => {
    const amount = { amountMicro: 0n, chargeMicro: 0n };
    await createLedger().settle([
      callOf({ accountId }),
      callOf({ accountId, createdAtMs: NOVEMBER + 3_599_999 }),
      callOf({ accountId, createdAtMs: NOVEMBER + 3_600_000 }),
      callOf({ accountId, payer: 'subscription', chargeMicro: 0n, freeReason: 'covered' }),
      callOf({
        accountId,
        ...amount,
        price: null,
        usage: NO_USAGE,
        payer: 'none',
        status: 429,
        verdict: 'refused',
      }),
      callOf({ accountId, verdict: 'cut-by-client' }),
    ]);
    expect(await usage()).toMatchObject([
      {
        hour: new Date(NOVEMBER),
        status: 200,
        payer: 'credits',
        calls: 3n,
        failed: 0n,
        input_fresh: 3_000n,
        output_text: 1_500n,
        amount_micro: 75_000n,
        credits_micro: 75_000_000n,
        credential: '',
      },
      { status: 200, payer: 'subscription', calls: 1n, amount_micro: 25_000n, credits_micro: 0n },
      { status: 429, payer: 'none', calls: 1n, failed: 1n, amount_micro: 0n },
      { hour: new Date(NOVEMBER + 3_600_000), calls: 1n, credits_micro: 25_000_000n },
    ]);
  });

  test('count the charged amount, not a shortfall', async () => {
    accountId = await accountWith(fresh.database, { creditsMicro: 40_000_000n });
    await createLedger().settle([callOf({ accountId }), callOf({ accountId })]);
    expect(await usage()).toMatchObject([{ calls: 2n, amount_micro: 50_000n, credits_micro: 40_000_000n }]);
  });

  test('separate BYOK calls by the account’s own credential', async () => {
    const byok = { accountId, payer: 'byok', chargeMicro: 0n, freeReason: 'byok' } as const;
    const attempt = { routeId: 1, vendor: 'openai', outcome: 'ok', durationMs: 1 };
    await createLedger().settle([
      callOf({ ...byok, attempts: [{ ...attempt, credential: 'mine' }] }),
      callOf({
        ...byok,
        attempts: [
          { ...attempt, credential: 'mine' },
          { ...attempt, credential: 'spare' },
        ],
      }),
    ]);
    expect((await usage()).map((row) => row.credential).sort()).toEqual(['mine', 'spare']);
  });

  test('accept names that PostgreSQL cannot store, or stores alike', async () => {
    await createLedger().settle([
      callOf({ accountId, modelUsed: 'a\u0000' }),
      callOf({ accountId, modelUsed: 'a\ufffd' }),
      callOf({ accountId, modelUsed: '\ud800' }),
    ]);
    expect((await usage()).map(({ model_id, calls }) => [model_id, calls])).toEqual([
      ['a\ufffd', 2n],
      ['\ufffd', 1n],
    ]);
    expect(await examine(fresh.database)).toEqual([]);
  });
});

describe("a model's hours", () => {
  const modelOf = async (model: string) => {
    const [row] = await fresh.database.query<Record<string, unknown>>(
      `select sum(calls)::bigint calls, sum(failed)::bigint failed, sum(ttft_calls)::bigint ttft_calls,
         sum(ttft_ms)::bigint ttft_ms, sum(speed_calls)::bigint speed_calls,
         sum(speed_tokens)::bigint speed_tokens, sum(speed_ms)::bigint speed_ms
       from model_hourly where model_id = $1`,
      [model],
    );
    return row;
  };

  test('measure complete streams whose tokens the vendor counted', async () => {
    const call = { accountId, modelUsed: 'timed', ttfbMs: 100, durationMs: 600 };
    await createLedger().settle([
      callOf(call),
      callOf({ ...call, estimated: true }),
      callOf({ ...call, verdict: 'cut-by-upstream' }),
      callOf({ ...call, stream: false }),
      callOf({ ...call, durationMs: 100 }),
      callOf({ ...call, ttfbMs: null }),
    ]);
    expect(await modelOf('timed')).toEqual({
      calls: 6n,
      failed: 1n,
      ttft_calls: 4n,
      ttft_ms: 400n,
      speed_calls: 1n,
      speed_tokens: 500n,
      speed_ms: 500n,
    });
  });

  test('contain revenue and cost of each credential of the platform, and no names of users', async () => {
    const vendorRate = { ...PRICE.rates, vendorMicro: 80_000_000n, userMicro: 150_000_000n };
    const price = { prices: PRICE.prices, rates: vendorRate };
    const call = { accountId, modelUsed: 'sold', price };
    const attempt = { routeId: 1, vendor: 'openai', outcome: 'ok', durationMs: 1 };
    const own = {
      ...call,
      amountMicro: 30_000n,
      payer: 'byok',
      chargeMicro: 0n,
      freeReason: 'byok',
    } as const;
    await createLedger().settle([
      callOf({
        ...call,
        amountMicro: 30_000n,
        chargeMicro: 30_000_000n,
        heldMicro: 30_000_000n,
        attempts: [
          { ...attempt, credential: 'first', outcome: '500' },
          { ...attempt, credential: 'second' },
        ],
      }),
      callOf({ ...own, attempts: [{ ...attempt, credential: 'second' }] }),
    ]);
    const rows = await fresh.database.query(
      `select credential, calls, spent_micro, cost_micro from model_hourly where model_id = 'sold' order by 1`,
    );
    // 25 000 micro-yuan at list price; the vendor's rate is a cost, the user's is not.
    expect(rows).toEqual([
      { credential: '', calls: 1n, spent_micro: 0n, cost_micro: 0n },
      { credential: 'second', calls: 1n, spent_micro: 30_000n, cost_micro: 20_000n },
    ]);
  });

  test('do not contain names that never reached a vendor', async () => {
    const refused = { price: null, vendor: null, usage: NO_USAGE, chargeMicro: 0n, amountMicro: 0n } as const;
    await createLedger().settle([
      callOf({ accountId, ...refused, modelUsed: 'made up', verdict: 'refused' }),
    ]);
    expect(await modelOf('made up')).toMatchObject({ calls: null });
    expect(await fresh.database.query("select 1 from model_users_daily where model_id = 'made up'")).toEqual(
      [],
    );
  });

  test('count each user of a day once', async () => {
    const other = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    const model = { modelUsed: 'popular' };
    for (let round = 0; round < 2; round++) {
      await createLedger().settle([
        callOf({ ...model, accountId }),
        callOf({ ...model, accountId: other }),
        callOf({ ...model, accountId, createdAtMs: NOVEMBER + 12 * 3_600_000 }),
      ]);
    }
    const users = await fresh.database.query(
      `select day::text, count(*)::int as users from model_users_daily where model_id = 'popular' group by 1 order by 1`,
    );
    expect(users).toEqual([
      { day: '2026-11-15', users: 2 },
      { day: '2026-11-16', users: 1 },
    ]);
  });

  test('are complete when many nodes settle in any order, without a deadlock', async () => {
    const accounts = await Promise.all(
      Array.from({ length: 6 }, () => accountWith(fresh.database, { creditsMicro: 10n ** 12n })),
    );
    const models = ['busy-1', 'busy-2', 'busy-3', 'busy-4'];
    const batch = (turn: number) => {
      const calls = accounts.flatMap((id) => models.map((modelUsed) => callOf({ accountId: id, modelUsed })));
      return turn % 2 === 0 ? calls : calls.toReversed();
    };
    const ledgers = Array.from({ length: 8 }, createLedger);
    await Promise.all(ledgers.map((ledger, turn) => ledger.settle(batch(turn))));
    for (const model of models) expect(await modelOf(model)).toMatchObject({ calls: 48n });
    expect(await examine(fresh.database)).toEqual([]);
  });
});
