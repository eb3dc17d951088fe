import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { AMOUNT_MICRO_MAX } from '../../kernel/money.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { chargedCalls } from '../logs/priced-calls.ts';
import { findReceipt } from '../logs/receipts.ts';
import type { AuditContext } from '../operations/audit.ts';
import { examine } from '../operations/doctor.ts';
import { type Correction, correctionMicro, postCorrections } from './correction.ts';
import { createLedgerStore } from './ledger.ts';

const ACTOR = { accountId: undefined, address: 'terminal', action: 'reprice' };
/** What `callOf` costs, in micro-Credits. */
const CHARGE = 25_000_000n;

let fresh: FreshDatabase;
let context: AuditContext;
beforeEach(async () => {
  fresh = await freshDatabase();
  const sealer = newSealer(['a secret of more than thirty-two bytes'], systemRandom);
  context = { database: fresh.database, sealer, clock: systemClock, log: silentLogger };
});
afterEach(() => fresh.drop());

async function settle(...calls: readonly CallRecord[]): Promise<void> {
  const { database } = fresh;
  const calendar = createCalendar('UTC');
  await createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar }).settle(calls);
}

async function creditsOf(accountId: number): Promise<bigint | undefined> {
  const [row] = await fresh.database.query<{ credits: bigint }>(
    'select credits_micro as credits from accounts where id = $1',
    [accountId],
  );
  return row?.credits;
}

const toDue = (call: CallRecord, dueMicro: bigint, takenMicro = call.chargeMicro) => ({
  ...{ callId: call.callId, createdAtMs: call.createdAtMs, dueMicro, takenMicro },
  shortfallMicro: call.chargeMicro - takenMicro,
});

const post = (wanted: Omit<Correction, 'extra' | 'reason'> & Partial<Correction>) =>
  postCorrections(context, { extra: 'skip', reason: 'wrong price', ...wanted }, ACTOR);

describe('what a call is corrected by', () => {
  const call = { callId: 'req_1', createdAtMs: 0, takenMicro: 80n, shortfallMicro: 20n };
  it.each([
    ['gives back what was taken too much', 50n, 0n, 30n],
    ['is nothing when the rest was never paid', 90n, 0n, 0n],
    ['never asks for an old shortfall', 120n, 0n, -20n],
    ['is nothing after the same correction', 50n, 30n, 0n],
    ['goes on from the last correction', 40n, 30n, 10n],
    ['takes back what was given back too much', 75n, 30n, -5n],
    ['gives back no more than was taken', 0n, 30n, 50n],
  ] as const)('%s', (_name, dueMicro, correctedMicro, changeMicro) => {
    expect(correctionMicro({ ...call, dueMicro }, correctedMicro)).toBe(changeMicro);
  });
});

it('a refund is an adjustment of its call, made once, and the ledger stays correct', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
  const [one, two] = [callOf({ accountId }), callOf({ accountId })];
  await settle(one, two);
  const calls = [toDue(one, 10_000_000n), toDue(two, CHARGE)];
  expect(await post({ accountId, calls })).toEqual({ calls: 1, refundedMicro: 15_000_000n, takenMicro: 0n });
  expect(await creditsOf(accountId)).toBe(65_000_000n);
  for (let again = 0; again < 3; again++) expect((await post({ accountId, calls })).calls).toBe(0);
  expect(await creditsOf(accountId)).toBe(65_000_000n);
  expect(await examine(fresh.database)).toEqual([]);
  const receipt = await findReceipt(fresh.database, accountId, one.callId);
  expect(receipt?.entries.map(({ kind, change }) => [kind, change])).toEqual([
    ['consumption', '-25'],
    ['adjustment', '15'],
  ]);
  const lines = await fresh.database.query('select action, entity, after from audit_log');
  expect(lines).toMatchObject([
    { action: 'reprice', entity: 'funds', after: { change: '15', calls: 1, reason: 'wrong price' } },
  ]);
  const period = { fromMs: 0, toMs: Date.UTC(2030, 0), pageRows: 10, modelId: 'gpt-5' };
  for await (const page of chargedCalls(fresh.database, period)) {
    expect(page.map((call) => [call.callId, call.takenMicro, call.correctedMicro])).toEqual(
      expect.arrayContaining([
        [one.callId, CHARGE, 15_000_000n],
        [two.callId, CHARGE, 0n],
      ]),
    );
  }
});

it('many at once correct a call once', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
  const call = callOf({ accountId });
  await settle(call);
  const done = await Promise.all(
    Array.from({ length: 8 }, () => post({ accountId, calls: [toDue(call, 0n)] })),
  );
  expect(done.map(({ calls }) => calls).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  expect(await creditsOf(accountId)).toBe(100_000_000n);
  expect(await examine(fresh.database)).toEqual([]);
});

it('more is taken only when told, and never more than the account has', async () => {
  const accountId = await accountWith(fresh.database, {
    creditsMicro: 40_000_000n,
    balanceMicro: 9_000_000n,
  });
  const call = callOf({ accountId });
  await settle(call);
  const calls = [toDue(call, 2n * CHARGE)];
  expect((await post({ accountId, calls })).calls).toBe(0);
  expect(await post({ accountId, calls, extra: 'take' })).toEqual({
    ...{ calls: 1, refundedMicro: 0n, takenMicro: 15_000_000n },
  });
  expect(await creditsOf(accountId)).toBe(0n);
  expect((await post({ accountId, calls, extra: 'take' })).calls).toBe(0);
  expect(await examine(fresh.database)).toEqual([]);
});

it('a refund that would pass the largest amount of Credits is left out', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: AMOUNT_MICRO_MAX });
  const call = callOf({ accountId });
  await settle(call);
  const calls = [toDue(call, 0n, CHARGE)];
  expect((await post({ accountId, calls })).refundedMicro).toBe(CHARGE);
  expect(await creditsOf(accountId)).toBe(AMOUNT_MICRO_MAX);
  const more = { ...calls[0], callId: 'req_more' } as (typeof calls)[number];
  expect((await post({ accountId, calls: [more] })).calls).toBe(0);
});

it('the doctor finds a correction that gave back more than was taken', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
  const call = callOf({ accountId });
  await settle(call);
  await post({ accountId, calls: [toDue(call, 0n, 60_000_000n)] });
  const found = await examine(fresh.database);
  expect(found).toMatchObject([{ check: 'correction-refund', subject: `call ${call.callId}` }]);
});
