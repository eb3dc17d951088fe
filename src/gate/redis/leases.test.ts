import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { until } from '../../../test/support/processes.ts';
import { startRedis, type TestRedis } from '../../../test/support/redis.ts';
import { FaultyRedis } from '../../../test/support/servers/faulty-redis.ts';
import { SLOT_LIFETIME_MS } from '../../bounds.ts';
import { silentLogger } from '../../kernel/log.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import {
  CREDIT,
  CREDIT_YUAN,
  CREDITS_PER_YUAN,
  charged,
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
} from '../suite/world.ts';
import { GATE_KEEP_MS, GATE_LEASE_MS, GATE_RENEW_AFTER_MS, GATE_RENEW_LOOK_MS } from './bounds.ts';
import { connectRedis, type RedisConnection } from './connect.ts';
import { createRedisGate, type RedisGate } from './gate.ts';
import type { RedisClient } from './script.ts';

const REMEMBERED_MAX = 1_000;
const GIVEN_UP_AT_ONCE = 50;
const policy = createPolicy([rule('amount', 7_200, 100n * CREDIT_YUAN)]);
const hold = createHold(createFunds({ creditsMicro: 15n * CREDIT }));
const less = createFunds({ version: 2, creditsMicro: 8n * CREDIT });

describe('an expired lease', needs(REDIS), () => {
  let redis: TestRedis;
  let connection: RedisConnection;
  let clock: ManualClock;
  let faulty: FaultyRedis;
  let here: RedisGate;
  let there: RedisGate;

  const node = (client: RedisClient): RedisGate =>
    createRedisGate({
      client,
      clock,
      log: silentLogger,
      serverTimeMs: () => clock.now(),
    });

  beforeAll(async () => {
    redis = await startRedis();
    connection = await connectRedis(redis.url, silentLogger, 25_000);
  });
  afterAll(async () => {
    connection?.close();
    await redis?.close();
  });
  beforeEach(async () => {
    await redis.inspect.flushall();
    clock = new ManualClock();
    faulty = new FaultyRedis(connection.client);
    here = node(faulty);
    there = node(connection.client);
    return async () => {
      await here.close();
      await there.close();
    };
  });

  /** Somebody else calls, and with that gives up what is late. */
  const pass = async (): Promise<void> =>
    there.leave(requireLease(await there.enter(createCall())), NOTHING_DONE);
  const used = async (): Promise<readonly (bigint | undefined)[]> => {
    const coverage = createCoverage(20n, 7_200);
    const look = await there.look({ ...createCall({ policy }), coverage, creditsPerYuan: CREDITS_PER_YUAN });
    return look.kind === 'look' ? [look.windows[0]?.used, look.coverage[0]?.used] : [];
  };
  const callsKept = async (): Promise<number> => {
    const fields = await redis.inspect.hkeys('tollgate:{1}');
    return fields.filter((field) => field.startsWith('c:')).length;
  };

  it('counts the cost of a call of a dead node once, although the node returns', async () => {
    const money = createMoney({ coverage: createCoverage(20n, 7_200) });
    const dead = requireLease(await here.enter(createCall({ policy, money })));
    clock.advance(GATE_LEASE_MS);
    await pass();
    expect(await used()).toEqual([0n, 0n]);
    clock.advance(3_600_000);
    const call = { callId: dead.callId, chargeMicro: 0n, amountMicro: 10n * CREDIT_YUAN };
    for (let times = 0; times < 2; times++) {
      await there.settled({ accountId: 1, calls: [call], funds: createFunds() });
      expect(await used()).toEqual([10n * CREDIT_YUAN, 10n * CREDIT_YUAN]);
    }
    expect(await callsKept()).toBe(0);
    expect(await redis.inspect.hget('tollgate:{1}', 'g')).toBe('0');
  });

  it('counts a call that leaves later once, and its charge is pending', async () => {
    const late = requireLease(await here.enter(createCall({ policy, money: hold })));
    clock.advance(GATE_LEASE_MS);
    await pass();
    await here.leave(late, charged(7n));
    expect(await used()).toEqual([7n * CREDIT_YUAN, 0n]);
    expect(requireLease(await there.enter(createCall({ money: hold }))).heldMicro).toBe(8n * CREDIT);
    const call = { callId: late.callId, chargeMicro: 7n * CREDIT, amountMicro: 7n * CREDIT_YUAN };
    await there.settled({ accountId: 1, calls: [call], funds: less });
    expect(await used()).toEqual([7n * CREDIT_YUAN, 0n]);
    expect(await redis.inspect.hget('tollgate:{1}', 'g')).toBe('0');
  });

  it('counts a repeated end, although the call was given up before it was confirmed', async () => {
    const late = requireLease(await here.enter(createCall({ policy, money: hold })));
    faulty.lose = 'questions';
    await here.leave(late, charged(7n));
    clock.advance(GATE_LEASE_MS);
    await pass();
    faulty.lose = 'nothing';
    await until(() => here.untold === 0);
    expect(await used()).toEqual([7n * CREDIT_YUAN, 0n]);
    expect(requireLease(await there.enter(createCall({ money: hold }))).heldMicro).toBe(8n * CREDIT);
  });

  it('counts a call that was settled meanwhile when it leaves', async () => {
    const late = requireLease(await here.enter(createCall({ policy, money: hold })));
    clock.advance(GATE_LEASE_MS);
    await pass();
    const call = { callId: late.callId, chargeMicro: 7n * CREDIT, amountMicro: 7n * CREDIT_YUAN };
    await here.settled({ accountId: 1, calls: [call], funds: less });
    expect(await used()).toEqual([0n, 0n]);
    await here.leave(late, charged(7n));
    expect(await used()).toEqual([7n * CREDIT_YUAN, 0n]);
    expect([await callsKept(), await redis.inspect.hget('tollgate:{1}', 'g')]).toEqual([0, '0']);
  });

  it.each(['renew', 'extend'] as const)('is held again by %s', async (way) => {
    const late = requireLease(await here.enter(createCall({ policy, money: hold })));
    clock.advance(GATE_LEASE_MS);
    await pass();
    expect(await used()).toEqual([0n, 0n]);
    await (way === 'renew' ? here.renew() : here.extend(late, 0n));
    expect(await used()).toEqual([10n * CREDIT_YUAN, 0n]);
    expect(await redis.inspect.hget('tollgate:{1}', 'g')).toBe('0');
    await here.leave(late, charged(7n));
    expect(await used()).toEqual([7n * CREDIT_YUAN, 0n]);
  });

  const capped = createHold(createFunds({ creditsMicro: 900n * CREDIT }), { capMicro: 10n * CREDIT_YUAN });

  it('is renewed by a node that was cut off before another call enters', async () => {
    const stream = requireLease(await here.enter(createCall({ policy, money: capped })));
    clock.advance(GATE_LEASE_MS + 5_000);
    const calls = Array.from({ length: 5 }, () => here.enter(createCall({ policy, money: capped })));
    expect((await Promise.all(calls)).map(toReason)).toEqual(Array.from({ length: 5 }, () => 'cap'));
    expect(await used()).toEqual([10n * CREDIT_YUAN, 0n]);
    await here.leave(stream, NOTHING_DONE);
    expect(toReason(await here.enter(createCall({ money: capped })))).toBe('entered');
  });

  it('makes a node that was cut off send the debts of its ended calls before another call enters', async () => {
    const stream = requireLease(await here.enter(createCall({ policy, money: hold })));
    faulty.lose = 'questions';
    await here.leave(stream, charged(7n));
    clock.advance(GATE_LEASE_MS);
    faulty.lose = 'nothing';
    await here.renew();
    expect(requireLease(await here.enter(createCall({ money: hold }))).heldMicro).toBe(8n * CREDIT);
  });

  it('lets nothing enter while running calls cannot be renewed', async () => {
    requireLease(await here.enter(createCall({ policy, money: capped })));
    clock.advance(GATE_LEASE_MS);
    faulty.lose = 'questions';
    expect(toReason(await here.enter(createCall({ money: capped })))).toBe('gate-away');
    expect(faulty.lost).toHaveLength(1);
    faulty.lose = 'nothing';
    expect(toReason(await here.enter(createCall({ money: capped })))).toBe('cap');
  });

  /** As a living node does, for longer than any lease lasts. */
  const liveOn = async (): Promise<void> => {
    for (let leftMs = 2 * GATE_LEASE_MS; leftMs > 0; leftMs -= GATE_RENEW_LOOK_MS) {
      clock.advance(GATE_RENEW_LOOK_MS);
      await here.renew();
    }
  };
  const tryEnter = async (accountId: number): Promise<string> =>
    toReason(await here.enter(createCall({ accountId, money: capped })));

  it('of an unreachable cluster server closes the gate for its accounts only', async () => {
    requireLease(await here.enter(createCall({ accountId: 1, money: capped })));
    const stream = requireLease(await here.enter(createCall({ accountId: 2 })));
    faulty.of = 1;
    faulty.lose = 'questions';
    await liveOn();
    expect([await tryEnter(1), await tryEnter(2)]).toEqual(['gate-away', 'entered']);
    const untilMs = Number(await redis.inspect.zscore('tollgate:{2}:leases', stream.callId));
    expect(untilMs).toBeGreaterThan(clock.now());
    faulty.lose = 'nothing';
    expect(await tryEnter(1)).toBe('cap');
  });

  it('with an end that cannot be sent closes the gate for its own account only', async () => {
    const ended = requireLease(await here.enter(createCall({ accountId: 1, money: capped })));
    requireLease(await here.enter(createCall({ accountId: 2 })));
    faulty.of = 1;
    faulty.lose = 'questions';
    await here.leave(ended, charged(7n));
    await liveOn();
    expect([await tryEnter(1), await tryEnter(2)]).toEqual(['gate-away', 'entered']);
    faulty.lose = 'nothing';
    expect(requireLease(await here.enter(createCall({ accountId: 1, money: capped }))).heldMicro).toBe(
      3n * CREDIT,
    );
  });

  it('with an unconfirmed renewal is tried again at once', async () => {
    const stream = requireLease(await here.enter(createCall({ policy, money: capped })));
    clock.advance(GATE_LEASE_MS - 1);
    faulty.lose = 'questions';
    await here.renew();
    faulty.lose = 'nothing';
    const startedAt = performance.now();
    const renewed = String(clock.now() + GATE_LEASE_MS);
    await until(async () => (await redis.inspect.zscore('tollgate:{1}:leases', stream.callId)) === renewed);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('is given up in time, whatever was due at the last look', async () => {
    const slot = createPolicy([], 1);
    const ended = requireLease(await here.enter(createCall({ money: hold })));
    await here.leave(ended, charged(7n));
    // Only a charge is left, which is kept for days.
    clock.advance(GATE_LEASE_MS);
    requireLease(await here.enter(createCall({ policy: slot })));
    clock.advance(GATE_LEASE_MS - 1);
    expect((await there.enter(createCall({ policy: slot }))).kind).toBe('gate-refused');
    clock.advance(1);
    expect((await there.enter(createCall({ policy: slot }))).kind).toBe('entered');
  });

  it('is given up in time after the clock of the server was set back', async () => {
    const slot = createPolicy([], 1);
    let aheadMs = 3_600_000;
    const other = createRedisGate({
      client: connection.client,
      clock,
      log: silentLogger,
      serverTimeMs: () => clock.now() + aheadMs,
    });
    await other.leave(requireLease(await other.enter(createCall())), NOTHING_DONE);
    aheadMs = 0;
    requireLease(await here.enter(createCall({ policy: slot })));
    clock.advance(GATE_LEASE_MS);
    expect((await other.enter(createCall({ policy: slot }))).kind).toBe('entered');
    await other.close();
  });

  it('is kept in a bounded number per account, and no longer than a week', async () => {
    const over = 2 * GIVEN_UP_AT_ONCE;
    const calls = Array.from({ length: REMEMBERED_MAX + over }, () => here.enter(createCall()));
    await Promise.all(calls);
    clock.advance(GATE_LEASE_MS);
    const times = (REMEMBERED_MAX + over) / GIVEN_UP_AT_ONCE;
    for (let time = 0; time < times; time++) await pass();
    expect(await callsKept()).toBe(REMEMBERED_MAX);
    expect(await redis.inspect.zcard('tollgate:{1}:leases')).toBe(REMEMBERED_MAX + 1);
    clock.advance(GATE_KEEP_MS);
    for (let time = 0; time < times; time++) await pass();
    expect([await callsKept(), await redis.inspect.hget('tollgate:{1}', 'g')]).toEqual([0, '0']);
    expect(await redis.inspect.zcard('tollgate:{1}:leases')).toBe(1);
  });

  it('is not renewed after the end', async () => {
    const stream = requireLease(await here.enter(createCall({ policy, money: hold })));
    clock.advance(GATE_RENEW_AFTER_MS);
    faulty.lose = 'questions';
    await here.renew();
    faulty.lose = 'nothing';
    await here.leave(stream, NOTHING_DONE);
    for (const ask of faulty.lost) await ask();
    expect([await callsKept(), await used()]).toEqual([0, [0n, 0n]]);
  });

  it('leaves a bounded number of marks of lost messages, and none after ten minutes', async () => {
    const marks = async (): Promise<number> => {
      const fields = await redis.inspect.hkeys('tollgate:{1}');
      return fields.filter((field) => field.startsWith('d:')).length;
    };
    const over = REMEMBERED_MAX + GIVEN_UP_AT_ONCE;
    faulty.lose = 'questions';
    await Promise.all(Array.from({ length: over }, () => here.enter(createCall())));
    faulty.lose = 'nothing';
    await until(() => here.untold === 0);
    expect(await marks()).toBe(REMEMBERED_MAX);
    clock.advance(SLOT_LIFETIME_MS);
    for (let left = over; left > 0; left -= GIVEN_UP_AT_ONCE) await pass();
    expect([await marks(), await redis.inspect.hget('tollgate:{1}', 'd')]).toEqual([0, '0']);
    expect(await redis.inspect.zcard('tollgate:{1}:leases')).toBe(1);
  });
});
