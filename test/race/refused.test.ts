import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Gate } from '../../src/gate/contract.ts';
import { createMemoryGate } from '../../src/gate/memory.ts';
import { connectRedis, type RedisConnection } from '../../src/gate/redis/connect.ts';
import { createRedisGate } from '../../src/gate/redis/gate.ts';
import {
  type CallParts,
  CREDIT,
  CREDIT_YUAN,
  createCall,
  createCoverage,
  createFunds,
  createHold,
  createMoney,
  createPolicy,
  requireLease,
  rule,
  toReason,
} from '../../src/gate/suite/world.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { ManualClock } from '../../src/kernel/time/clock.ts';
import { needs, REDIS } from '../needs.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

/** Everything a policy can limit, wide open but for the one that shall refuse. */
const WIDE = { requests: 9n, tokens: 900n, images: 90n, videos: 90n, amount: 9_000n * CREDIT_YUAN } as const;
type Limited = keyof typeof WIDE;
const LIMITED = Object.keys(WIDE) as Limited[];
const SECONDS = 60;
const RICH = createFunds({ creditsMicro: 900n * CREDIT });
const TEN = { wantMicro: 10n * CREDIT, leastMicro: 10n * CREDIT };
const RICH_MONEY = createHold(RICH, TEN);
const CALL = { inputTokens: 7, images: 2, videos: 1, money: RICH_MONEY };

const policyWith = (changes: Partial<Record<Limited, bigint>>, concurrency = 9) =>
  createPolicy(
    LIMITED.map((dimension) => rule(dimension, SECONDS, { ...WIDE, ...changes }[dimension])),
    concurrency,
  );

/** Each refuses a second call, for another reason; all other dimensions have room for it. */
const REFUSALS: Readonly<Record<string, CallParts>> = {
  concurrency: { policy: policyWith({}, 1) },
  requests: { policy: policyWith({ requests: 1n }) },
  tokens: { policy: policyWith({ tokens: 10n }) },
  images: { policy: policyWith({ images: 3n }) },
  videos: { policy: policyWith({ videos: 1n }) },
  amount: { policy: policyWith({ amount: 15n * CREDIT_YUAN }) },
  credits: {
    policy: policyWith({}),
    money: createHold(RICH, { wantMicro: 895n * CREDIT, leastMicro: 895n * CREDIT }),
  },
  cap: { policy: policyWith({}), money: createHold(RICH, { ...TEN, capMicro: 15n * CREDIT_YUAN }) },
  coverage: { policy: policyWith({}), money: createMoney({ ...TEN, coverage: createCoverage(5n) }) },
};

/** What every dimension has counted, asked with limits that nobody can keep. */
async function countsOf(gate: Gate): Promise<Record<string, bigint>> {
  const counts: Record<string, bigint> = { running: BigInt(gate.active) };
  for (const dimension of LIMITED) {
    const result = await gate.enter(
      createCall({ ...CALL, policy: createPolicy([rule(dimension, SECONDS, 0n)]) }),
    );
    if (result.kind !== 'gate-refused') throw new Error(`${dimension}: ${result.kind}`);
    counts[dimension] = result.used;
  }
  const everything = createHold(RICH, { wantMicro: 10_000n * CREDIT, leastMicro: 10_000n * CREDIT });
  const money = await gate.enter(createCall({ money: everything }));
  if (money.kind !== 'gate-refused') throw new Error(`money: ${money.kind}`);
  return { ...counts, credits: money.used };
}

function refusedCalls(makeGate: () => Gate): void {
  it.each(Object.keys(REFUSALS))('for %s: all other dimensions are unchanged', async (reason) => {
    const gate = makeGate();
    requireLease(await gate.enter(createCall({ ...CALL, policy: policyWith({}) })));
    const before = await countsOf(gate);
    expect(before).toMatchObject({ running: 1n, requests: 1n, tokens: 7n, images: 2n, videos: 1n });
    expect(before.amount).toBe(10n * CREDIT_YUAN);
    for (let tries = 0; tries < 20; tries++) {
      expect(toReason(await gate.enter(createCall({ ...CALL, ...REFUSALS[reason] })))).toBe(reason);
    }
    expect(await countsOf(gate)).toEqual(before);
    expect(requireLease(await gate.enter(createCall({ ...CALL, policy: policyWith({}) }))).heldMicro).toBe(
      10n * CREDIT,
    );
  });
}

describe('a refused call consumes nothing, gate of memory', () => {
  refusedCalls(() => createMemoryGate({ clock: new ManualClock() }));
});

describe('a refused call consumes nothing, gate on Redis', needs(REDIS), () => {
  let redis: TestRedis;
  let connection: RedisConnection;
  let gate: ReturnType<typeof createRedisGate>;
  let gates = 0;
  beforeAll(async () => {
    redis = await startRedis();
    connection = await connectRedis(redis.url, silentLogger, 10_000);
  });
  beforeEach(() => {
    gate = createRedisGate({
      client: connection.client,
      clock: new ManualClock(),
      log: silentLogger,
      prefix: `refused-${++gates}:`,
    });
    return () => gate.close();
  });
  afterAll(async () => {
    connection?.close();
    await redis?.close();
  });
  refusedCalls(() => gate);
});
