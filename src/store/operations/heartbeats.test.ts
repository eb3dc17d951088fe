import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { endHeartbeat, type Heartbeat, hasLiveServer, loadLiveNodes, writeHeartbeat } from './heartbeats.ts';

let fresh: FreshDatabase;

beforeEach(async () => {
  fresh = await freshDatabase();
  await fresh.database.query(
    `insert into nodes (name, base_url, region, rate_micro) values
       ('north', 'https://north.example', 'eu', 100000000), ('south', 'https://south.example', 'us', 90000000)`,
  );
});
afterEach(() => fresh.drop());

const BEAT: Heartbeat = {
  node: 'north',
  instance: 'machine-a:8080',
  worker: 1,
  startedAtMs: 1_700_000_000_000,
  version: '1.2.3',
  activeCalls: 3,
};

const age = (worker: number, seconds: number) =>
  fresh.database.query(
    "update node_heartbeats set seen_at = now() - $1 * interval '1 second' where worker = $2",
    [seconds, worker],
  );

test('a node of the catalogue is alive while one of its processes sends heartbeats', async () => {
  expect(await loadLiveNodes(fresh.database)).toMatchObject([
    { name: 'north', alive: false, workers: 0, lastSeenAtMs: undefined },
    { name: 'south', alive: false, workers: 0, lastSeenAtMs: undefined },
  ]);
  for (const worker of [1, 2]) await writeHeartbeat(fresh.database, { ...BEAT, worker });
  await writeHeartbeat(fresh.database, { ...BEAT, instance: 'machine-b:8080', worker: 3 });
  await writeHeartbeat(fresh.database, { ...BEAT, node: 'not in the catalogue' });
  await age(2, 60);
  const [north, unlisted, south] = await loadLiveNodes(fresh.database);
  expect(unlisted).toMatchObject({
    ...{ name: 'not in the catalogue', baseUrl: '', rateMicro: 100_000_000n, alive: true, workers: 1 },
  });
  expect(north).toMatchObject({
    baseUrl: 'https://north.example',
    rateMicro: 100_000_000n,
    alive: true,
    workers: 2,
    activeCalls: 6,
  });
  expect(Math.abs((north?.lastSeenAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
  expect(south).toMatchObject({ alive: false, workers: 0, activeCalls: 0 });
});

test('a process that sends another heartbeat is one process, with its newest figures', async () => {
  await writeHeartbeat(fresh.database, BEAT);
  await writeHeartbeat(fresh.database, { ...BEAT, activeCalls: 9 });
  expect((await loadLiveNodes(fresh.database))[0]).toMatchObject({ workers: 1, activeCalls: 9 });
});

test('a silent node is not alive, and has the time when it was last seen', async () => {
  await writeHeartbeat(fresh.database, BEAT);
  expect(await hasLiveServer(fresh.database)).toBe(true);
  await age(1, 16);
  expect(await hasLiveServer(fresh.database)).toBe(false);
  const [north] = await loadLiveNodes(fresh.database);
  expect(north).toMatchObject({ alive: false, workers: 0 });
  expect(north?.lastSeenAtMs).toBeGreaterThan(0);
});

test('a process that ends cleanly is not alive at once, and one that was silent for days is deleted', async () => {
  for (const worker of [1, 2, 3]) await writeHeartbeat(fresh.database, { ...BEAT, worker });
  await age(3, 8 * 24 * 3600);
  await endHeartbeat(fresh.database, BEAT);
  expect(await fresh.database.query('select worker from node_heartbeats order by worker')).toEqual([
    { worker: 1 },
    { worker: 2 },
  ]);
  expect((await loadLiveNodes(fresh.database))[0]).toMatchObject({ alive: true, workers: 1, activeCalls: 3 });
  await endHeartbeat(fresh.database, { ...BEAT, worker: 2 });
  expect(await hasLiveServer(fresh.database)).toBe(false);
  const [north] = await loadLiveNodes(fresh.database);
  expect(north).toMatchObject({ alive: false, workers: 0, lastSeenAtMs: expect.any(Number) });
  await writeHeartbeat(fresh.database, BEAT);
  expect((await loadLiveNodes(fresh.database))[0]).toMatchObject({ alive: true, workers: 1 });
});
