import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxMicro } from '../../../src/kernel/money.ts';
import { examine } from '../../../src/store/operations/doctor.ts';
import { needs, REDIS } from '../../needs.ts';
import { ARENAS, type Arena } from '../arena.ts';
import { countsOf, PATIENCE_MS, ROUNDS } from '../sizes.ts';
import { CONTESTS, race } from './balance.ts';
import { BOUNDS, outgrowAtOnce, outgrowInWaves } from './streams.ts';
import { spendAll } from './unbounded.ts';

/** Every race for money in one arena; each arena is a test file of its own. */
export function moneyRaces(kind: keyof typeof ARENAS): void {
  describe(`races for money, ${kind}`, kind === 'memory' ? {} : needs(REDIS), () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await ARENAS[kind]();
    });
    afterAll(() => arena?.close());
    plainRaces(() => arena);
    streamRaces(() => arena);
    unboundedRaces(() => arena);
    test('the books are sound after the races', async () => {
      await arena.settled();
      expect(await examine(arena.database)).toEqual([]);
    });
  });
}

function plainRaces(arena: () => Arena): void {
  const sum = { races: 0, calls: 0, passed: 0 };
  describe.each(Object.entries(CONTESTS))('of k parallel calls exactly ⌊B/p⌋ pass: %s', (name, contest) => {
    test.each(countsOf(name))(
      'k = %i',
      async (count) => {
        for (let round = 0; round < ROUNDS; round++) {
          const { calls, passed } = await race(arena(), contest, count);
          sum.races += 1;
          sum.calls += calls;
          sum.passed += passed;
        }
      },
      PATIENCE_MS,
    );
  });
  afterAll(() => {
    if (arena() === undefined) return;
    const size = `${sum.races} races, k up to 500, ${Object.keys(CONTESTS).length} bounds`;
    console.log(
      `proof | balance races, ${arena().name} | ${size} | ${sum.calls} calls, ${sum.passed} passed`,
    );
  });
}

function streamRaces(arena: () => Arena): void {
  const sum = { streams: 0, stopped: 0, restMicro: 0n };
  describe('streams that exceed their hold are stopped at the limit', () => {
    // Mostly waiting for tokens, so all bounds wait together; each has an account of its own.
    test.concurrent.each(Object.entries(BOUNDS))(
      '%s',
      async (_name, bound) => {
        for (let round = 0; round < ROUNDS; round++) {
          for (const outgrown of [
            await outgrowAtOnce(arena(), bound),
            await outgrowInWaves(arena(), bound, 7 + round),
          ]) {
            sum.streams += outgrown.streams;
            sum.stopped += outgrown.stopped;
            sum.restMicro = maxMicro(sum.restMicro, outgrown.restMicro);
          }
        }
      },
      PATIENCE_MS,
    );
  });
  afterAll(() => {
    if (arena() === undefined) return;
    const size = `${Object.keys(BOUNDS).length} bounds x ${ROUNDS}`;
    const most = `at most ${sum.restMicro} micro-Credits unused, none produced beyond a hold`;
    console.log(
      `proof | streams beyond their hold, ${arena().name} | ${size} | ` +
        `${sum.streams} streams, ${sum.stopped} stopped; ${most}`,
    );
  });
}

function unboundedRaces(arena: () => Arena): void {
  const sum = { calls: 0, served: 0 };
  describe('plain calls without an output limit and images never exceed the hold', () => {
    test.concurrent.each(Object.entries(BOUNDS))(
      '%s',
      async (_name, bound) => {
        for (let round = 0; round < ROUNDS; round++) {
          const { calls, served } = await spendAll(arena(), bound, 11 + round);
          sum.calls += calls;
          sum.served += served;
        }
      },
      PATIENCE_MS,
    );
  });
  afterAll(() => {
    if (arena() === undefined) return;
    const size = `${Object.keys(BOUNDS).length} bounds x ${ROUNDS}`;
    console.log(
      `proof | calls without a bound, ${arena().name} | ${size} | ${sum.calls} calls, ${sum.served} served, 0 short`,
    );
  });
}
