import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { runs } from '../../test/support/property-runs.ts';
import {
  type Columns,
  columnNames,
  columnRows,
  encodeColumns,
  flag,
  json,
  storable,
  text,
  time,
  whole,
} from './columns.ts';

interface Row {
  readonly name: string | null;
  readonly count: number | null;
  readonly micro: bigint;
  readonly atMs: number | null;
  readonly isOn: boolean;
  readonly parts: readonly string[];
}

const COLUMNS: Columns<Row> = {
  name: text((row) => row.name),
  count: whole('int', (row) => row.count),
  micro: whole('bigint', (row) => row.micro),
  at: time((row) => row.atMs),
  is_on: flag((row) => row.isOn),
  parts: json((row) => row.parts),
};

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

async function readBack(rows: readonly Row[]): Promise<unknown[]> {
  const answer = await fresh.database.query<Record<string, unknown>>(
    `select ${columnNames(COLUMNS)} from ${columnRows(COLUMNS)}`,
    encodeColumns(COLUMNS, rows),
    'columns',
  );
  return answer.map(({ name, count, micro, at, is_on, parts }) => {
    return { name, count, micro, atMs: at instanceof Date ? at.getTime() : at, isOn: is_on, parts };
  });
}

const asStored = (row: Row) => ({
  ...row,
  name: row.name === null ? null : storable(row.name),
  parts: row.parts.map(storable),
});

const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    'null',
    'NULL',
    '{}',
    'a,b',
    ' ',
    '"',
    '\\',
    '\\"',
    '\n\t',
    '\0',
    '\ud800',
    '\udc00x',
    '𝔎',
    '\u007f',
    '\u2028',
  ),
);
const micros = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const times = fc.integer({ min: 0, max: Date.UTC(2255, 0) });
const row: fc.Arbitrary<Row> = fc.record({
  name: fc.option(words),
  count: fc.option(fc.integer()),
  micro: micros,
  atMs: fc.option(times),
  isOn: fc.boolean(),
  parts: fc.array(words, { maxLength: 3 }),
});

test('rows are stored as sent, with a mark for what PostgreSQL cannot store', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      expect(await readBack(rows)).toEqual(rows.map(asStored));
    }),
    { numRuns: runs(150) },
  );
});

test('a time is exact to the millisecond, as the key of a call requires', async () => {
  const rows = Array.from({ length: 1_000 }, (_, ms) => ({
    name: null,
    count: null,
    micro: 0n,
    atMs: Date.UTC(2026, 10, 15) + ms,
    isOn: false,
    parts: [],
  }));
  const exact = await fresh.database.query<{ text: string }>(
    `select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as text from ${columnRows(COLUMNS)}`,
    encodeColumns(COLUMNS, rows),
  );
  expect(exact.map((each) => each.text)).toEqual(
    rows.map(({ atMs }) => new Date(atMs).toISOString().replace('Z', '000')),
  );
});
