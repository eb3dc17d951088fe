import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountWith, callOf, jobOf } from '../../../test/support/calls.ts';
import { createJobLedger, JobBooks } from '../../../test/support/job-books.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { planFaults } from '../../kernel/fault.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { RoutedTerms } from '../../ledger/contract.ts';
import { openJournal } from '../../ledger/journal/journal.ts';
import { recover } from '../../ledger/journal/recover.ts';
import { openDatabase } from '../database.ts';
import { dropPartitionsBefore } from '../logs/partitions.ts';
import { examine } from '../operations/doctor.ts';

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

describe('the end of a job', () => {
  test('comes once, whoever repeats it', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = jobOf({ accountId });
    await ledger.settle([call]);
    expect(await ledger.endJob(call.callId, { state: 'complete' })).toBe(true);
    expect(await ledger.endJob(call.callId, { state: 'void' })).toBe(false);
    expect(await ledger.endJob(call.callId, { state: 'complete' })).toBe(false);
    expect(await ledger.endJob('req_unknown', { state: 'complete' })).toBe(false);
    expect(await books.funds(accountId)).toMatchObject({ credits: 75_000_000n });
  });

  test('comes once for many nodes at the same time, while calls of the account are settled', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 10_000_000_000n });
    const jobs = Array.from({ length: 12 }, () => jobOf({ accountId }));
    await ledger.settle(jobs);
    const nodes = await Promise.all(
      Array.from({ length: 3 }, () => openDatabase({ connection: fresh.connection, log: silentLogger })),
    );
    const ends = await Promise.all(
      nodes.flatMap((database, node) => {
        const own = createJobLedger(database);
        const state = node === 1 ? 'void' : 'complete';
        const settling = own.settle([callOf({ accountId }), ...jobs]).then(() => false);
        return [...jobs.map(({ callId }) => own.endJob(callId, { state })), settling];
      }),
    );
    for (const database of nodes) await database.close();
    expect(ends.filter(Boolean)).toHaveLength(jobs.length);
    const complete = await books.count(`jobs where state = 'complete'`);
    const taken = 25_000_000n * BigInt(complete + nodes.length);
    expect(await books.funds(accountId)).toMatchObject({ credits: 10_000_000_000n - taken });
    expect(await books.count(`ledger_entries where kind = 'hold' and account_id is not null`)).toBe(24);
  });

  test('that fails before its commit changes nothing, and is repeated', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = jobOf({ accountId });
    await ledger.settle([call]);
    planFaults('job.before-end-commit=throw');
    await expect(ledger.endJob(call.callId, { state: 'complete' })).rejects.toThrow('planned fault');
    expect(await books.job(call)).toMatchObject({ state: 'running' });
    expect(await books.moves(call)).toHaveLength(1);
    planFaults('job.after-end-commit=throw');
    await expect(ledger.endJob(call.callId, { state: 'complete' })).rejects.toThrow('planned fault');
    expect(await ledger.endJob(call.callId, { state: 'complete' })).toBe(false);
    expect(await books.funds(accountId)).toMatchObject({ credits: 75_000_000n });
  });

  test('finds a month of the log that was dropped, and makes it again', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
    const call = jobOf({ accountId, createdAtMs: Date.UTC(2025, 3, 15) });
    await ledger.settle([call]);
    await dropPartitionsBefore(fresh.database, '2025-07');
    const other = createJobLedger(fresh.database);
    expect(await other.endJob(call.callId, { state: 'complete' })).toBe(true);
    expect(await books.funds(accountId)).toMatchObject({ credits: 75_000_000n });
  });
});

test('a journal with a job is recovered once, however often it is read', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-jobs-'));
  const call = jobOf({ accountId });
  for (let times = 0; times < 2; times++) {
    const journal = await openJournal({ directory, clock: systemClock, log: silentLogger });
    const open = {
      ...(call as RoutedTerms),
      credential: 'openai-main',
      inputTokens: 0,
      images: 0,
      windows: [],
    };
    await journal.open(open);
    journal.end(call);
    await journal.close();
    const report = await recover({ directory, store: ledger, creditsPerYuan: 1000, log: silentLogger });
    expect(report).toMatchObject({ ended: 1, cut: 0, rejected: 0, skipped: 0 });
  }
  await rm(directory, { recursive: true, force: true });
  expect(await books.funds(accountId)).toMatchObject({ credits: 75_000_000n });
  expect(await ledger.endJob(call.callId, { state: 'complete' })).toBe(true);
  expect(await books.call(call)).toMatchObject({ verdict: 'complete', videos: 1n });
});
