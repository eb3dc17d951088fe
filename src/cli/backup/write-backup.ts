import { fault } from '../../kernel/fault.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import {
  ABOUT_NAME,
  type BackupAbout,
  JOURNAL_PREFIX,
  SECRET_NAME,
  type Totals,
} from '../../store/backup/about.ts';
import { ArchiveWriter } from '../../store/backup/archive-writer.ts';
import { BACKUP_SNAPSHOTS_MAX } from '../../store/backup/bounds.ts';
import { type CopyPlace, type CopyTransaction, withCopyTransaction } from '../../store/backup/copy.ts';
import {
  BackupRefused,
  checkForm,
  describeSnapshot,
  lockTables,
  readTotals,
  writeTables,
} from '../../store/backup/snapshot.ts';
import { JournalFiles } from './journal-files.ts';

export interface BackupOrder {
  readonly path: string;
  readonly dataDirectory: string;
  /** Undefined: the backup does not contain the secret. */
  readonly secret: string | undefined;
}

export interface Written {
  readonly about: BackupAbout;
  readonly bytes: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly totals: Totals;
  readonly journal: JournalCount;
}

export interface JournalCount {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes a backup: one moment of the database, and the journals of the data directory at that moment. Calls
 * that had ended and were not settled are in the journals, and so are those that were running. A call that is
 * in both is settled once, because the database knows it by its id.
 */
export async function writeBackup(place: CopyPlace, order: BackupOrder): Promise<Written> {
  await withCopyTransaction(place, checkForm);
  for (let tries = 0; tries < BACKUP_SNAPSHOTS_MAX; tries++) {
    const journals = new JournalFiles(order.dataDirectory);
    try {
      const written = await withCopyTransaction(place, (transaction) =>
        writeSnapshot(transaction, journals, order),
      );
      if (written !== undefined) return written;
    } finally {
      await journals.close();
    }
  }
  throw new BackupRefused('the journal moves on faster than the database answers; try again');
}

/** Undefined: another moment must be chosen. Nothing was written. */
async function writeSnapshot(
  transaction: CopyTransaction,
  journals: JournalFiles,
  { path, secret }: BackupOrder,
): Promise<Written | undefined> {
  await lockTables(transaction);
  await journals.openAll();
  const about = { ...(await describeSnapshot(transaction)), has_secret: secret !== undefined };
  if (!(await journals.openNew())) return undefined;
  const archive = new ArchiveWriter(path, systemClock);
  try {
    await archive.add(ABOUT_NAME, Buffer.from(`${JSON.stringify(about, undefined, 1)}\n`));
    if (secret !== undefined) await archive.add(SECRET_NAME, Buffer.from(`${secret}\n`));
    const journal = await addJournals(archive, journals);
    fault('backup.before-tables');
    const rows = await writeTables(transaction, about.tables, (name, content) => archive.add(name, content));
    const totals = await readTotals(transaction);
    fault('backup.before-end');
    return { about, rows, totals, journal, bytes: await archive.finish({ rows, totals, journal }) };
  } catch (error) {
    await archive.discard();
    throw error;
  }
}

/** At once, so that calls which end while the tables are written are not found half. */
async function addJournals(archive: ArchiveWriter, journals: JournalFiles): Promise<JournalCount> {
  let [files, bytes] = [0, 0];
  for await (const { name, content } of journals.contents()) {
    await archive.add(`${JOURNAL_PREFIX}${name}`, content);
    files += 1;
    bytes += content.length;
  }
  return { files, bytes };
}
