import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisServer } from '../prerequisites.ts';
import { startProgram } from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

const PROCESSES = 4;
/** Enough for four processes to start and connect on a busy machine. */
const HEAD_START_MS = 2_500;

describe.skipIf(redisServer === undefined)(
  'four processes at one gate (skipped without redis-server)',
  () => {
    let redis: TestRedis;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis?.close());

    for (const [calls, limit] of [
      [40, 1],
      [1_000, 10],
      [2_000, 100],
    ] as const) {
      it(`of ${calls} simultaneous calls exactly ${limit} pass each kind of limit`, async () => {
        await redis.inspect.flushall();
        const startAt = Date.now() + HEAD_START_MS;
        const args = [redis.url, calls / PROCESSES, limit, startAt].map(String);
        const parties = Array.from({ length: PROCESSES }, () =>
          startProgram(['test/race/gate-party.ts', ...args]),
        );
        const exits = await Promise.all(parties.map((party) => party.exited));
        expect(exits.map(({ code }, index) => [code, parties[index]?.stderr()])).toEqual(
          exits.map(() => [0, '']),
        );
        const sums: Record<string, number> = {};
        for (const party of parties) {
          const told = JSON.parse(party.stdout()) as Record<string, number>;
          for (const [kind, count] of Object.entries(told)) sums[kind] = (sums[kind] ?? 0) + count;
        }
        expect(sums).toEqual({
          requests: limit,
          concurrency: limit,
          credits: limit,
          cap: limit,
          coverage: limit,
          amount: limit,
        });
      });
    }
  },
);
