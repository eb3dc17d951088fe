import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { type Part, Writes } from './writes.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
  await fresh.database.query('create table written (place bigserial, part text, word text, number int)');
});
beforeEach(() => fresh.database.query('truncate written restart identity'));
afterAll(() => fresh.drop());

const partOf = (name: string): Part => ({
  name,
  text: `insert into written (part, word, number) select '${name}', $1, n from unnest($2::int[]) as n`,
});
const written = () => fresh.database.query('select part, word, number from written order by place');

test('each part gets its own values, and they are carried out in the order in which they were added', async () => {
  const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
  const writes = new Writes();
  for (const name of names) writes.add(partOf(name), [`of ${name}`, '{1,2}']);
  await writes.send(fresh.database);
  const rows = names.flatMap((part) => [1, 2].map((number) => ({ part, word: `of ${part}`, number })));
  expect(await written()).toEqual(rows);
});

test('a statement with other parts is another statement, on one connection too', async () => {
  await fresh.database.transaction(async (transaction) => {
    for (const names of [['a', 'b'], ['b'], ['a', 'b'], ['b', 'a']]) {
      const writes = new Writes();
      for (const name of names) writes.add(partOf(name), [names.join(), '{1}']);
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

test('nothing to write is no statement', async () => {
  await fresh.database.transaction(async (transaction) => {
    await new Writes().send({ ...transaction, query: () => Promise.reject(new Error('was sent')) });
  });
  expect(await written()).toEqual([]);
});
