import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { silentLogger } from '../../kernel/log.ts';
import type { BackupAbout } from './about.ts';
import { ArchiveDamaged, type ArchiveEntry } from './archive-reader.ts';
import { BACKUP_PART_BYTES } from './bounds.ts';
import { type CopyTransaction, withCopyTransaction } from './copy.ts';
import { completeTables, forgetSecret, judgeDatabase, loadPart, prepareTables } from './load.ts';
import { checkForm, describeSnapshot, lockTables, readTotals, writeTables } from './snapshot.ts';

let one: FreshDatabase;
let other: FreshDatabase;
beforeAll(async () => {
  [one, other] = [await freshDatabase(), await freshDatabase()];
  await accountWith(one.database, { creditsMicro: 7_000_000n });
});
afterAll(async () => {
  await one.drop();
  await other.drop();
});

const on = <T>(
  { connection }: FreshDatabase,
  work: (transaction: CopyTransaction) => Promise<T>,
): Promise<T> => withCopyTransaction({ connection, log: silentLogger }, work);

async function* piecesOf(...parts: readonly string[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

it('a copy comes in whole lines of bounded size, and goes back in pieces of any size', async () => {
  const parts: Buffer[] = [];
  const rows = await on(one, (transaction) =>
    transaction.copyOut(
      "copy (select i, repeat('x', 999) from generate_series(1, 9000) i) to stdout",
      async (part) => {
        parts.push(part);
      },
    ),
  );
  expect([rows, parts.length]).toEqual([9_000, 3]);
  expect(parts.every((part) => part.at(-1) === 0x0a && part.length < BACKUP_PART_BYTES + 10_000)).toBe(true);
  const back = await on(one, async (transaction) => {
    await transaction.query('create temporary table copied (id int, text text)');
    await transaction.copyIn(
      'copy copied from stdin',
      (async function* () {
        for (const part of parts)
          for (let at = 0; at < part.length; at += 65_537) yield part.subarray(at, at + 65_537);
      })(),
    );
    return await transaction.query(
      'select count(*)::int as rows, sum(length(text))::int as chars from copied',
    );
  });
  expect(back).toEqual([{ rows: 9_000, chars: 9_000 * 999 }]);
});

it('what fails on either side of a copy is told, and the transaction is rolled back', async () => {
  const statement = 'copy (select i from generate_series(1, 5000000) i) to stdout';
  const full = on(one, (transaction) =>
    transaction.copyOut(statement, () => Promise.reject(new Error('disk full'))),
  );
  await expect(full).rejects.toThrow('disk full');
  await expect(
    on(one, (transaction) => transaction.copyOut('copy nothing to stdout', async () => {})),
  ).rejects.toThrow('does not exist');
  const into = 'copy policies (id, name, windows) from stdin';
  const refused = on(one, (transaction) => transaction.copyIn(into, piecesOf('1\ta\t[]\n', 'x\tb\t[]\n')));
  await expect(refused).rejects.toThrow('invalid input syntax');
  const torn = on(one, (transaction) =>
    transaction.copyIn(
      into,
      (async function* () {
        yield Buffer.from('1\ta\t[]\n');
        throw new ArchiveDamaged('torn');
      })(),
    ),
  );
  await expect(torn).rejects.toThrow('torn');
  expect(await one.database.query('select 1 from policies')).toEqual([]);
});

/** The snapshot of the first database, as a restore reads it. */
async function snapshot(): Promise<{ about: BackupAbout; parts: ArchiveEntry[]; totals: object }> {
  await on(one, checkForm);
  return await on(one, async (transaction) => {
    await lockTables(transaction);
    const about = { ...(await describeSnapshot(transaction)), has_secret: false };
    const parts: ArchiveEntry[] = [];
    await writeTables(transaction, about.tables, async (name, content) => {
      parts.push({ name, bytes: content.length, content: piecesOf(content.toString()) });
    });
    return { about, parts, totals: await readTotals(transaction) };
  });
}

it('a snapshot is one moment, whatever is written meanwhile', async () => {
  const before = await one.database.query('select count(*)::int as count from accounts');
  const seen = await on(one, async (transaction) => {
    await lockTables(transaction);
    await describeSnapshot(transaction);
    await accountWith(one.database, { creditsMicro: 1n });
    return await transaction.query('select count(*)::int as count from accounts');
  });
  expect(seen).toEqual(before);
});

it('rows whose sums differ from those of the backup are not restored', async () => {
  const { about, parts, totals } = await snapshot();
  const wrong = { ...totals, credits_micro: '1' } as never;
  const restored = on(other, async (transaction) => {
    await prepareTables(transaction, about, silentLogger);
    for (const part of parts) await loadPart(transaction, about, part);
    await completeTables(transaction, { about, totals: wrong, log: silentLogger });
  });
  await expect(restored).rejects.toThrow('the backup says credits_micro 1, and its rows sum up to 7000001');
  expect(await on(other, judgeDatabase)).toBe('empty');
});

it('a database is judged by what it has', async () => {
  const { about, parts, totals } = await snapshot();
  expect(await on(other, judgeDatabase)).toBe('empty');
  await on(other, async (transaction) => {
    await prepareTables(transaction, about, silentLogger);
    for (const part of parts) await loadPart(transaction, about, part);
    await completeTables(transaction, { about, totals: totals as never, log: silentLogger });
    await forgetSecret(transaction);
  });
  expect(await on(other, judgeDatabase)).toBe('used');
  await other.database.query(
    `insert into node_heartbeats (node, instance, worker, started_at, seen_at, version, active_calls)
     values ('local', 'there:1', 0, now(), now(), '1', 0)`,
  );
  expect(await on(other, judgeDatabase)).toBe('served');
});
