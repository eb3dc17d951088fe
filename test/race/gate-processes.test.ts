import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../needs.ts';
import { startProgram, until } from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { LARGE, PATIENCE_MS } from './sizes.ts';

/** Enough for four processes to start and connect on a busy machine. */
const HEAD_START_MS = 2_000;
const ALL = ['requests', 'tokens', 'images', 'concurrency', 'credits', 'cap', 'coverage', 'amount'];
const FEW = ['requests', 'concurrency', 'coverage'];

interface Storm {
  readonly calls: number;
  readonly limit: number;
  readonly processes: number;
  readonly kinds: readonly string[];
}

const STORMS: readonly Storm[] = [
  { calls: 10, limit: 1, processes: 4, kinds: ALL },
  { calls: 1_000, limit: 10, processes: 1, kinds: ALL },
  { calls: 1_000, limit: 10, processes: 4, kinds: ALL },
  { calls: 10_000, limit: 100, processes: 4, kinds: LARGE ? ALL : FEW },
  ...(LARGE
    ? [
        { calls: 10, limit: 1, processes: 1, kinds: ALL },
        { calls: 10_000, limit: 100, processes: 1, kinds: ALL },
        { calls: 100_000, limit: 1_000, processes: 4, kinds: FEW },
      ]
    : []),
];

describe('several processes at one gate', needs(REDIS), () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());

  for (const storm of STORMS) {
    const { calls, limit, processes, kinds } = storm;
    it(
      `of ${calls} simultaneous calls of ${processes} exactly ${limit} pass each kind of limit`,
      async () => {
        await redis.inspect.flushall();
        expect(await sumsOf(redis, storm)).toEqual(Object.fromEntries(kinds.map((kind) => [kind, limit])));
        const size = `${calls} at ${limit}, ${processes} processes`;
        console.log(
          `proof | limit exactness, gate on Redis | ${size} | exactly ${limit}: ${kinds.join(', ')}`,
        );
      },
      PATIENCE_MS,
    );
  }
});

/** How many entered, by kind, told by the processes themselves. */
async function sumsOf(redis: TestRedis, storm: Storm): Promise<Record<string, number>> {
  const startAt = Date.now() + HEAD_START_MS;
  const parties = Array.from({ length: storm.processes }, (_, index) => {
    const share = Math.floor((storm.calls + index) / storm.processes);
    const args = [redis.url, share, storm.limit, startAt, storm.kinds.join(',')].map(String);
    return startProgram(['test/race/gate-party.ts', ...args]);
  });
  const isDone = (): boolean =>
    parties.every((party) => party.stdout().endsWith('\n') || party.stderr() !== '');
  await until(isDone, PATIENCE_MS);
  for (const party of parties) party.kill('SIGTERM');
  const exits = await Promise.all(parties.map((party) => party.exited));
  expect(exits.map(({ code }, index) => [code, parties[index]?.stderr()])).toEqual(exits.map(() => [0, '']));
  const sums: Record<string, number> = {};
  for (const party of parties) {
    const told = JSON.parse(party.stdout()) as Record<string, number>;
    for (const [kind, count] of Object.entries(told)) sums[kind] = (sums[kind] ?? 0) + count;
  }
  return sums;
}
