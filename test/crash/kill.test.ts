import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/processes.ts';
import { SEED } from '../support/property-runs.ts';
import { begin, seeded } from './load.ts';
import { CHAT, TEXT_SHAPES } from './shapes.ts';
import { slowestMs } from './starts.ts';
import { drawDeaths } from './trial/deaths.ts';
import { makeCustomers, PAYERS_CATALOG } from './trial/payers.ts';
import { openScene, type Scene } from './trial/scene.ts';
import { KILLS, patienceMs, READY_MS, tell } from './trial/size.ts';
import { Trial } from './trial/trial.ts';

let scene: Scene;
let trial: Trial;

beforeAll(async () => {
  scene = await openScene({ catalog: PAYERS_CATALOG });
  trial = new Trial(scene, await makeCustomers(scene.database, scene.environment), SEED);
}, 300_000);
afterAll(() => scene?.close());

test(
  `nothing is lost or doubled when server and embedded database are killed under load (seed ${SEED})`,
  async () => {
    const wish = { kills: KILLS, share: 0, extras: ['database', 'both'], random: seeded(SEED + 1) } as const;
    await trial.run(drawDeaths(wish));
    tell('crash, embedded PostgreSQL, gate in memory', trial.totals);
    expect(trial.totals).toMatchObject({ lost: 0, doubled: 0 });
    expect(slowestMs(trial.totals.starts)).toBeLessThan(READY_MS);
  },
  patienceMs,
);

test('a stream whose end the client has seen is charged to the token when the server dies before its own end', async () => {
  // The vendor says everything and then keeps the line open.
  const streams = Array.from({ length: 20 }, (_, index) => {
    const shape = TEXT_SHAPES[index % TEXT_SHAPES.length] ?? CHAT;
    const directive = `tag=end${index} tokens=${10 + index} fault=stall@1000000`;
    return begin(trial.clients[0], { shape, way: 'stream', directive });
  });
  await until(() => streams.every(({ seen }) => seen.finished));
  trial.deaths.push(performance.now());
  scene.server.kill('SIGKILL');
  const ended = await Promise.all(streams.map((stream) => stream.ended));
  expect(ended.every(({ broken }) => broken)).toBe(true);
  trial.load.seen.push(...ended);
  await trial.restart();
  await trial.endChapter();
}, 300_000);
