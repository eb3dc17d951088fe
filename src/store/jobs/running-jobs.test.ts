import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountWith, jobOf } from '../../../test/support/calls.ts';
import { createJobLedger } from '../../../test/support/job-books.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createJobStore } from './jobs.ts';
import { RunningJobs } from './running-jobs.ts';

let fresh: FreshDatabase;
beforeEach(async () => {
  fresh = await freshDatabase();
});
afterEach(() => fresh.drop());

test('running jobs are counted by kind, and a kind without any is 0', async () => {
  const ledger = createJobLedger(fresh.database);
  const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const running = new RunningJobs(fresh.database);
  await running.count();
  expect(running.counts).toEqual(new Map());
  const calls = ['one', 'two'].map((objectId) => jobOf({ accountId, job: { kind: 'video', objectId } }));
  await ledger.settle(calls);
  await running.count();
  expect(running.counts).toEqual(new Map([['video', 2]]));
  const store = createJobStore(fresh.database, ledger);
  for (const { callId } of calls) await store.end(callId, { state: 'void', why: 'failed' });
  await running.count();
  expect(running.counts).toEqual(new Map([['video', 0]]));
});
