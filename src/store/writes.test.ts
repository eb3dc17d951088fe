import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { type Columns, whole } from './columns.ts';
import type { Database } from './database.ts';
import { type Part, Writes } from './writes.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
  await fresh.database.query('create table written (place bigserial, part text, word text, number int)');
});
beforeEach(() => fresh.database.query('truncate written restart identity'));
afterAll(() => fresh.drop());

const NUMBERS: Columns<number> = { number: whole('int', (number) => number) };

const createPart = (name: string): Part => ({
  name,
  columns: NUMBERS,
  text: (given) => `insert into written (part, word, number) select '${name}', $2, number from ${given}`,
});
const written = () => fresh.database.query('select part, word, number from written order by place');

test('each part gets its own values, and they run in the order in which they were added', async () => {
  const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
  const writes = new Writes();
  for (const name of names) writes.add(createPart(name), ['{1,2}', `of ${name}`]);
  await writes.send(fresh.database);
  const rows = names.flatMap((part) => [1, 2].map((number) => ({ part, word: `of ${part}`, number })));
  expect(await written()).toEqual(rows);
});

interface Plan {
  readonly 'Subplan Name'?: string;
  readonly 'CTE Name'?: string;
  readonly Plans?: readonly Plan[];
}

function* walkNodes(plan: Plan): Generator<Plan> {
  yield plan;
  for (const part of plan.Plans ?? []) yield* walkNodes(part);
}

test('the order is one of data: the plan of each part reads the rows of the part before it', async () => {
  const names = ['first', 'second', 'third', 'fourth'];
  const writes = new Writes();
  for (const name of names) writes.add(createPart(name), ['{1}', name]);
  const plans: Plan[] = [];
  await writes.send({
    query: async (text: string, values: readonly unknown[]) => {
      const [row] = await fresh.database.query<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
        `explain (format json) ${text}`,
        values,
      );
      plans.push(...(row?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan));
      return [];
    },
  } as Partial<Database> as Database);
  const parts = plans.flatMap((plan) => plan.Plans ?? []);
  const readBy = (name: string) => {
    const part = parts.find((plan) => plan['Subplan Name'] === `CTE ${name}`);
    return part && [...walkNodes(part)].flatMap((node) => node['CTE Name'] ?? []);
  };
  expect(names.map(readBy)).toEqual([[], ['first'], ['second'], ['third']]);
  expect(await written()).toEqual([]);
});

test('a part without rows holds up none behind it', async () => {
  const writes = new Writes();
  writes.add(createPart('empty'), ['{}', 'nothing']);
  writes.add(createPart('filled'), ['{1}', 'one']);
  await writes.send(fresh.database);
  expect(await written()).toEqual([{ part: 'filled', word: 'one', number: 1 }]);
});

test('a statement with other parts is another statement, on one connection too', async () => {
  await fresh.database.transaction(async (transaction) => {
    for (const names of [['a', 'b'], ['b'], ['a', 'b'], ['b', 'a']]) {
      const writes = new Writes();
      for (const name of names) writes.add(createPart(name), ['{1}', names.join()]);
      await writes.send(transaction);
    }
  });
  expect(await written()).toMatchObject([
    { part: 'a', word: 'a,b' },
    { part: 'b', word: 'a,b' },
    { part: 'b', word: 'b' },
    { part: 'a', word: 'a,b' },
    { part: 'b', word: 'a,b' },
    { part: 'b', word: 'b,a' },
    { part: 'a', word: 'b,a' },
  ]);
});

test('no write means no statement', async () => {
  await fresh.database.transaction(async (transaction) => {
    await new Writes().send({ ...transaction, query: () => Promise.reject(new Error('was sent')) });
  });
  expect(await written()).toEqual([]);
});
