import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLogin } from '../../src/store/accounts/accounts.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { jobOf } from '../support/calls.ts';
import { createJobLedger, JobBooks } from '../support/job-books.ts';
import { until } from '../support/processes.ts';
import { openScene, type Scene } from './trial/scene.ts';

const POINTS = ['job.before-end-commit', 'job.after-end-commit'] as const;
const JOBS = 3;
const DAY_MS = 86_400_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
}, 300_000);
afterAll(() => scene?.close());

/** Jobs that are too old: whatever their vendor says, the server ends them, one after the other. */
test('every job ends once, wherever the server that ends it dies, and the money is exact', async () => {
  const { database } = scene;
  const books = new JobBooks(database);
  const accountId = (await findLogin(database, 'user@example.com'))?.accountId ?? 0;
  const before = await books.funds(accountId);
  for (const point of POINTS) {
    scene.server.kill('SIGKILL');
    await scene.server.exited;
    const createdAtMs = Date.now() - DAY_MS - 60_000;
    const jobs = Array.from({ length: JOBS }, () => jobOf({ accountId, createdAtMs }));
    await createJobLedger(database).settle(jobs);
    // The server is ready by then.
    await database.query(`update jobs set examine_at = now() + interval '8 seconds' where state = 'running'`);
    await scene.start({ TOLLGATE_FAULTS: `${point}=kill@2` });
    expect((await scene.server.exited).signal).toBe('SIGKILL');
    // What the dead server had claimed is nobody's for a while.
    await database.query(`update jobs set examine_at = now() where state = 'running'`);
    await scene.start();
    await until(async () => (await books.count(`jobs where state = 'running'`)) === 0);
    for (const job of jobs) {
      expect(await books.moves(job)).toEqual([
        ['hold', 'credits', -25_000_000n],
        ['hold', 'credits', 25_000_000n],
      ]);
      expect(await books.call(job)).toMatchObject({ verdict: 'failed', videos: 0n, credits_micro: 0n });
    }
  }
  expect(await books.count('jobs')).toBe(POINTS.length * JOBS);
  expect(await books.funds(accountId)).toMatchObject({ credits: before?.credits });
  expect(await examine(database)).toEqual([]);
}, 600_000);
