import { SECRET_LENGTH_MAX } from '../../bounds.ts';
import { isJsonObject } from '../../kernel/encoding/json.ts';
import { fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/log.ts';
import {
  ABOUT_NAME,
  type BackupAbout,
  checkAbout,
  JOURNAL_PREFIX,
  SECRET_NAME,
  TABLE_PREFIX,
  type Totals,
} from '../../store/backup/about.ts';
import {
  ArchiveDamaged,
  type ArchiveEntry,
  ArchiveReader,
  readObject,
} from '../../store/backup/archive-reader.ts';
import { type CopyTransaction, withCopyTransaction } from '../../store/backup/copy.ts';
import {
  completeTables,
  forgetSecret,
  judgeDatabase,
  loadPart,
  prepareTables,
  RestoreRefused,
} from '../../store/backup/load.ts';
import type { RestoreStaging } from './restore-staging.ts';
import { chooseSecret, type SecretOutcome, type Secrets } from './restored-secret.ts';

export interface RestoreOrder {
  readonly path: string;
  readonly connection: string;
  readonly log: Logger;
  readonly staging: RestoreStaging;
  readonly secrets: Omit<Secrets, 'inBackup' | 'checkValue'>;
  /** What is in the database may be destroyed. */
  readonly mayReplace: boolean;
  readonly mayLose: boolean;
}

export interface Restored {
  readonly about: BackupAbout;
  readonly totals: Totals;
  readonly secret: SecretOutcome;
  readonly migrated: readonly string[];
}

/** What a complete backup says of itself. Reads all of it, and changes nothing. */
export async function checkBackup(path: string): Promise<Pick<Restored, 'about' | 'totals'>> {
  const archive = new ArchiveReader(path);
  let about: BackupAbout | undefined;
  for await (const entry of archive.entries()) {
    if (about === undefined) about = await readAbout(entry);
    else for await (const _part of entry.content);
  }
  if (about === undefined) throw new ArchiveDamaged('the backup is empty');
  return { about, totals: readTotals(archive) };
}

/**
 * Reads a backup into the database and the data directory. The database changes in one transaction, whose
 * commit is the last but one step. The last one removes the folder that keeps servers from starting.
 */
export async function readBackup(order: RestoreOrder): Promise<Restored> {
  try {
    const restored = await withCopyTransaction(order, (transaction) => readInto(transaction, order));
    fault('restore.after-commit');
    await order.staging.finish();
    return restored;
  } catch (error) {
    await order.staging.abandon();
    throw error;
  }
}

async function readInto(transaction: CopyTransaction, order: RestoreOrder): Promise<Restored> {
  const { staging, log } = order;
  await refuseUsed(transaction, order);
  await staging.begin();
  const archive = new ArchiveReader(order.path);
  const found: Found = {};
  for await (const entry of archive.entries()) await readEntry(entry, found, { transaction, order });
  const { about, inBackup } = found;
  if (about === undefined) throw new ArchiveDamaged('the backup is empty');
  const totals = readTotals(archive);
  const secret = decideSecret(found, about, order);
  const migrated = await completeTables(transaction, { about, totals, log });
  if (secret === 'lost') await forgetSecret(transaction);
  if (secret === 'written' && inBackup !== undefined) await staging.writeSecret(inBackup);
  await staging.putInPlace();
  fault('restore.before-commit');
  return { about, totals, secret, migrated };
}

/** What the entries so far have said. */
interface Found {
  about?: BackupAbout;
  inBackup?: string;
}

async function readEntry(
  entry: ArchiveEntry,
  found: Found,
  { transaction, order }: { readonly transaction: CopyTransaction; readonly order: RestoreOrder },
): Promise<void> {
  if (found.about === undefined) {
    found.about = await readAbout(entry);
    await prepareTables(transaction, found.about, order.log);
  } else if (entry.name === SECRET_NAME) found.inBackup = await readSecret(entry);
  else if (entry.name.startsWith(JOURNAL_PREFIX)) await order.staging.take(entry, JOURNAL_PREFIX);
  else if (entry.name.startsWith(TABLE_PREFIX)) {
    // A wrong secret is told before the large tables are read.
    decideSecret(found, found.about, order);
    await loadPart(transaction, found.about, entry);
    fault('restore.after-part');
  } else throw new ArchiveDamaged(`the backup has an unknown entry: ${entry.name}`);
}

function decideSecret({ inBackup }: Found, about: BackupAbout, order: RestoreOrder): SecretOutcome {
  const secrets = { ...order.secrets, inBackup, checkValue: about.check_value };
  return chooseSecret(secrets, { ...order, sealed: about.sealed });
}

async function refuseUsed(transaction: CopyTransaction, { mayReplace }: RestoreOrder): Promise<void> {
  const state = await judgeDatabase(transaction);
  if (state === 'served') {
    throw new RestoreRefused('a server runs on this database, or did within the last seconds: stop it first');
  }
  if (state === 'used' && !mayReplace) {
    throw new RestoreRefused(
      'the database is not empty: restore into an empty one, or say --replace to destroy what is in it',
    );
  }
}

async function readAbout(entry: ArchiveEntry): Promise<BackupAbout> {
  if (entry.name !== ABOUT_NAME) throw new ArchiveDamaged('the file is not a backup of Tollgate');
  return checkAbout(await readObject(entry));
}

function readTotals({ end }: ArchiveReader): Totals {
  if (!isJsonObject(end.totals)) throw new ArchiveDamaged('the backup has no sums');
  return end.totals as unknown as Totals;
}

async function readSecret(entry: ArchiveEntry): Promise<string> {
  if (entry.bytes > SECRET_LENGTH_MAX) throw new ArchiveDamaged('the secret of the backup is too long');
  const parts: Buffer[] = [];
  for await (const part of entry.content) parts.push(part);
  return Buffer.concat(parts).toString('utf8').trim();
}
