import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OLDEST_SERVED } from '../../src/store/migrate.ts';
import { seeded } from '../crash/load.ts';
import { codeOf, isIdle, judge } from '../crash/outage.ts';
import { needs, REDIS } from '../needs.ts';
import { type ServerProcess, sleep, until } from '../support/processes.ts';
import { BalancedLoad, isTurnedAway } from './balanced-load.ts';
import { command, type Installation, makeCustomers, openInstallation } from './installation.ts';
import {
  THIS_VERSION,
  unpackVersionBefore,
  VERSION_BEFORE,
  type Version,
  type VersionBefore,
} from './version-before.ts';

const NAMES = ['north', 'south'] as const;
/** For each payer and, of streams and plain calls, each protocol. */
const SIZE = { streams: 1, plains: 1, images: 1, paceMs: 40 };
/** How long both nodes serve between two changes. */
const PAUSE_MS = 1_500;

describe('two nodes of the version before', needs(REDIS, VERSION_BEFORE), () => {
  let before: VersionBefore;
  let site: Installation;
  const nodes: ServerProcess[] = [];

  beforeAll(async () => {
    before = await unpackVersionBefore();
    site = await openInstallation();
    for (const name of NAMES) nodes.push(await site.startNode(name, before));
  });

  afterAll(async () => {
    for (const node of nodes) {
      node.kill('SIGKILL');
      await node.exited;
    }
    await site?.close();
    await before?.remove();
  });

  /** One node after the other drains, ends and comes back with another version. */
  async function roll(version: Version): Promise<void> {
    for (const [index, name] of NAMES.entries()) {
      const node = nodes[index];
      node?.kill('SIGTERM');
      expect(await node?.exited).toEqual({ code: 0, signal: null });
      nodes[index] = await site.startNode(name, version);
      await sleep(PAUSE_MS);
    }
  }

  const migrations = async (): Promise<number> =>
    (await site.database.query('select name from migrations')).length;

  test('are upgraded and rolled back under load without a lost or doubled charge', async () => {
    expect(before.lastMigration).toBeGreaterThanOrEqual(OLDEST_SERVED);
    expect(await migrations()).toBe(before.lastMigration);
    const load = new BalancedLoad(nodes, SIZE, seeded(20_261_118));
    load.start(await makeCustomers(site, before));
    await sleep(PAUSE_MS);
    await roll(THIS_VERSION);
    expect(await migrations()).toBeGreaterThan(before.lastMigration);
    const number = String(before.lastMigration).padStart(3, '0');
    await command(site, THIS_VERSION, ['migrate', '--back-to', number]);
    await roll(before);
    await load.end();
    await until(async () => (await Promise.all(nodes.map((node) => isIdle(node)))).every(Boolean));

    const turnedAway = load.seen.filter(isTurnedAway);
    const others = load.seen.filter((seen) => !isTurnedAway(seen));
    expect(others.filter(({ status, finished }) => status !== 200 || !finished)).toEqual([]);
    expect(load.unserved).toBe(0);
    const { problems, ...counts } = await judge(site.database, site.simulator, load);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ lost: 0, doubled: 0, cut: 0 });
    // A call may be made again elsewhere only if nothing came of it.
    const reached = new Set((await site.simulator.truth()).map(({ tag }) => tag));
    expect(turnedAway.filter(({ tag }) => reached.has(tag))).toEqual([]);
    const refused = turnedAway.filter((seen) => codeOf(seen) === 50_301);
    expect(refused.filter(({ retryAfter }) => retryAfter === undefined)).toEqual([]);
    expect(await command(site, THIS_VERSION, ['migrate', '--json'])).toBe('{"applied":[]}');
    expect(await command(site, THIS_VERSION, ['doctor'])).toContain('no findings');
    const unheard = turnedAway.filter(
      ({ requestId, failure }) => requestId === undefined && failure !== 'ECONNREFUSED',
    );
    const away = `${turnedAway.length} tries turned away (${refused.length} with 50301, ${unheard.length} by a reset)`;
    const result = `${counts.finished} finished, 0 cut, 0 lost, 0 doubled; ${away}; doctor clean`;
    console.log(`proof | upgrade and back, two nodes | ${counts.finished} calls | ${result}`);
  });
});
