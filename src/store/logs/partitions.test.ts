import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { dropPartitionsBefore, ensurePartitions, logMonth } from './partitions.ts';

let fresh: FreshDatabase;

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(() => fresh.drop());

const partitions = async () => {
  const rows = await fresh.database.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'calls'::regclass order by 1",
  );
  return rows.map((row) => row.name);
};

test('the next month is created ahead, also over the turn of the year', async () => {
  await ensurePartitions(fresh.database, [logMonth(Date.UTC(2026, 11, 31, 23, 59, 59, 999))]);
  expect(await partitions()).toEqual(['calls_2026_12', 'calls_2027_01']);
  expect(logMonth(Date.UTC(2027, 0, 1))).toBe('2027-01');
});

test('partitions that many processes need at once are created once', async () => {
  const months = ['2026-11', '2026-12', '2026-11'];
  await Promise.all(Array.from({ length: 8 }, () => ensurePartitions(fresh.database, months)));
  expect(await partitions()).toEqual(['calls_2026_11', 'calls_2026_12', 'calls_2027_01']);
});

test('old months are dropped and the start of the log is stored; it never goes back', async () => {
  await ensurePartitions(fresh.database, ['2026-09', '2026-10']);
  expect(await dropPartitionsBefore(fresh.database, '2026-10')).toEqual([
    'calls_2026_09',
    'consumptions_2026_09',
  ]);
  expect(await dropPartitionsBefore(fresh.database, '2026-09')).toEqual([]);
  expect(await partitions()).toEqual(['calls_2026_10', 'calls_2026_11']);
  expect(await fresh.database.query('select kept_from from log_retention')).toEqual([
    { kept_from: new Date(Date.UTC(2026, 9, 1)) },
  ]);
});

test('an invalid month is refused before it becomes part of a statement', async () => {
  for (const month of ['2026-13', '2026-00', "2026-01'; drop table accounts; --"]) {
    await expect(ensurePartitions(fresh.database, [month])).rejects.toThrow('YYYY-MM');
  }
});
