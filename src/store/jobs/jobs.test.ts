import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountWith, jobOf } from '../../../test/support/calls.ts';
import { createJobLedger } from '../../../test/support/job-books.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import { JOBS_PAGE_MAX } from '../../jobs/bounds.ts';
import type { Job, JobStore } from '../../jobs/contract.ts';
import { silentLogger } from '../../kernel/log.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { openDatabase } from '../database.ts';
import { createJobStore } from './jobs.ts';

let fresh: FreshDatabase;
let store: JobStore;
let ledger: ReturnType<typeof createJobLedger>;
let accountId: number;

beforeEach(async () => {
  fresh = await freshDatabase();
  ledger = createJobLedger(fresh.database);
  store = createJobStore(fresh.database, ledger);
  accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
});

afterEach(() => fresh.drop());

/** Jobs of one account, a second apart, and all of them due. */
async function startJobs(count: number, owner = accountId): Promise<readonly CallRecord[]> {
  const startMs = Date.now() - 600_000;
  const calls = Array.from({ length: count }, (_, at) => {
    const job = { kind: 'video', objectId: `video_${at}` } as const;
    return jobOf({ accountId: owner, createdAtMs: startMs + at * 1_000, job });
  });
  await ledger.settle(calls);
  await makeDue();
  return calls;
}

const makeDue = () =>
  fresh.database.query(`update jobs set examine_at = now() - interval '1 minute' where state = 'running'`);

const objectIds = (jobs: readonly Job[]): readonly string[] => jobs.map(({ objectId }) => objectId);

const video = (number: number) => ({ kind: 'video', objectId: `video_${number}` }) as const;

describe('a job', () => {
  test('is found by its account, its kind and its id, with the credential that knows it', async () => {
    const [call] = await startJobs(1);
    expect(await store.find(accountId, video(0))).toEqual({
      ...{ kind: 'video', objectId: 'video_0', callId: call?.callId, accountId, routeId: 1 },
      ...{ credential: 'openai-main', own: false, model: 'sora-2', state: 'running' },
      createdAtMs: call?.createdAtMs,
    });
    const stranger = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    expect(await store.find(stranger, video(0))).toBeUndefined();
    expect(await store.find(accountId, video(9))).toBeUndefined();
    expect(await store.find(accountId, { ...video(0), kind: 'batch' })).toBeUndefined();
    await store.hide(accountId, { ...video(0), kind: 'message-batch' });
    expect(await store.find(accountId, video(0))).toBeDefined();
    const behind = { limit: 9, order: 'asc', after: 'video_0' } as const;
    expect(await store.list(accountId, 'batch', behind)).toEqual([]);
  });

  test('that was deleted is not shown, and is followed to its end', async () => {
    const [call] = await startJobs(2);
    const stranger = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    await store.hide(stranger, video(0));
    expect(await store.find(accountId, video(0))).toBeDefined();
    await store.hide(accountId, video(0));
    expect(await store.find(accountId, video(0))).toBeUndefined();
    expect(objectIds(await store.list(accountId, 'video', { limit: 9, order: 'asc' }))).toEqual(['video_1']);
    expect(objectIds(await store.claim(9)).toSorted()).toEqual(['video_0', 'video_1']);
    expect(await store.end(call?.callId ?? '', { state: 'complete' })).toBe(true);
  });

  test('counts for its account until it ends, also if it was deleted', async () => {
    const [call] = await startJobs(3);
    const stranger = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    await store.hide(accountId, video(0));
    expect(await store.countRunning(accountId, 9)).toBe(3);
    expect(await store.countRunning(accountId, 2)).toBe(2);
    expect(await store.countRunning(stranger, 9)).toBe(0);
    await store.end(call?.callId ?? '', { state: 'void', why: 'failed' });
    expect(await store.countRunning(accountId, 9)).toBe(2);
  });

  test('is in pages of its account, in both directions', async () => {
    await startJobs(5);
    const stranger = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
    await startJobs(2, stranger);
    const page = async (order: 'asc' | 'desc', after?: string) =>
      objectIds(await store.list(accountId, 'video', { limit: 2, order, after }));
    expect(await page('desc')).toEqual(['video_4', 'video_3']);
    expect(await page('desc', 'video_3')).toEqual(['video_2', 'video_1']);
    expect(await page('desc', 'video_0')).toEqual([]);
    expect(await page('asc')).toEqual(['video_0', 'video_1']);
    expect(await page('asc', 'video_3')).toEqual(['video_4']);
    expect(await page('asc', 'unknown')).toEqual([]);
    const tooMany = { limit: JOBS_PAGE_MAX + 1, order: 'asc' } as const;
    await expect(store.list(accountId, 'video', tooMany)).rejects.toThrow('bounded');
  });
});

describe('running jobs', () => {
  test('are given to one node at a time, those that wait longest first', async () => {
    await startJobs(6);
    await fresh.database.query(
      `update jobs set examine_at = now() - interval '1 hour' where object_id = 'video_3'`,
    );
    expect(objectIds(await store.claim(1))).toEqual(['video_3']);
    const other = await openDatabase({ connection: fresh.connection, log: silentLogger });
    const others = createJobStore(other, ledger);
    const claimed = await Promise.all([store.claim(3), others.claim(3), store.claim(3), others.claim(3)]);
    await other.close();
    const rest = ['video_0', 'video_1', 'video_2', 'video_4', 'video_5'];
    expect(claimed.flatMap(objectIds).toSorted()).toEqual(rest);
    expect(await store.claim(9)).toEqual([]);
  });

  test('come again when their time has come, or at once when somebody asks', async () => {
    const [call] = await startJobs(1);
    const callId = call?.callId ?? '';
    const dueIn = async () => {
      const [row] = await fresh.database.query<{ seconds: number }>(
        'select extract(epoch from examine_at - now())::float8 as seconds from jobs',
      );
      return row?.seconds ?? 0;
    };
    await store.claim(1);
    expect(await dueIn()).toBeGreaterThan(100);
    await store.postpone(callId, 30_000);
    expect(await dueIn()).toBeGreaterThan(25);
    expect(await dueIn()).toBeLessThan(31);
    expect(await store.claim(1)).toEqual([]);
    await store.hasten(callId);
    expect(await store.claim(1)).toHaveLength(1);
  });

  test('are not asked about when they are new, or ended', async () => {
    await ledger.settle([jobOf({ accountId })]);
    expect(await store.claim(9)).toEqual([]);
    const [call] = await startJobs(1);
    expect(await store.end(call?.callId ?? '', { state: 'void', why: 'failed' })).toBe(true);
    await store.hasten(call?.callId ?? '');
    await store.postpone(call?.callId ?? '', 0);
    expect((await store.claim(9)).map(({ callId }) => callId)).not.toContain(call?.callId);
    expect(await store.find(accountId, video(0))).toMatchObject({ state: 'void' });
    expect(await store.end(call?.callId ?? '', { state: 'complete' })).toBe(false);
  });
});

test('a store that is away says so', async () => {
  const database = await openDatabase({ connection: fresh.connection, log: silentLogger });
  const own = createJobStore(database, createJobLedger(database));
  await database.close();
  await expect(own.find(accountId, video(0))).rejects.toThrow(StoreUnavailable);
});
