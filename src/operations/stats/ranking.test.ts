import { expect, test } from 'vitest';
import { sampleCatalog } from '../../../test/support/samples.ts';
import { createTimes } from '../../kernel/time/calendar.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { Database } from '../../store/database.ts';
import { RANKING_LIFE_MS } from '../bounds.ts';
import type { Context } from '../context.ts';
import { rankingOperations } from './ranking.ts';

/** A server with a database of its own, which counts what it is asked. */
function newServer(clock = new ManualClock()) {
  const asked: unknown[] = [];
  let isAway = false;
  const query = (_text: string, values: readonly unknown[]) => {
    asked.push(...values);
    return isAway ? Promise.reject(new Error('the database is away')) : Promise.resolve([]);
  };
  const database = { query } as Partial<Database> as Database;
  const known = { ...createTimes('UTC'), clock, database, catalog: () => sampleCatalog() };
  const context = known as Partial<Context> as Context;
  const ask = async () => {
    for (const { handle } of rankingOperations) await handle({ params: {}, query: {}, body: {} }, context);
  };
  return { clock, asked, ask, setAway: (away: 'away' | 'back') => (isAway = away === 'away') };
}

test('both rankings of a period are added up once, and again when they are old', async () => {
  const { clock, asked, ask } = newServer();
  await ask();
  await ask();
  expect(asked).toEqual(['2025-12-25T00:00:00.000Z']);
  clock.advance(RANKING_LIFE_MS);
  await ask();
  expect(asked).toHaveLength(2);
});

test('the figures of one database are not shown for another one', async () => {
  const one = newServer();
  const other = newServer(one.clock);
  await one.ask();
  await other.ask();
  expect([one.asked.length, other.asked.length]).toEqual([1, 1]);
});

test('a failure is not kept', async () => {
  const { asked, ask, setAway } = newServer();
  setAway('away');
  await expect(ask()).rejects.toThrow('the database is away');
  setAway('back');
  await ask();
  expect(asked).toHaveLength(2);
});
