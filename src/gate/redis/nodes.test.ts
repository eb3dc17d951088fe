import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { startRedis, type TestRedis } from '../../../test/support/redis.ts';
import { SLOT_LIFETIME_MS } from '../../bounds.ts';
import { silentLogger } from '../../kernel/log.ts';
import { ManualClock, systemClock } from '../../kernel/time/clock.ts';
import type { Lease } from '../contract.ts';
import {
  CREDIT,
  CREDIT_YUAN,
  charged,
  covered,
  createCall,
  createCoverage,
  createFunds,
  createHold,
  createMoney,
  createPolicy,
  NOTHING_DONE,
  requireLease,
  rule,
  toReason,
  toSettled,
} from '../suite/world.ts';
import { GATE_FUNDS_AGE_MS, GATE_KEEP_MS, GATE_LEASE_MS } from './bounds.ts';
import { connectRedis, type RedisConnection } from './connect.ts';
import { createRedisGate, type RedisGate } from './gate.ts';

const single = createPolicy([], 1);
const minute = createPolicy([rule('requests', 60, 1n)]);
const hold = createHold(createFunds({ creditsMicro: 15n * CREDIT }));

describe('many nodes on one Redis', needs(REDIS), () => {
  let redis: TestRedis;
  let connection: RedisConnection;
  let clock: ManualClock;
  let here: RedisGate;
  let there: RedisGate;

  const nodeWith = (serverTime: 'given' | 'its own'): RedisGate =>
    createRedisGate({
      client: connection.client,
      clock: serverTime === 'given' ? clock : systemClock,
      log: silentLogger,
      ...(serverTime === 'given' ? { serverTimeMs: () => clock.now() } : {}),
    });

  beforeAll(async () => {
    redis = await startRedis();
    // Nothing here is about time limits, and the machine may be busy.
    connection = await connectRedis(redis.url, silentLogger, 25_000);
  });
  afterAll(async () => {
    connection?.close();
    await redis?.close();
  });
  beforeEach(async () => {
    await redis.inspect.flushall();
    clock = new ManualClock();
    here = nodeWith('given');
    there = nodeWith('given');
    return async () => {
      await here.close();
      await there.close();
    };
  });

  const held = async (
    gate: RedisGate,
    money = { ...hold, wantMicro: 99n * CREDIT, shareMicro: 99n * CREDIT },
  ): Promise<bigint> => {
    const lease = requireLease(await gate.enter(createCall({ money })));
    await gate.leave(lease, NOTHING_DONE);
    return lease.heldMicro;
  };

  it('count slots, windows and money together', async () => {
    const first = requireLease(await here.enter(createCall({ policy: single, money: hold })));
    expect(toReason(await there.enter(createCall({ policy: single })))).toBe('concurrency');
    expect(await held(there)).toBe(5n * CREDIT);
    await here.leave(first, NOTHING_DONE);
    expect(toReason(await there.enter(createCall({ policy: minute })))).toBe('entered');
    expect(toReason(await here.enter(createCall({ policy: minute })))).toBe('requests');
    expect([here.active, there.active]).toEqual([0, 1]);
  });

  it('refuse a decision with an older account, which consumes nothing', async () => {
    await here.enter(createCall({ accountVersion: 3 }));
    expect(await there.enter(createCall({ accountVersion: 2, policy: minute }))).toEqual({ kind: 'stale' });
    expect(toReason(await there.enter(createCall({ accountVersion: 3, policy: minute })))).toBe('entered');
    await here.raiseVersion(1, 5);
    await here.raiseVersion(1, 4);
    expect(toReason(await there.enter(createCall({ accountVersion: 4 })))).toBe('stale');
    expect(toReason(await there.enter(createCall({ accountVersion: 5 })))).toBe('entered');
  });

  it('refuse an old version that was raised before any call', async () => {
    await here.raiseVersion(7, 2);
    expect(toReason(await there.enter(createCall({ accountId: 7, accountVersion: 1 })))).toBe('stale');
    expect(await redis.inspect.pttl('tollgate:{7}')).toBeGreaterThan(GATE_KEEP_MS - 60_000);
  });

  it('release money and slots of a dead node with its lease', async () => {
    const policy = createPolicy([rule('amount', 3600, 12n * CREDIT_YUAN), rule('requests', 3600, 9n)], 1);
    const money = { ...hold, coverage: createCoverage(11n) };
    const coveredCall = requireLease(await here.enter(createCall({ policy, scope: 'key:1', money })));
    expect(coveredCall).toMatchObject({ payer: 'subscription', heldMicro: 10n * CREDIT });
    requireLease(await here.enter(createCall({ money: hold })));
    // Another key of the account looks at all pots: coverage, amount window and Credits.
    clock.advance(GATE_LEASE_MS - 1);
    expect(await held(there)).toBe(5n * CREDIT);
    expect(await held(there, createMoney({ coverage: createCoverage(11n) }))).toBe(1n * CREDIT);
    clock.advance(1);
    expect(await held(there)).toBe(15n * CREDIT);
    const full = createMoney({ coverage: createCoverage(11n), wantMicro: 11n * CREDIT });
    expect(await held(there, full)).toBe(11n * CREDIT);
    const next = createCall({ policy, scope: 'key:1', money: { ...full, wantMicro: 12n * CREDIT } });
    expect(requireLease(await there.enter(next)).heldMicro).toBe(11n * CREDIT);
  });

  it('free the slots of a dead node at once during recovery, each in its own scope', async () => {
    const ofKey = { policy: single, scope: 'key:1' };
    const dead = requireLease(await here.enter(createCall({ ...ofKey, money: hold })));
    const alive = requireLease(await here.enter(createCall({ policy: single })));
    const funds = createFunds({ version: 2, creditsMicro: 8n * CREDIT });
    expect(toReason(await there.enter(createCall(ofKey)))).toBe('concurrency');
    await there.settled(toSettled(dead, 7n, funds));
    const next = requireLease(await there.enter(createCall(ofKey)));
    await there.settled(toSettled(dead, 7n, funds));
    expect(toReason(await there.enter(createCall(ofKey)))).toBe('concurrency');
    expect(toReason(await there.enter(createCall({ policy: single })))).toBe('concurrency');
    await there.leave(next, NOTHING_DONE);
    await here.leave(alive, NOTHING_DONE);
  });

  it('do not free the slot of a running call at a settlement', async () => {
    const lease = requireLease(await here.enter(createCall({ policy: single, money: hold })));
    await here.settled(toSettled(lease, 7n, createFunds({ version: 2, creditsMicro: 8n * CREDIT })));
    expect(toReason(await there.enter(createCall({ policy: single })))).toBe('concurrency');
    await here.leave(lease, charged(7n));
    expect(toReason(await there.enter(createCall({ policy: single })))).toBe('entered');
  });

  it.each([
    ['renews', () => here.renew()],
    ['asks for more', (lease: Lease) => here.extend(lease, CREDIT)],
  ])('return the slots of a node after a long absence when it %s', async (_, comesBack) => {
    const lease = requireLease(await here.enter(createCall({ policy: single, money: hold })));
    clock.advance(GATE_LEASE_MS);
    const other = requireLease(await there.enter(createCall({ policy: single })));
    await comesBack(lease);
    await there.leave(other, NOTHING_DONE);
    expect(toReason(await there.enter(createCall({ policy: single })))).toBe('concurrency');
    clock.advance(SLOT_LIFETIME_MS - GATE_LEASE_MS);
    expect(toReason(await there.enter(createCall({ policy: single })))).toBe('entered');
    await here.renew();
    expect(toReason(await there.enter(createCall({ policy: single })))).toBe('concurrency');
    await here.leave(lease, NOTHING_DONE);
  });

  it('keep the holds of a living node, however long the call runs', async () => {
    const lease = requireLease(await here.enter(createCall({ money: hold })));
    for (let minutes = 0; minutes < 20; minutes++) {
      clock.advance(30_000);
      await here.renew();
      expect(await held(there)).toBe(5n * CREDIT);
    }
    await here.leave(lease, NOTHING_DONE);
    expect(await held(there)).toBe(15n * CREDIT);
  });

  it('keep a pending charge beyond its lease, and settle it once', async () => {
    const lease = requireLease(await here.enter(createCall({ money: hold })));
    await here.leave(lease, charged(7n));
    clock.advance(3_600_000);
    expect(await held(there)).toBe(8n * CREDIT);
    const newer = createHold(createFunds({ version: 2, creditsMicro: 8n * CREDIT }), {
      wantMicro: 99n * CREDIT,
    });
    const settlement = toSettled(lease, 7n, newer.wallet?.funds ?? createFunds());
    for (let times = 0; times < 3; times++) await there.settled(settlement);
    expect(await held(here)).toBe(8n * CREDIT);
  });

  it('settle what a dead node held and never released', async () => {
    const lease = requireLease(await here.enter(createCall({ money: hold })));
    await there.settled(toSettled(lease, 7n, createFunds({ version: 2, creditsMicro: 8n * CREDIT })));
    expect(await held(there)).toBe(8n * CREDIT);
  });

  it('renew the calls of one account together', async () => {
    const calls = [undefined, hold, undefined, hold];
    const leases = await Promise.all(calls.map((money) => here.enter(createCall({ money }))));
    for (let times = 0; times < 4; times++) {
      clock.advance(GATE_LEASE_MS / 2);
      await here.renew();
    }
    expect(toReason(await there.enter(createCall({ money: hold })))).toBe('credits');
    for (const result of leases) await here.leave(requireLease(result), NOTHING_DONE);
    expect(await held(there)).toBe(15n * CREDIT);
  });

  it('count the cost of a call of a dead node in its windows, once', async () => {
    const policy = createPolicy([rule('amount', 3600, 12n * CREDIT_YUAN)]);
    const lease = requireLease(await here.enter(createCall({ policy, money: hold })));
    const amountMicro = 7n * CREDIT_YUAN;
    const call = { callId: lease.callId, chargeMicro: 7n * CREDIT, amountMicro };
    const funds = createFunds({ version: 2, creditsMicro: 8n * CREDIT });
    for (let times = 0; times < 2; times++) await there.settled({ accountId: 1, calls: [call], funds });
    expect(requireLease(await there.enter(createCall({ policy, money: hold })))).toMatchObject({
      heldMicro: 5n * CREDIT,
      shortOf: 'amount',
    });
  });

  it('count the cost of a living call when it leaves, although it was settled before', async () => {
    const policy = createPolicy([rule('amount', 3600, 12n * CREDIT_YUAN)]);
    const lease = requireLease(await here.enter(createCall({ policy, money: hold })));
    const call = { callId: lease.callId, chargeMicro: 7n * CREDIT, amountMicro: 7n * CREDIT_YUAN };
    const funds = createFunds({ version: 2, creditsMicro: 8n * CREDIT });
    await here.settled({ accountId: 1, calls: [call], funds });
    await here.leave(lease, charged(7n));
    expect(requireLease(await there.enter(createCall({ policy, money: hold })))).toMatchObject({
      heldMicro: 5n * CREDIT,
      shortOf: 'amount',
    });
  });

  it('charge and count a call that leaves after its lease expired', async () => {
    const policy = createPolicy([rule('amount', 3600, 100n * CREDIT_YUAN), rule('tokens', 3600, 100n)]);
    const late = requireLease(await here.enter(createCall({ policy, money: hold, inputTokens: 10 })));
    clock.advance(GATE_LEASE_MS);
    expect(await held(there)).toBe(15n * CREDIT);
    await here.leave(late, { ...charged(7n), tokens: 60 });
    expect(await held(there)).toBe(8n * CREDIT);
    expect(await there.enter(createCall({ policy, inputTokens: 41 }))).toMatchObject({ used: 60n });
    const dear = createMoney({ leastMicro: 94n * CREDIT, coverage: createCoverage(999n) });
    expect(await there.enter(createCall({ policy, money: dear }))).toMatchObject({ used: 7n * CREDIT_YUAN });
  });

  it('take an expired hold again when the call extends it', async () => {
    const lease = requireLease(await here.enter(createCall({ money: hold })));
    clock.advance(GATE_LEASE_MS);
    expect(await held(there)).toBe(15n * CREDIT);
    expect(await here.extend(lease, 2n * CREDIT)).toBe(2n * CREDIT);
    expect(await held(there)).toBe(3n * CREDIT);
    const other = requireLease(await there.enter(createCall({ money: hold })));
    expect(other.heldMicro).toBe(3n * CREDIT);
    expect(await here.extend(lease, CREDIT)).toBe(0n);
    expect(lease).toMatchObject({ heldMicro: 12n * CREDIT, shortOf: 'credits' });
  });

  it('restore the holds of living nodes on a server that lost its memory', async () => {
    const policy = createPolicy([rule('amount', 3600, 12n * CREDIT_YUAN)]);
    const lease = requireLease(await here.enter(createCall({ policy, money: hold })));
    await redis.inspect.flushall();
    clock.advance(30_000);
    await here.renew();
    expect(await held(there)).toBe(5n * CREDIT);
    expect(toReason(await there.enter(createCall({ policy: single })))).toBe('concurrency');
    await here.leave(lease, NOTHING_DONE);
    expect(await held(there)).toBe(15n * CREDIT);
  });

  const spent = createFunds({ version: 900, creditsMicro: 3n * CREDIT });
  const old = {
    accountAgeMs: GATE_FUNDS_AGE_MS + 1,
    money: { ...hold, wantMicro: 99n * CREDIT, shareMicro: 99n * CREDIT },
  };

  it('ignore old funds on a server that lost its memory, and take fresh ones', async () => {
    await here.leave(requireLease(await here.enter(createCall({ money: createHold(spent) }))), NOTHING_DONE);
    expect(requireLease(await there.enter(createCall(old))).heldMicro).toBe(3n * CREDIT);
    await redis.inspect.flushall();
    expect(await there.enter(createCall({ ...old, policy: minute }))).toEqual({ kind: 'stale' });
    expect(await redis.inspect.hkeys('tollgate:{1}')).toEqual([]);
    const read = { accountAgeMs: GATE_FUNDS_AGE_MS, policy: minute, money: createHold(spent) };
    expect(requireLease(await there.enter(createCall(read))).heldMicro).toBe(3n * CREDIT);
    expect(toReason(await here.enter(createCall(old)))).toBe('credits');
  });

  it('ignore the old funds of a running call', async () => {
    const stream = requireLease(await there.enter(createCall({ money: hold })));
    await redis.inspect.flushall();
    await there.renew();
    expect(await there.extend(stream, CREDIT)).toBe(CREDIT);
    expect(toReason(await there.rehold(stream, hold))).toBe('reheld');
    expect(toReason(await there.enter(createCall(old)))).toBe('stale');
    await there.leave(stream, NOTHING_DONE);
    expect(toReason(await there.enter(createCall(old)))).toBe('stale');
    await here.settled({ accountId: 1, calls: [], funds: spent });
    expect(await held(there, old.money)).toBe(3n * CREDIT);
  });

  it('need no funds for a call without money', async () => {
    expect(toReason(await there.enter(createCall({ ...old, money: undefined })))).toBe('entered');
    const money = createMoney({ coverage: createCoverage(11n) });
    expect(toReason(await there.enter(createCall({ ...old, money })))).toBe('entered');
  });

  it('send the scripts again to a server that lost them', async () => {
    await redis.inspect.script('FLUSH');
    const lease = requireLease(await here.enter(createCall({ money: hold })));
    await redis.inspect.script('FLUSH');
    await here.leave(lease, charged(7n));
    expect(await held(there)).toBe(8n * CREDIT);
  });

  it('keep amounts beyond 2^53 exact to the last micro-Credit', async () => {
    const creditsMicro = 2n ** 63n - 1n;
    const rich = createHold(createFunds({ creditsMicro }), { wantMicro: 2n ** 62n + 1n });
    const first = requireLease(await here.enter(createCall({ money: rich })));
    expect(await held(there, { ...rich, wantMicro: creditsMicro })).toBe(2n ** 62n - 2n);
    await here.leave(first, { ...NOTHING_DONE, amountMicro: 1n, chargeMicro: 2n ** 62n - 1n });
    expect(await held(there, { ...rich, wantMicro: creditsMicro })).toBe(2n ** 62n);
  });

  it('give every key a time to live, beyond its longest window', async () => {
    const own = nodeWith('its own');
    const month = 2_592_000;
    const policy = createPolicy(
      [rule('requests', month, 9n), rule('images', 60, 9n), rule('amount', 60, 99_999n)],
      9,
    );
    for (const scope of ['account:1', 'key:1', 'key:2']) {
      const money = { ...hold, coverage: createCoverage(5n) };
      const one = requireLease(await own.enter(createCall({ scope, policy, money, images: 1 })));
      const two = requireLease(await own.enter(createCall({ scope, policy, money: hold })));
      await own.extend(one, CREDIT);
      await own.rehold(one, hold);
      await own.enter(createCall({ scope, policy: single, money: hold }));
      await own.leave(one, { ...charged(1n), images: 3 });
      await own.settled(toSettled(one, 1n, createFunds({ version: 2, creditsMicro: 14n * CREDIT })));
      await own.leave(two, covered(0n));
    }
    await own.raiseVersion(2, 9);
    await own.settled({ accountId: 3, calls: [], funds: createFunds() });
    await own.leave(requireLease(await own.enter(createCall({ accountId: 4 }))), NOTHING_DONE);
    const keys = await redis.inspect.keys('*');
    expect(keys.length).toBeGreaterThanOrEqual(6);
    for (const key of keys) expect([key, await redis.inspect.pttl(key)]).toEqual([key, expect.any(Number)]);
    for (const key of keys) expect(await redis.inspect.pttl(key)).toBeGreaterThan(0);
    expect(await redis.inspect.pttl('tollgate:{1}')).toBeGreaterThanOrEqual(month * 1000 - 5_000);
    await own.close();
  });

  it('forget ended windows while others come', async () => {
    const policy = createPolicy([rule('requests', 1, 9n), rule('tokens', 1, 9n)]);
    for (let key = 0; key < 600; key++) {
      await here.leave(
        requireLease(await here.enter(createCall({ scope: `key:${key}`, policy }))),
        NOTHING_DONE,
      );
      clock.advance(20);
    }
    expect(await redis.inspect.hlen('tollgate:{1}')).toBeLessThan(600);
    expect(toReason(await here.enter(createCall({ scope: 'key:599', policy, inputTokens: 10 })))).toBe(
      'entered',
    );
  });

  it('lengthen no window with a clock that is set back', async () => {
    await here.enter(createCall({ policy: minute }));
    clock.jump(-3_600_000);
    expect(await here.enter(createCall({ policy: minute }))).toMatchObject({ retryAfterMs: 60_000 });
    clock.advance(59_999);
    expect(await here.enter(createCall({ policy: minute }))).toMatchObject({ retryAfterMs: 1 });
    clock.advance(1);
    expect(toReason(await here.enter(createCall({ policy: minute })))).toBe('entered');
  });
});
