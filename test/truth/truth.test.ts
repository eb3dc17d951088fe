import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { World } from '../support/world.ts';
import { placeOf, readBooks, readCredits } from './books.ts';
import { CELLS, type Cell, drawRun, nameOf } from './cells.ts';
import { call } from './client.ts';
import { FORMS } from './dialects.ts';
import { ENDINGS } from './endings.ts';
import { judge, type Told } from './judge.ts';
import { seeds } from './seeds.ts';
import { summaryOf } from './summary.ts';
import { inTurns, PROBE_MODEL, startTruthWorld, type TruthWorld } from './world.ts';

/** A round is the whole matrix once. */
const ROUND_MS = 60_000;
const START_MS = 60_000;

let truth: TruthWorld;
const told: Told[] = [];

beforeAll(
  async () => {
    truth = await startTruthWorld();
    for (let seed = 0; seed < seeds; seed++) told.push(...(await runRound(truth, seed)));
  },
  START_MS + seeds * ROUND_MS,
);

afterAll(() => truth.world.close());

async function runRound(place: TruthWorld, seed: number): Promise<readonly Told[]> {
  const { world, payers } = place;
  const { url, simulator } = world;
  const before = await readCredits(world);
  const runs = CELLS.map((cell) => drawRun(cell, seed));
  const seen = await inTurns(runs, (run) =>
    call({ url, key: payers[run.cell.index]?.key ?? '', simulator }, run),
  );
  await settle(world);
  const after = await readCredits(world);
  const books = await readBooks(
    world,
    CELLS.map(({ model }) => model),
  );
  const free = await probe(place);
  return runs.map((run, index): Told => {
    const accountId = payers[index]?.accountId ?? 0;
    return {
      run,
      seen: seen[index] ?? { status: 0, delivered: 0, left: false },
      truth: simulator.truth.list(run.tag),
      // One call of each cell in every round: the rows of earlier rounds stand before this one's.
      booked: (books.get(placeOf(run.cell.model, accountId)) ?? []).slice(seed),
      creditsMicro: [before.get(accountId) ?? 0n, after.get(accountId) ?? 0n],
      freeMicro: free.get(accountId),
    };
  });
}

/**
 * The hold is gone: a call that may cost more than anybody has holds all that is free, and the log says how
 * much that was. Its vendor fails, so that it costs nothing.
 */
async function probe({ world, payers }: TruthWorld): Promise<ReadonlyMap<number, bigint>> {
  await inTurns(payers, async ({ key }) => {
    const content = 'free? [[sim fault=status@500]]';
    const body = { model: PROBE_MODEL, messages: [{ role: 'user', content }] };
    const answer = await world.post('/v1/chat/completions', body, world.headers(key));
    await answer.arrayBuffer();
  });
  await settle(world);
  const books = await readBooks(world, [PROBE_MODEL]);
  return new Map(
    payers.flatMap(({ accountId }) => {
      const last = books.get(placeOf(PROBE_MODEL, accountId))?.at(-1);
      return last === undefined || last.verdict === 'refused' ? [] : [[accountId, last.held_micro] as const];
    }),
  );
}

/** A call that never ends is told by its cell, which has no row or no free money, and by the last test. */
async function settle(world: World): Promise<void> {
  await world.settled().catch(() => undefined);
}

function problemsOf(cells: readonly Cell[]): readonly string[] {
  return told
    .filter(({ run }) => cells.includes(run.cell))
    .flatMap((one) =>
      judge(one).map((problem) => `${nameOf(one.run.cell)} (${one.run.directive}): ${problem}`),
    );
}

describe('the charge is what was produced, for every client and vendor', () => {
  for (const ending of ENDINGS) {
    for (const form of FORMS) {
      test(`${ending.name}, ${form}: ${ending[form].rule}, for ${ending[form].why}`, () => {
        const cells = CELLS.filter((cell) => cell.ending === ending.name && cell.form === form);
        expect(cells.length).toBe(16);
        expect(told.filter(({ run }) => cells.includes(run.cell)).length).toBe(16 * seeds);
        expect(problemsOf(cells)).toEqual([]);
      });
    }
  }

  test('all cells were run, and nothing is open', async () => {
    expect(new Set(told.map(({ run }) => run.cell)).size).toBe(CELLS.length);
    expect(truth.world.simulator.stats.open).toBe(0);
    const figures = await truth.world.figures();
    expect(figures).toMatch(/^tollgate_active_calls 0$/m);
    expect(figures).toMatch(/^tollgate_journal_lag_calls 0$/m);
    console.info(summaryOf(told));
    const wrong = problemsOf(CELLS).length;
    console.log(
      `proof | billing truth | ${CELLS.length} cells x ${seeds} | ${told.length} calls, ${wrong} wrong`,
    );
  });
});
