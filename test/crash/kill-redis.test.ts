import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs, REDIS } from '../needs.ts';
import { SEED } from '../support/property-runs.ts';
import { seeded } from './load.ts';
import { slowestMs } from './starts.ts';
import { drawDeaths } from './trial/deaths.ts';
import { makeCustomers, PAYERS_CATALOG } from './trial/payers.ts';
import { openScene, type Scene } from './trial/scene.ts';
import { KILLS, patienceMs, READY_MS, tell } from './trial/size.ts';
import { Trial } from './trial/trial.ts';

describe('kills', needs(REDIS), () => {
  let scene: Scene;
  let trial: Trial;

  beforeAll(async () => {
    scene = await openScene({ catalog: PAYERS_CATALOG, store: 'external', gate: 'redis' });
    trial = new Trial(scene, await makeCustomers(scene.database, scene.environment), SEED + 2);
  }, 300_000);
  afterAll(() => scene?.close());

  test(
    `nothing is lost, doubled, or left on Redis when server and external PostgreSQL are killed under load (seed ${SEED})`,
    async () => {
      const wish = {
        kills: KILLS,
        share: 1,
        extras: ['database', 'both'],
        random: seeded(SEED + 3),
      } as const;
      await trial.run(drawDeaths(wish));
      tell('crash, external PostgreSQL, gate on Redis', trial.totals);
      expect(trial.totals).toMatchObject({ lost: 0, doubled: 0 });
      expect(slowestMs(trial.totals.starts)).toBeLessThan(READY_MS);
    },
    patienceMs,
  );

  test('the books are right when Redis is killed too, and returns without its memory', async () => {
    await trial.run([{ kind: 'redis' }]);
  }, 300_000);
});
