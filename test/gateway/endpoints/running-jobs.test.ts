import { afterAll, beforeAll, expect, it } from 'vitest';
import { JOBS_PER_ACCOUNT_MAX } from '../../../src/bounds.ts';
import type { World } from '../../support/world.ts';
import { startVideosWorld } from './videos-world.ts';

let world: World;
beforeAll(async () => {
  world = await startVideosWorld();
});
afterAll(() => world.close());

const BODY = { model: 'film', prompt: 'a boat [[sim steps=100]]' };

/** Jobs that no round looks at in the time of this test. */
async function addRunning(email: string, count: number): Promise<void> {
  await world.database.query(
    `insert into jobs (call_id, account_id, kind, object_id, route_id, credential, own, model, created_at, hidden,
       examine_at, record, held_micro, month, spent_micro, exchanged_micro)
     select 'call-' || accounts.id || '-' || at, accounts.id, case at % 2 when 0 then 'video' else 'batch' end,
       'object-' || at, 1, 'openai', false, 'film', now(), at % 3 = 0,
       now() + interval '1 day', '{}', 0, '2026-11', 0, 0
     from accounts, generate_series(1, $2::int) as at where email = $1`,
    [email, count],
  );
}

it('an account with too many running jobs gets no more until some end', async () => {
  const other = await world.newKey('other@example.com');
  await addRunning('other@example.com', JOBS_PER_ACCOUNT_MAX);
  const before = world.simulator.stats.requests;
  const refused = await world.post('/v1/videos', BODY, { authorization: `Bearer ${other}` });
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    code: 42901,
    message: expect.stringContaining(`${JOBS_PER_ACCOUNT_MAX} videos and batches`),
  });
  expect(refused.headers.get('x-tollgate-limit')).toContain(`jobs; limit=${JOBS_PER_ACCOUNT_MAX};`);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(world.simulator.stats.requests).toBe(before);

  // The account's own count alone matters, and an ended job is none.
  expect((await world.post('/v1/videos', BODY)).status).toBe(200);
  await world.database.query(
    "update jobs set state = 'void', ended_at = now() where object_id = 'object-1' and route_id = 1",
  );
  const allowed = await world.post('/v1/videos', BODY, { authorization: `Bearer ${other}` });
  expect(allowed.status).toBe(200);
  await world.database.query("delete from jobs where object_id like 'object-%'");
});

it('the count is read from an index', async () => {
  const plan = await world.database.transaction(async (transaction) => {
    await transaction.query('set local enable_seqscan = off');
    return transaction.query<Record<string, string>>(
      "explain select 1 from jobs where account_id = 1 and state = 'running' limit 1000",
    );
  });
  expect(JSON.stringify(plan)).toContain('jobs_running');
});
