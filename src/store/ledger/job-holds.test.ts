import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountWith, callOf, jobOf } from '../../../test/support/calls.ts';
import { createJobLedger, JobBooks } from '../../../test/support/job-books.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { updateAccount } from '../accounts/accounts.ts';
import { dropPartitionsBefore } from '../logs/partitions.ts';
import { findReceipt } from '../logs/receipts.ts';
import { examine } from '../operations/doctor.ts';
import { createLedgerStore } from './ledger.ts';
import { postMovement } from './movement.ts';
import { loadWindows } from './windows.ts';

let fresh: FreshDatabase;
let books: JobBooks;
let ledger: ReturnType<typeof createJobLedger>;

beforeEach(async () => {
  fresh = await freshDatabase();
  books = new JobBooks(fresh.database);
  ledger = createJobLedger(fresh.database);
});

/** Whatever a test does, the books add up. */
afterEach(async () => {
  const findings = await examine(fresh.database);
  await fresh.drop();
  expect(findings).toEqual([]);
});

describe('a call that created a job', () => {
  test('holds its price; nothing of it is in the logs until the job ends', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const own = {
      routeId: 7,
      vendor: 'openai',
      credential: 'mine',
      own: true,
      outcome: 'ok',
      durationMs: 1,
    } as const;
    const call = jobOf({ accountId, attempts: [{ ...own, credential: 'other', outcome: '500' }, own] });
    const [settled] = await ledger.settle([call]);
    expect(settled?.funds).toMatchObject({ creditsMicro: 75_000_000n, monthSpentMicro: 25_000n });
    expect(await books.moves(call)).toEqual([['hold', 'credits', -25_000_000n]]);
    expect(await books.job(call)).toMatchObject({
      ...{ account_id: BigInt(accountId), kind: 'video', object_id: call.job?.objectId, route_id: 1n },
      ...{ credential: 'mine', own: true, model: 'sora-2', state: 'running', hidden: false, ended_at: null },
      ...{ held_micro: 25_000_000n, spent_micro: 25_000n, exchanged_micro: 0n },
      created_at: new Date(call.createdAtMs),
    });
    for (const table of ['calls', 'consumptions', 'usage_hourly', 'model_hourly']) {
      expect(await books.count(table), table).toBe(0);
    }
  });

  test('is charged when the job is complete, as if it had been settled then', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = jobOf({ accountId });
    await ledger.settle([call]);
    expect(await ledger.endJob(call.callId, { state: 'complete' })).toBe(true);
    expect(await books.moves(call)).toEqual([
      ['hold', 'credits', -25_000_000n],
      ['hold', 'credits', 25_000_000n],
      ['consumption', 'credits', -25_000_000n],
    ]);
    expect(await books.funds(accountId)).toMatchObject({ credits: 75_000_000n, spent: 25_000n });
    expect(await books.call(call)).toMatchObject({
      ...{ verdict: 'complete', status: 200, videos: 1n, charge_micro: 25_000_000n, free_reason: null },
      ...{ credits_micro: 25_000_000n, spent_micro: 25_000n, shortfall_micro: 0n, refusal: null },
    });
    expect(await books.job(call)).toMatchObject({ state: 'complete', ended_at: expect.any(Date) });
    const hours = await fresh.database.query('select calls, videos, credits_micro from usage_hourly');
    expect(hours).toEqual([{ calls: 1n, videos: 1n, credits_micro: 25_000_000n }]);
  });

  test('costs nothing when the job is void, and the log says why; all nodes learn of the funds', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = jobOf({ accountId });
    await ledger.settle([call]);
    const before = await books.funds(accountId);
    expect(await ledger.endJob(call.callId, { state: 'void', why: 'expired' })).toBe(true);
    expect(await books.moves(call)).toEqual([
      ['hold', 'credits', -25_000_000n],
      ['hold', 'credits', 25_000_000n],
    ]);
    const after = await books.funds(accountId);
    expect(after).toMatchObject({ credits: 100_000_000n, spent: 0n });
    expect(after?.version).toBe((before?.version as bigint) + 1n);
    expect(await books.call(call)).toMatchObject({
      ...{ verdict: 'failed', status: 502, videos: 0n, charge_micro: 0n, free_reason: 'nothing-produced' },
      ...{ credits_micro: 0n, spent_micro: 0n, refusal: { message: expect.stringContaining('in time') } },
    });
    expect(await books.job(call)).toMatchObject({ state: 'void' });
  });

  test('is settled at once with others of its batch, and is known however often it comes', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 1_000_000_000n });
    const [call, plain] = [jobOf({ accountId }), callOf({ accountId })];
    for (let times = 0; times < 3; times++) await ledger.settle([plain, call, call]);
    expect(await books.funds(accountId)).toMatchObject({ credits: 950_000_000n });
    await ledger.endJob(call.callId, { state: 'complete' });
    await ledger.settle([call, plain]);
    await createJobLedger(fresh.database).settle([call]);
    expect(await books.funds(accountId)).toMatchObject({ credits: 950_000_000n });
    expect([await books.count('jobs'), await books.count('calls')]).toEqual([1, 2]);
    expect(await books.moves(call)).toHaveLength(3);
  });

  test('is known after its job was forgotten, complete or void, also without its log', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 1_000_000_000n });
    const old = { accountId, createdAtMs: Date.UTC(2025, 3, 15) };
    const [done, gone] = [jobOf(old), jobOf(old)];
    await ledger.settle([done, gone]);
    await ledger.endJob(done.callId, { state: 'complete' });
    await ledger.endJob(gone.callId, { state: 'void' });
    await fresh.database.query('delete from jobs');
    await ledger.settle([done, gone]);
    await dropPartitionsBefore(fresh.database, '2025-07');
    // The ledger of another process, which does not believe that the month is there.
    await createJobLedger(fresh.database).settle([done, gone]);
    expect(await books.funds(accountId)).toMatchObject({ credits: 975_000_000n });
    expect(await books.count('jobs')).toBe(0);
  });

  test('of a job that the account has already is charged at once, because there is nothing to follow', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const job = { kind: 'video', objectId: 'video_1' } as const;
    const [first, second, third] = [
      jobOf({ accountId, job }),
      jobOf({ accountId, job }),
      jobOf({ accountId, job }),
    ];
    await ledger.settle([first, second]);
    await ledger.settle([third]);
    expect([await books.count('jobs'), await books.count('calls')]).toEqual([1, 2]);
    expect(await books.moves(third)).toEqual([['consumption', 'credits', -25_000_000n]]);
    const stranger = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    await ledger.settle([jobOf({ accountId: stranger, job })]);
    expect(await books.count('jobs')).toBe(2);
  });

  test('without an attempt is charged at once, because nobody could be asked', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    await ledger.settle([jobOf({ accountId, attempts: [] })]);
    expect([await books.count('jobs'), await books.count('calls')]).toEqual([0, 1]);
  });

  test('that costs nothing is followed too, and leaves no entry', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const free = { accountId, chargeMicro: 0n } as const;
    const byok = jobOf({ ...free, payer: 'byok', freeReason: 'byok' });
    const covered = jobOf({ ...free, payer: 'subscription', freeReason: 'covered' });
    await ledger.settle([byok, covered]);
    expect(await books.job(byok)).toMatchObject({ state: 'running', held_micro: 0n, spent_micro: 0n });
    await ledger.endJob(byok.callId, { state: 'complete' });
    await ledger.endJob(covered.callId, { state: 'void' });
    expect(await books.call(byok)).toMatchObject({ verdict: 'complete', videos: 1n, free_reason: 'byok' });
    expect(await books.call(covered)).toMatchObject({
      verdict: 'failed',
      videos: 0n,
      free_reason: 'covered',
    });
    expect([await books.moves(byok), await books.moves(covered)]).toEqual([[], []]);
  });

  test('counts in its windows once, when it is held', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const startedAtMs = Date.now() - 1_000;
    const window = { scope: 'key:1', dimension: 'videos', seconds: 3_600, startedAtMs, used: 1n } as const;
    const call = jobOf({ accountId, windows: [window] });
    await ledger.settle([call]);
    expect(await loadWindows(fresh.database, Date.now())).toEqual([window]);
    await ledger.endJob(call.callId, { state: 'complete' });
    await ledger.settle([call]);
    expect(await loadWindows(fresh.database, Date.now())).toEqual([window]);
  });

  test('whose record is too long, or has what PostgreSQL cannot store, is held and settled all the same', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const droppedFields = Array.from({ length: 2_000 }, (_, at) => `field ${at} ${'x'.repeat(40)}`);
    const job = { kind: 'video', objectId: 'a\0b\ud800' } as const;
    const call = jobOf({ accountId, droppedFields, job, modelAsked: 'a\0\ud800"\\' });
    await ledger.settle([call]);
    expect(await books.job(call)).toMatchObject({ object_id: 'a\ufffdb\ufffd' });
    expect(await ledger.endJob(call.callId, { state: 'complete' })).toBe(true);
    expect(await books.funds(accountId)).toMatchObject({ credits: 75_000_000n });
  });
});

describe('what is held', () => {
  test('comes from the balance too; when the job is void it stays in Credits, exactly', async () => {
    const opening = { creditsMicro: 4_999_500n, balanceMicro: 1_000_000n, autoExchange: true };
    const accountId = await accountWith(fresh.database, opening);
    const call = jobOf({ accountId });
    await ledger.settle([call]);
    // 20,000,500 micro-Credits are missing: 20,001 micro-yuan buy 20,001,000, and 500 stay.
    const moves = [
      ['exchange', 'balance', -20_001n],
      ['exchange', 'credits', 20_001_000n],
      ['hold', 'credits', -25_000_000n],
    ];
    expect(await books.moves(call)).toEqual(moves);
    await ledger.endJob(call.callId, { state: 'void' });
    expect(await books.moves(call)).toEqual([...moves, ['hold', 'credits', 25_000_000n]]);
    expect(await books.funds(accountId)).toMatchObject({
      credits: 25_000_500n,
      balance: 979_999n,
      spent: 0n,
    });
    expect(await findReceipt(fresh.database, accountId, call.callId)).toMatchObject({
      ...{ charge: '0', credits: '0', exchanged: '0.020001', free_reason: 'nothing-produced' },
      entries: [{ kind: 'exchange' }, { kind: 'exchange' }, { kind: 'hold' }, { kind: 'hold', change: '25' }],
    });
  });

  test('is charged without a second exchange, and the receipt has all of its entries', async () => {
    const opening = { creditsMicro: 5_000_000n, balanceMicro: 1_000_000n, autoExchange: true };
    const accountId = await accountWith(fresh.database, opening);
    const call = jobOf({ accountId });
    await ledger.settle([call]);
    await ledger.endJob(call.callId, { state: 'complete' });
    expect(await books.funds(accountId)).toMatchObject({ credits: 0n, balance: 980_000n, spent: 25_000n });
    expect(await findReceipt(fresh.database, accountId, call.callId)).toMatchObject({
      ...{ charge: '25', credits: '25', shortfall: '0', exchanged: '0.02' },
      lines: [{ item: 'videos', quantity: 1, price: '0.025', amount: '0.025' }],
      entries: [
        { kind: 'exchange', change: '-0.02' },
        { kind: 'exchange', change: '20' },
        { kind: 'hold', change: '-25' },
        { kind: 'hold', change: '25' },
        { kind: 'consumption', change: '-25' },
      ],
    });
  });

  test('is what the account has; what is missing is taken at the end, if there is money by then', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 10_000_000n });
    const [paid, short] = [jobOf({ accountId }), jobOf({ accountId })];
    await ledger.settle([paid]);
    expect(await books.job(paid)).toMatchObject({ held_micro: 10_000_000n, spent_micro: 10_000n });
    await ledger.settle([short]);
    expect(await books.job(short)).toMatchObject({ held_micro: 0n, spent_micro: 0n });
    await ledger.endJob(short.callId, { state: 'complete' });
    expect(await books.call(short)).toMatchObject({ credits_micro: 0n, shortfall_micro: 25_000_000n });
    const topUp = {
      accountId,
      kind: 'top_up',
      pool: 'credits',
      changeMicro: 16_000_000n,
      ref: 'more',
    } as const;
    await fresh.database.transaction((transaction) => postMovement(transaction, topUp));
    await ledger.endJob(paid.callId, { state: 'complete' });
    expect(await books.call(paid)).toMatchObject({ credits_micro: 25_000_000n, shortfall_micro: 0n });
    expect(await books.funds(accountId)).toMatchObject({ credits: 1_000_000n, spent: 25_000n });
  });

  test('counts under the monthly cap, and no more when the job is void', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    const capMicro = 30_000n;
    await updateAccount(fresh.database, accountId, { extraApiQuotaMicro: capMicro });
    const call = jobOf({ accountId, capMicro });
    await ledger.settle([call]);
    const beside = callOf({ accountId, capMicro, createdAtMs: call.createdAtMs });
    await ledger.settle([beside]);
    expect(await books.call(beside)).toMatchObject({
      credits_micro: 5_000_000n,
      shortfall_micro: 20_000_000n,
    });
    await ledger.endJob(call.callId, { state: 'void' });
    expect(await books.funds(accountId)).toMatchObject({ spent: 5_000n });
    // The call beside it was short at that time, and stays so.
    expect(await examine(fresh.database)).toEqual([]);
    const next = callOf({ accountId, capMicro, createdAtMs: call.createdAtMs });
    await ledger.settle([next]);
    expect(await books.call(next)).toMatchObject({ credits_micro: 25_000_000n, shortfall_micro: 0n });
  });

  test('of a full cap is charged in full, although the cap was lowered', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    await updateAccount(fresh.database, accountId, { extraApiQuotaMicro: 25_000n });
    const call = jobOf({ accountId, capMicro: 25_000n });
    await ledger.settle([call]);
    await updateAccount(fresh.database, accountId, { extraApiQuotaMicro: 1n });
    await ledger.endJob(call.callId, { state: 'complete' });
    expect(await books.call(call)).toMatchObject({ credits_micro: 25_000_000n, shortfall_micro: 0n });
    expect(await books.funds(accountId)).toMatchObject({ spent: 25_000n });
  });

  test.each(['complete', 'void'] as const)('in a month that is over is returned, %s', async (state) => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const october = Date.UTC(2025, 9, 31, 23);
    const call = jobOf({ accountId, createdAtMs: october, capMicro: 30_000n });
    await ledger.settle([call]);
    await ledger.settle([callOf({ accountId, createdAtMs: october + 3_600_000 })]);
    await ledger.endJob(call.callId, { state });
    const taken = state === 'complete' ? 50_000_000n : 25_000_000n;
    expect(await books.funds(accountId)).toMatchObject({ credits: 100_000_000n - taken, spent: 25_000n });
    expect(await books.call(call)).toMatchObject({ month: '2025-10' });
  });

  test('is settled by the factor and the month of its own time', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = jobOf({ accountId });
    await ledger.settle([call]);
    const calendar = createCalendar('Pacific/Kiritimati');
    const later = createLedgerStore({ database: fresh.database, creditsPerYuan: 7, calendar });
    await later.endJob(call.callId, { state: 'complete' });
    expect(await books.call(call)).toMatchObject({ credits_micro: 25_000_000n, spent_micro: 25_000n });
  });
});
