import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { until } from '../../../test/support/processes.ts';
import { startRedis, startRedisCluster, type TestRedis } from '../../../test/support/redis.ts';
import { FaultyRedis } from '../../../test/support/servers/faulty-redis.ts';
import { silentLogger } from '../../kernel/log.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { EnterResult, Lease, NotTried } from '../contract.ts';
import { createCall, createPolicy, NOTHING_DONE, requireLease, rule, toReason } from '../suite/world.ts';
import { connectRedis, type RedisConnection } from './connect.ts';
import { createRedisGate, type RedisGate } from './gate.ts';
import type { RedisClient } from './script.ts';

const open = createPolicy([]);
const two = createPolicy([rule('requests', 60, 2n), rule('tokens', 60, 100n)], 2);

describe('a call beside another', needs(REDIS), () => {
  let redis: TestRedis;
  let connection: RedisConnection;
  let clock: ManualClock;
  let faulty: FaultyRedis;
  let accounts: RedisGate;
  let credentials: RedisGate;

  const gateOf = (client: RedisClient, prefix: string): RedisGate =>
    createRedisGate({ client, clock, log: silentLogger, prefix, serverTimeMs: () => clock.now() });

  beforeAll(async () => {
    redis = await startRedis();
    connection = await connectRedis(redis.url, silentLogger);
  });
  afterAll(async () => {
    connection?.close();
    await redis?.close();
  });
  beforeEach(async () => {
    await redis.inspect.flushall();
    clock = new ManualClock();
    faulty = new FaultyRedis(connection.client);
    accounts = gateOf(faulty, 'accounts:');
    credentials = gateOf(faulty, 'credentials:');
    return async () => {
      await accounts.close();
      await credentials.close();
    };
  });

  type Pair = readonly [EnterResult, EnterResult | NotTried];
  const enterBoth = (policy = open, tokens = 10): Promise<Pair> => {
    const call = createCall({ policy });
    const place = createCall({ accountId: 7, policy: two, inputTokens: tokens });
    return Promise.all([accounts.enter(call), credentials.enterBeside(call.callId, place)]);
  };
  const leaseOf = (result: EnterResult | NotTried): Lease => {
    if (result.kind === 'not-tried') throw new Error('not tried');
    return requireLease(result);
  };
  /** Slots, requests and tokens of the credential. */
  const used = async (): Promise<readonly unknown[]> => {
    const seen = await credentials.look({
      ...createCall({ accountId: 7, policy: two }),
      coverage: undefined,
      creditsPerYuan: 1,
    });
    return seen.kind === 'look'
      ? [seen.concurrent, ...seen.windows.map((window) => Number(window.used))]
      : [];
  };
  const scriptRuns = async (): Promise<number> => {
    const stats = await redis.inspect.info('commandstats');
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };

  it('enters in the same run of the script', async () => {
    await enterBoth();
    const before = await scriptRuns();
    const [call, place] = await enterBoth();
    expect((await scriptRuns()) - before).toBe(1);
    expect([call.kind, place.kind]).toEqual(['entered', 'entered']);
    expect(await used()).toEqual([2, 2, 20]);
  });

  it('is refused by its own limits alone, and the other call has entered', async () => {
    await enterBoth();
    await enterBoth();
    const [call, place] = await enterBoth();
    expect(call.kind).toBe('entered');
    expect(place.kind === 'not-tried' ? '' : toReason(place)).toBe('concurrency');
  });

  it('takes nothing if the other call is refused', async () => {
    const full = createPolicy([rule('requests', 60, 1n)]);
    await enterBoth(full);
    for (let times = 0; times < 20; times++) {
      const [call, place] = await enterBoth(full);
      expect([call.kind, place.kind]).toEqual(['gate-refused', 'not-tried']);
    }
    expect(await used()).toEqual([1, 1, 10]);
    expect(await redis.inspect.hkeys('credentials:{7}')).not.toContain('d');
  });

  it('takes exactly the limit of many pairs at once', async () => {
    const [, ...pairs] = await Promise.all([
      accounts.enter(createCall()),
      ...Array.from({ length: 50 }, () => enterBoth()),
    ]);
    const kinds = Map.groupBy(pairs, ([, place]) => place.kind);
    expect(kinds.get('entered')).toHaveLength(2);
    // A run is bounded, but no pair is parted.
    expect(kinds.get('not-tried')).toBeUndefined();
    expect(await used()).toEqual([2, 2, 20]);
  });

  it('returns everything when it is cancelled, and begins no window', async () => {
    const [, place] = await enterBoth();
    await credentials.cancel(leaseOf(place));
    expect([await used(), credentials.active]).toEqual([[0, 0, 0], 0]);
    expect(await redis.inspect.hkeys('credentials:{7}')).not.toContain('w:account:7:r:60');
    // A cancelled call is not remembered: there may be many.
    expect(await redis.inspect.hkeys('credentials:{7}')).not.toContain('d');
    const [, first] = await enterBoth();
    const [, second] = await enterBoth();
    await credentials.leave(leaseOf(first), { ...NOTHING_DONE, tokens: 30 });
    await credentials.cancel(leaseOf(second));
    expect(await used()).toEqual([0, 1, 30]);
  });

  it.each(['questions', 'answers'] as const)('returns it once, although %s get lost', async (lose) => {
    const [, place] = await enterBoth();
    faulty.lose = lose;
    await credentials.cancel(leaseOf(place));
    faulty.lose = 'nothing';
    await until(() => credentials.untold === 0);
    for (const arrive of faulty.lost) await arrive().catch(() => undefined);
    expect(await used()).toEqual([0, 0, 0]);
  });

  it('is taken back if the answer got lost', async () => {
    faulty.lose = 'answers';
    const kinds = (await enterBoth()).map(({ kind }) => kind);
    expect(kinds).toEqual(['gate-away', 'gate-away']);
    faulty.lose = 'nothing';
    await until(() => credentials.untold + accounts.untold === 0);
    expect(await used()).toEqual([0, 0, 0]);
  });

  it('is not tried by itself, on a cluster, or in another turn', async () => {
    const place = createCall({ accountId: 7, policy: two });
    expect((await credentials.enterBeside('req_nobody', place)).kind).toBe('not-tried');
    const call = createCall({ policy: open });
    await accounts.enter(call);
    expect((await credentials.enterBeside(call.callId, place)).kind).toBe('not-tried');
    expect(await used()).toEqual([0, 0, 0]);
    const cluster = await startRedisCluster();
    const many = await connectRedis(cluster.url, silentLogger);
    const apart = gateOf(many.client, 'credentials:');
    expect(many.client.joins).toBe(false);
    expect((await apart.enterBeside(call.callId, place)).kind).toBe('not-tried');
    await apart.close();
    many.close();
    await cluster.close();
  });
});
