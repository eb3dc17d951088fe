import { expect, test } from 'vitest';
import { sampleJob } from '../../../test/support/samples.ts';
import type { Job, JobStore } from '../../jobs/contract.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { RECENT_JOB_MS } from './bounds.ts';
import { awaitNewestJob, findJob, findStoredJob } from './find-job.ts';
import { RecentJobs } from './recent-jobs.ts';

const VIDEO = { kind: 'video', objectId: 'video_1' } as const;

/** A store that knows a job from its nth question on. */
function createStore(job: Job, from: number) {
  let asked = 0;
  const find: JobStore['find'] = async (accountId, { kind, objectId }) => {
    asked += 1;
    const isIt = accountId === job.accountId && kind === job.kind && objectId === job.objectId;
    return asked >= from && isIt ? job : undefined;
  };
  return { jobs: { find } as JobStore, asked: () => asked };
}

test('a job of this process is found without the store', async () => {
  const job = sampleJob({ createdAtMs: systemClock.now() });
  const { jobs, asked } = createStore(job, 1);
  const recentJobs = new RecentJobs();
  recentJobs.add(job);
  expect(await findJob(1, VIDEO, { jobs, recentJobs, clock: systemClock })).toEqual(job);
  expect(asked()).toBe(0);
});

test('a job of another node is looked for twice, and of another account never found', async () => {
  const job = sampleJob();
  const recentJobs = new RecentJobs();
  const late = createStore(job, 2);
  expect(await findJob(1, VIDEO, { jobs: late.jobs, recentJobs, clock: systemClock })).toEqual(job);
  const other = createStore(job, 1);
  const sought = findJob(2, VIDEO, { jobs: other.jobs, recentJobs, clock: systemClock });
  expect(await sought).toBeUndefined();
  expect(other.asked()).toBe(2);
});

test('a job of another kind is not found, in this process or in the store', async () => {
  const job = sampleJob({ createdAtMs: systemClock.now() });
  const { jobs } = createStore(job, 1);
  const recentJobs = new RecentJobs();
  recentJobs.add(job);
  const batch = { kind: 'batch', objectId: 'video_1' } as const;
  expect(await findJob(1, batch, { jobs, recentJobs, clock: systemClock })).toBeUndefined();
});

test('what cannot be an id is not looked for', async () => {
  const { jobs, asked } = createStore(sampleJob(), 1);
  const deps = { jobs, recentJobs: new RecentJobs(), clock: systemClock };
  expect(await findJob(1, { kind: 'video', objectId: 'a/b' }, deps)).toBeUndefined();
  expect(asked()).toBe(0);
});

test('the store is awaited for a job that is about to be deleted', async () => {
  const job = sampleJob();
  const { jobs } = createStore(job, 2);
  expect(await findStoredJob(job, { jobs })).toBe(job);
});

test('a list waits for the newest job of its account, and for no other', async () => {
  const job = sampleJob({ createdAtMs: systemClock.now() });
  const { jobs, asked } = createStore(job, 2);
  const recentJobs = new RecentJobs();
  recentJobs.add(job);
  recentJobs.add(sampleJob({ accountId: 2, objectId: 'another', createdAtMs: systemClock.now() }));
  await awaitNewestJob(3, { jobs, recentJobs, clock: systemClock });
  expect(asked()).toBe(0);
  await awaitNewestJob(1, { jobs, recentJobs, clock: systemClock });
  expect(asked()).toBe(2);
});

test('recent jobs are few and forgotten soon', () => {
  const recent = new RecentJobs(2);
  const video = (objectId: string) => ({ kind: 'video', objectId }) as const;
  for (const objectId of ['a', 'b', 'c']) recent.add(sampleJob({ objectId, createdAtMs: 1_000 }));
  expect([
    recent.size,
    recent.find(1, video('a'), 1_000),
    recent.find(1, video('c'), 1_000)?.objectId,
  ]).toEqual([2, undefined, 'c']);
  expect(recent.find(1, video('c'), 1_000 + RECENT_JOB_MS)).toBeUndefined();
  recent.forget(1, { kind: 'batch', objectId: 'c' });
  expect(recent.find(1, video('c'), 1_000)).toBeDefined();
  recent.forget(1, video('c'));
  expect(recent.find(1, video('c'), 1_000)).toBeUndefined();
  recent.add(sampleJob({ objectId: 'd', createdAtMs: 2_000 + RECENT_JOB_MS }));
  expect(recent.size).toBe(1);
});
