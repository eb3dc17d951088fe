import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import type { CallRecord, LedgerStore } from '../../ledger/contract.ts';
import { listCauses } from '../../ledger/shortfall.ts';
import { updateAccount } from '../accounts/accounts.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { postMovement } from '../ledger/movement.ts';
import { examine } from './doctor.ts';
import { listShortfalls } from './doctor-shortfalls.ts';

/** Each call costs 25 Credits, with 1,000 tokens of input and 500 of output. */
const EXPECTED = { inputTokens: 1_000, outputTokens: 100, images: 0 };
let fresh: FreshDatabase;
let ledger: LedgerStore;

beforeEach(async () => {
  fresh = await freshDatabase();
  const { database } = fresh;
  ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar: createCalendar('UTC') });
});

afterEach(() => fresh.drop());

async function settleOne(accountId: number, parts: Partial<CallRecord> = {}): Promise<CallRecord> {
  const call = callOf({ accountId, heldMicro: 5_000_000n, expected: EXPECTED, ...parts });
  await ledger.settle([call]);
  return call;
}

const findings = async (): Promise<readonly string[]> =>
  (await examine(fresh.database)).map(({ check, subject }) => `${check}: ${subject}`);

const tamper = (set: string, { callId }: CallRecord): Promise<unknown> =>
  fresh.database.query(`update consumptions set ${set} where call_id = $1`, [callId]);

describe('a call that was not paid in full', () => {
  test('is reported with its vendor and its cause, and is no finding; the newest come first', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 30_000_000n });
    expect(await listShortfalls(fresh.database)).toEqual({ calls: 0, sumMicro: 0n, newest: [] });
    await settleOne(accountId);
    const part = await settleOne(accountId);
    const nothing = await settleOne(accountId, { createdAtMs: part.createdAtMs + 1, heldMicro: 25_000_000n });
    const { newest, ...sums } = await listShortfalls(fresh.database);
    expect(sums).toEqual({ calls: 2, sumMicro: 45_000_000n });
    expect(newest).toMatchObject([
      { callId: nothing.callId, shortfallMicro: 25_000_000n, of: 'credits' },
      { callId: part.callId, accountId, vendor: 'openai', model: 'gpt-5', expected: EXPECTED },
    ]);
    expect(newest.map(listCauses)).toEqual([['funds-gone'], ['output-beyond-bound']]);
    expect(await examine(fresh.database)).toEqual([]);
  });

  test('is a finding when money was left, although nothing was taken', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 25_000_000n });
    await settleOne(accountId);
    const nothing = await settleOne(accountId);
    expect(await findings()).toEqual([]);
    // Its settlement is moved to where the account still had something.
    await tamper(`short = jsonb_set(short, '{seq}', '"1"')`, nothing);
    expect(await findings()).toEqual([`shortfall-with-money: call ${nothing.callId}`]);
  });

  test('stays right when money comes later', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 5_000_000n });
    await settleOne(accountId);
    await fresh.database.transaction((transaction) =>
      postMovement(transaction, { accountId, kind: 'top_up', pool: 'credits', changeMicro: 9n, ref: 'late' }),
    );
    expect(await findings()).toEqual([]);
  });

  test('is a finding with a balance that could have been used, and not with another', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 5_000_000n, balanceMicro: 99_000n });
    const call = await settleOne(accountId);
    expect(await findings()).toEqual([]);
    await tamper(`short = jsonb_set(short, '{mayExchange}', 'true')`, call);
    expect(await findings()).toEqual([`shortfall-with-money: call ${call.callId}`]);
  });

  test('is right under a reached cap, and a finding under one that was not', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    const capMicro = 30_000n;
    await updateAccount(fresh.database, accountId, { extraApiQuotaMicro: capMicro });
    await settleOne(accountId, { capMicro });
    const call = await settleOne(accountId, { capMicro });
    expect((await listShortfalls(fresh.database)).newest).toMatchObject([{ of: 'cap', callId: call.callId }]);
    expect(await findings()).toEqual([]);
    await tamper(`short = jsonb_set(short, '{capMicro}', '"30001"')`, call);
    expect(await findings()).toEqual([`shortfall-with-money: call ${call.callId}`]);
  });

  test('is a finding with a reason and no shortfall, or with an unknown reason', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 30_000_000n });
    const [paid, short] = [await settleOne(accountId), await settleOne(accountId)];
    await tamper(`short = '{"of": "credits", "seq": "2"}'`, paid);
    await tamper(`short = jsonb_set(short, '{of}', '"luck"')`, short);
    expect((await findings()).toSorted()).toEqual(
      [paid, short].map(({ callId }) => `shortfall-with-money: call ${callId}`).toSorted(),
    );
  });

  test('in older books is reported without a reason, and no finding', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 5_000_000n });
    const call = await settleOne(accountId);
    await tamper('short = null', call);
    expect(await findings()).toEqual([]);
    const [old] = (await listShortfalls(fresh.database)).newest;
    expect(old).toMatchObject({ of: undefined, expected: undefined });
  });
});
