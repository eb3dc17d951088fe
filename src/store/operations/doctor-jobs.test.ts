import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountWith, jobOf } from '../../../test/support/calls.ts';
import { createJobLedger } from '../../../test/support/job-books.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { JOB_OVERDUE_MS } from '../../jobs/bounds.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { examine } from './doctor.ts';

let fresh: FreshDatabase;
let ledger: ReturnType<typeof createJobLedger>;
let running: CallRecord;
let ended: CallRecord;
let accountId: number;

beforeEach(async () => {
  fresh = await freshDatabase();
  ledger = createJobLedger(fresh.database);
  accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  [running, ended] = [jobOf({ accountId }), jobOf({ accountId })];
  await ledger.settle([running, ended]);
  await ledger.endJob(ended.callId, { state: 'complete' });
});

afterEach(() => fresh.drop());

const findings = async (): Promise<readonly string[]> =>
  (await examine(fresh.database)).map(({ check, subject }) => `${check}: ${subject}`);

const tamper = (set: string, { callId }: CallRecord): Promise<unknown> =>
  fresh.database.query(`update jobs set ${set} where call_id = $1`, [callId]);

describe('the doctor', () => {
  test('finds nothing while jobs run, and when they have ended', async () => {
    expect(await findings()).toEqual([]);
    await ledger.endJob(running.callId, { state: 'void' });
    expect(await findings()).toEqual([]);
  });

  test('finds a job that holds something else than the ledger says', async () => {
    await tamper('held_micro = held_micro - 1', running);
    expect(await findings()).toEqual([`job-hold: call ${running.callId}`]);
  });

  test('finds a hold whose job is gone, or ended without returning it', async () => {
    await tamper(`state = 'void', ended_at = now()`, running);
    const found = [`job-call: call ${running.callId}`, `job-hold: call ${running.callId}`];
    const month = `month-spent: account ${accountId}`;
    expect((await findings()).toSorted()).toEqual([...found, month]);
    await fresh.database.query('delete from jobs where call_id = $1', [running.callId]);
    expect((await findings()).toSorted()).toEqual([`job-hold: call ${running.callId}`, month]);
  });

  test('finds a job that runs for longer than a day and an hour', async () => {
    const old = jobOf({ accountId, createdAtMs: Date.now() - JOB_OVERDUE_MS - 1_000 });
    const young = jobOf({ accountId, createdAtMs: Date.now() - JOB_OVERDUE_MS + 600_000 });
    await ledger.settle([old, young]);
    expect(await findings()).toEqual([`job-overdue: call ${old.callId}`]);
  });

  test('finds an ended job whose call is not in the log, and spending of jobs that was changed', async () => {
    await fresh.database.query('delete from calls where call_id = $1', [ended.callId]);
    expect(await findings()).toContain(`job-call: call ${ended.callId}`);
    await tamper('spent_micro = spent_micro + 1', running);
    expect(await findings()).toContain(`month-spent: account ${accountId}`);
  });
});
