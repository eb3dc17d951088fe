import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/store/operations/doctor.ts';
import { needs, REDIS } from '../needs.ts';
import { until } from '../support/processes.ts';
import { begin, type Client, call } from './load.ts';
import { codeOf } from './outage.ts';
import { CHAT, TEXT_SHAPES } from './shapes.ts';
import { readSharedAccount } from './shared-gate.ts';
import { audit } from './trial/books.ts';
import { wrongShared } from './trial/counted.ts';
import { type Customer, makeCustomers, PAYERS_CATALOG } from './trial/payers.ts';
import { openScene, type Scene } from './trial/scene.ts';

const DRAIN_MS = 9_000;
const SHORT = 140;
const LONG = 60;
type Begun = ReturnType<typeof begin>;

describe('drain', needs(REDIS), () => {
  let scene: Scene;
  let customers: readonly Customer[];

  beforeAll(async () => {
    const environment = { TOLLGATE_DRAIN_MS: String(DRAIN_MS) };
    scene = await openScene({ catalog: PAYERS_CATALOG, store: 'external', gate: 'redis', environment });
    customers = await makeCustomers(scene.database, scene.environment);
  }, 300_000);
  afterAll(() => scene?.close());

  const clientAt = (index: number): Client => {
    const customer = customers[Math.floor(index / TEXT_SHAPES.length) % customers.length];
    return { key: scene.key, ...customer, url: scene.server.url };
  };

  function beginMany(count: number, name: string, directive: string): Begun[] {
    return Array.from({ length: count }, (_, index) => {
      const client = clientAt(index);
      const shape = TEXT_SHAPES[index % TEXT_SHAPES.length] ?? CHAT;
      const ask = { shape: client.reshape?.(shape) ?? shape, directive: `tag=${name}${index} ${directive}` };
      return begin(client, { ...ask, way: 'stream' });
    });
  }

  test('after SIGTERM 200 streams of all payers end or are cut, are settled, and Redis holds nothing', async () => {
    const long = beginMany(LONG, 'long', 'tokens=900 pace=100');
    await until(() => long.every(({ seen }) => seen.status === 200));
    const short = beginMany(SHORT, 'short', 'tokens=30 pace=200');
    await until(() => short.every(({ seen }) => seen.status === 200));
    const { server, database, redis } = scene;
    server.kill('SIGTERM');
    await until(async () => (await fetch(`${server.url}/readyz`)).status === 503);
    const late = await call(clientAt(0), { shape: CHAT, way: 'plain', directive: 'tag=late tokens=5' });
    expect(codeOf(late)).toBe(50_301);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const ends = (begun: readonly Begun[]) => Promise.all(begun.map(({ ended }) => ended));
    const ended = { short: await ends(short), long: await ends(long) };
    expect(ended.short.filter(({ finished, broken }) => !finished || broken)).toEqual([]);
    expect(ended.long.filter(({ finished, broken }) => finished || !broken)).toEqual([]);
    const seen = [...ended.short, ...ended.long];
    const witnesses = { seen, deathOf: () => Number.POSITIVE_INFINITY };
    const { problems, ...counts } = await audit(database, await scene.simulator.truth(), witnesses);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ finished: SHORT, cut: LONG, lost: 0, doubled: 0 });
    expect(await examine(database)).toEqual([]);
    if (redis === undefined) throw new Error('Redis runs');
    const parts = { database, redis: redis.inspect };
    expect((await wrongShared(parts, customers, { unheardMax: 0 })).wrong).toEqual([]);
    for (const { accountId } of customers) {
      const left = await readSharedAccount(redis.inspect, accountId);
      expect(left).toMatchObject({ running: [], pendingMicro: 0n, heldMicro: 0n, slots: [] });
    }
    const result = `${SHORT} ended, ${LONG} cut, all settled, exit 0, nothing held`;
    console.log(`proof | SIGTERM, gate on Redis | ${SHORT + LONG} streams | ${result}`);
  }, 300_000);
});
