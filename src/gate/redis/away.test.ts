import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { sleep, until } from '../../../test/support/processes.ts';
import {
  startRedis,
  startRedisCluster,
  type TestRedis,
  type TestRedisCluster,
} from '../../../test/support/redis.ts';
import { FaultyRedis } from '../../../test/support/servers/faulty-redis.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { EnterResult, Lease, SettledCalls } from '../contract.ts';
import {
  CREDIT,
  CREDIT_YUAN,
  CREDITS_PER_YUAN,
  charged,
  createCall,
  createCoverage,
  createFunds,
  createHold,
  createPolicy,
  NOTHING_DONE,
  requireLease,
  rule,
  toReason,
} from '../suite/world.ts';
import { GATE_UNTOLD_AT_ONCE } from './bounds.ts';
import { connectRedis, type RedisConnection } from './connect.ts';
import { createRedisGate, type RedisGate } from './gate.ts';

const hold = createHold(createFunds({ creditsMicro: 15n * CREDIT }));
const greedy = { ...hold, wantMicro: 99n * CREDIT, shareMicro: 99n * CREDIT };
const policy = createPolicy(
  [rule('requests', 60, 1n), rule('tokens', 60, 100n), rule('amount', 60, 50n * CREDIT_YUAN)],
  1,
);
const AWAY = { kind: 'gate-away', retryAfterMs: 1_000 };
/** The promise is five seconds: `npm run prove` asks for them, this only whether it comes back by itself. */
const BACK_MS = 20_000;

describe('Redis away and back', needs(REDIS), () => {
  let redis: TestRedis;
  let connection: RedisConnection;
  let faulty: FaultyRedis;
  let gate: RedisGate;
  let other: RedisGate;

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
    faulty = new FaultyRedis(connection.client);
    gate = createRedisGate({ client: faulty, clock: systemClock, log: silentLogger });
    other = createRedisGate({ client: connection.client, clock: systemClock, log: silentLogger });
    return async () => {
      await gate.close();
      await other.close();
    };
  });

  const held = async (): Promise<bigint> => {
    const lease = requireLease(await other.enter(createCall({ money: greedy })));
    await other.leave(lease, NOTHING_DONE);
    return lease.heldMicro;
  };
  const state = async (): Promise<readonly string[]> => {
    const fields = Object.keys(await redis.inspect.hgetall('tollgate:{1}'));
    return fields.filter((field) => /^[cw]:/.test(field));
  };

  it('a call whose entry got no answer is taken out again, with all it took', async () => {
    faulty.lose = 'answers';
    const money = { ...hold, coverage: createCoverage(20n) };
    expect(await gate.enter(createCall({ policy, money, inputTokens: 9 }))).toEqual(AWAY);
    expect(gate.active).toBe(0);
    expect(gate.reachable).toBe(false);
    expect(toReason(await other.enter(createCall({ policy })))).toBe('concurrency');
    faulty.lose = 'nothing';
    await until(async () => (await state()).length === 0);
    expect(requireLease(await other.enter(createCall({ policy, money, inputTokens: 100 })))).toMatchObject({
      payer: 'subscription',
      heldMicro: 10n * CREDIT,
    });
  });

  it('the removal of such a call returns only its own part of a window', async () => {
    const wide = createPolicy([rule('requests', 60, 3n)]);
    requireLease(await other.enter(createCall({ policy: wide })));
    faulty.lose = 'answers';
    await gate.enter(createCall({ policy: wide }));
    faulty.lose = 'nothing';
    await until(async () => (await state()).length === 2);
    requireLease(await other.enter(createCall({ policy: wide })));
    requireLease(await other.enter(createCall({ policy: wide })));
    expect(await other.enter(createCall({ policy: wide }))).toMatchObject({ reason: 'requests', used: 3n });
  });

  it('a call that could not be sent leaves no trace', async () => {
    faulty.lose = 'questions';
    expect(await gate.enter(createCall({ policy, money: hold }))).toEqual(AWAY);
    faulty.lose = 'nothing';
    await sleep(300);
    expect(await state()).toEqual([]);
    expect(toReason(await gate.enter(createCall({ policy, money: hold })))).toBe('entered');
  });

  for (const lose of ['answers', 'questions'] as const) {
    it(`an end is sent until it is confirmed, and counts once, although ${lose} are lost`, async () => {
      const lease = requireLease(await gate.enter(createCall({ policy, money: hold, inputTokens: 10 })));
      faulty.lose = lose;
      await gate.leave(lease, { ...charged(7n), tokens: 60 });
      await sleep(250);
      faulty.lose = 'nothing';
      await until(async () => (await held()) === 8n * CREDIT);
      await sleep(250);
      expect(await held()).toBe(8n * CREDIT);
      expect(
        await other.enter(createCall({ policy: createPolicy([rule('tokens', 60, 100n)]), inputTokens: 41 })),
      ).toMatchObject({ reason: 'tokens', used: 60n });
    });

    it(`a settlement is sent until it is confirmed, although ${lose} are lost, and its call leaves nothing pending`, async () => {
      const lease = requireLease(await gate.enter(createCall({ money: hold })));
      faulty.lose = lose;
      await gate.leave(lease, charged(7n));
      const funds = createFunds({ version: 2, creditsMicro: 8n * CREDIT });
      await gate.settled({
        accountId: 1,
        calls: [{ callId: lease.callId, chargeMicro: 7n * CREDIT }],
        funds,
      });
      faulty.lose = 'nothing';
      await until(async () => (await state()).length === 0);
      await sleep(250);
      expect(await held()).toBe(8n * CREDIT);
    });
  }

  it('the hold of a settled call is never available before its charge is known', async () => {
    const lease = requireLease(await gate.enter(createCall({ money: hold })));
    faulty.lose = 'questions';
    await gate.leave(lease, charged(7n));
    for (let version = 0; version < GATE_UNTOLD_AT_ONCE; version++) await gate.raiseVersion(1, 1);
    await gate.settled(settledFor(7n, lease));
    const free = new Set<bigint>();
    let probing: Promise<unknown> = Promise.resolve();
    // One after the other: a probe holds all that is free.
    faulty.afterwards = async () => {
      probing = probing.then(async () => free.add(await held()));
      await probing;
    };
    faulty.lose = 'nothing';
    await until(() => gate.untold === 0);
    expect([...free]).toEqual([8n * CREDIT]);
  });

  it('a stream that extends its hold while Redis is briefly away waits, and gets it once', async () => {
    const lease = requireLease(await gate.enter(createCall({ money: hold })));
    faulty.lose = 'answers';
    const asked = gate.extend(lease, 2n * CREDIT);
    await sleep(300);
    faulty.lose = 'nothing';
    expect(await asked).toBe(2n * CREDIT);
    expect(lease.heldMicro).toBe(12n * CREDIT);
    expect(await held()).toBe(3n * CREDIT);
  });

  it('a stream that extends its hold and gets no answer for two seconds gets nothing', async () => {
    const lease = requireLease(await gate.enter(createCall({ money: hold })));
    faulty.lose = 'questions';
    const startedAt = performance.now();
    expect(await gate.extend(lease, 2n * CREDIT)).toBe(0n);
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
    expect(lease).toMatchObject({ heldMicro: 10n * CREDIT, shortOf: 'credits' });
    expect(await gate.rehold(lease, greedy)).toEqual(AWAY);
    expect(lease.heldMicro).toBe(10n * CREDIT);
  });

  const cost = { policy: createPolicy([rule('amount', 60, 50n * CREDIT_YUAN)]), money: hold };
  const settledFor = (credits: bigint, { callId }: Lease): SettledCalls => ({
    accountId: 1,
    calls: [{ callId, chargeMicro: credits * CREDIT, amountMicro: credits * CREDIT_YUAN }],
    funds: createFunds({ version: 2, creditsMicro: (15n - credits) * CREDIT }),
  });
  const counted = async (): Promise<bigint | undefined> => {
    const look = await other.look({
      ...createCall(cost),
      coverage: undefined,
      creditsPerYuan: CREDITS_PER_YUAN,
    });
    return look.kind === 'look' ? look.windows[0]?.used : undefined;
  };

  it('a stream that left extends no hold, although it was waiting for Redis', async () => {
    const lease = requireLease(await gate.enter(createCall(cost)));
    faulty.lose = 'questions';
    const asked = gate.extend(lease, 2n * CREDIT);
    await gate.leave(lease, charged(7n));
    faulty.lose = 'nothing';
    expect(await asked).toBe(0n);
    await until(() => gate.untold === 0);
    expect(await held()).toBe(8n * CREDIT);
  });

  it('an extension that arrives after the end changes nothing', async () => {
    const lease = requireLease(await gate.enter(createCall(cost)));
    faulty.lose = 'questions';
    const asked = gate.extend(lease, 2n * CREDIT);
    faulty.lose = 'nothing';
    await gate.leave(lease, charged(7n));
    await until(() => gate.untold === 0);
    expect(faulty.lost).toHaveLength(1);
    await Promise.all(faulty.lost.map((ask) => ask()));
    expect(await asked).toBe(0n);
    expect(await redis.inspect.hget('tollgate:{1}', `c:${lease.callId}`)).toMatch(/^p 7000000 /);
    expect(await held()).toBe(8n * CREDIT);
    await gate.settled(settledFor(7n, lease));
    expect(await counted()).toBe(7n * CREDIT_YUAN);
    expect(await held()).toBe(8n * CREDIT);
  });

  describe('a message that arrives after its call was settled changes nothing', () => {
    const arrive = async (): Promise<void> => {
      faulty.lose = 'nothing';
      await until(() => gate.untold === 0);
      expect(faulty.lost.length).toBeGreaterThan(0);
    };
    const nothingChanged = async (): Promise<void> => {
      const before = await redis.inspect.hgetall('tollgate:{1}');
      for (const ask of faulty.lost) await ask();
      expect(await redis.inspect.hgetall('tollgate:{1}')).toEqual(before);
      expect(Object.keys(before).filter((field) => field.startsWith('c:'))).toEqual([]);
    };

    it('as an end', async () => {
      const lease = requireLease(await gate.enter(createCall(cost)));
      faulty.lose = 'questions';
      await gate.leave(lease, charged(7n));
      await arrive();
      await gate.settled(settledFor(7n, lease));
      await nothingChanged();
      expect([await counted(), await held()]).toEqual([7n * CREDIT_YUAN, 8n * CREDIT]);
    });

    it.each(['extend', 'rehold'] as const)('as its %s', async (way) => {
      const lease = requireLease(await gate.enter(createCall(cost)));
      faulty.lose = 'questions';
      const asked = way === 'extend' ? gate.extend(lease, CREDIT) : gate.rehold(lease, hold);
      await until(() => !gate.reachable);
      faulty.lose = 'nothing';
      await gate.leave(lease, charged(7n));
      await asked;
      await arrive();
      await gate.settled(settledFor(7n, lease));
      await nothingChanged();
      expect([await counted(), await held()]).toEqual([7n * CREDIT_YUAN, 8n * CREDIT]);
    });

    it('as an entry', async () => {
      faulty.lose = 'questions';
      expect(await gate.enter(createCall({ policy, money: hold }))).toEqual(AWAY);
      await arrive();
      await nothingChanged();
      expect(toReason(await other.enter(createCall({ policy, money: hold })))).toBe('entered');
    });
  });

  it('a killed server closes the gate at once, and one that returns opens it within 5 s', async () => {
    const lease = requireLease(await gate.enter(createCall({ money: hold })));
    await redis.kill();
    const startedAt = performance.now();
    const refused = await Promise.all(
      Array.from({ length: 50 }, () => gate.enter(createCall({ money: hold }))),
    );
    expect(refused).toEqual(Array.from({ length: 50 }, () => AWAY));
    expect(performance.now() - startedAt).toBeLessThan(BACK_MS);
    await gate.leave(lease, charged(7n));
    await redis.restart();
    await expectBack(gate);
    // The server has forgotten everything, and hears of the end only now: what is pending is not spent again.
    await until(async () => (await held()) === 8n * CREDIT);
  });

  it('a frozen server closes the gate, and calls without an answer are taken out when it continues', async () => {
    redis.freeze();
    const unheard = await gate.enter(createCall({ policy, money: hold }));
    redis.thaw();
    expect(unheard).toEqual(AWAY);
    await expectBack(gate);
    await until(async () => toReason(await gate.enter(createCall({ policy, money: hold }))) === 'entered');
  });
});

async function expectBack(gate: RedisGate): Promise<void> {
  const startedAt = performance.now();
  await until(async () => {
    const result: EnterResult = await gate.enter(createCall({ accountId: 99 }));
    if (result.kind !== 'entered') return false;
    await gate.leave(result.lease, NOTHING_DONE);
    return true;
  });
  expect(performance.now() - startedAt).toBeLessThan(BACK_MS);
}

describe('a cluster master away and back', needs(REDIS), () => {
  let cluster: TestRedisCluster;
  let connection: RedisConnection;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    connection = await connectRedis(cluster.url, silentLogger);
  });
  afterAll(async () => {
    connection?.close();
    await cluster?.close();
  });

  it('closes the gate for its accounts, and opens it within 5 s of the complete cluster', async () => {
    const gate = createRedisGate({ client: connection.client, clock: systemClock, log: silentLogger });
    const accounts = Array.from({ length: 30 }, (_, index) => index + 1);
    const enterAll = (): Promise<readonly EnterResult[]> =>
      Promise.all(accounts.map((accountId) => gate.enter(createCall({ accountId }))));
    const leases: Lease[] = (await enterAll()).map(requireLease);
    expect(connection.kind).toBe('cluster');
    await cluster.masters[1]?.kill();
    const during = await enterAll();
    const away = during.filter((result) => result.kind === 'gate-away');
    expect(away.length).toBeGreaterThan(0);
    leases.push(...during.filter((result) => result.kind === 'entered').map(requireLease));
    await cluster.masters[1]?.restart();
    const startedAt = performance.now();
    await until(async () => {
      const results = await enterAll();
      leases.push(...results.filter((result) => result.kind === 'entered').map(requireLease));
      return results.every((result) => result.kind === 'entered');
    });
    expect(performance.now() - startedAt).toBeLessThan(BACK_MS);
    await Promise.all(leases.map((lease) => gate.leave(lease, NOTHING_DONE)));
    expect(gate.active).toBe(0);
    await gate.close();
  });
});
