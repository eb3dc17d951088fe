import { StoreUnavailable } from '../accounts/contract.ts';
import { SQL_TIMEOUT_MS } from '../bounds.ts';
import { type Config, loadConfig } from '../config.ts';
import { openSealer, type Setup, StartRefused } from '../setup.ts';
import { StoreAbsent } from '../store/absence.ts';
import { ArchiveDamaged } from '../store/backup/archive-reader.ts';
import { ArchiveRefused } from '../store/backup/archive-writer.ts';
import { RestoreRefused } from '../store/backup/load.ts';
import { BackupRefused } from '../store/backup/snapshot.ts';
import { announceAndWait } from '../store/changes.ts';
import { DataDirectoryUnusable } from '../store/embedded/data-directory.ts';
import { EmbeddedUnavailable } from '../store/embedded/place.ts';
import { MigrationRefused } from '../store/migrate.ts';
import { openStore } from '../store/open.ts';
import { PoolerRefused } from '../store/pooler.ts';
import { CommandFailed, type CommandInput, stringOption, UsageError } from './command.ts';
import { openCommandLog } from './serve/server-log.ts';

/** Reads the configuration of a command. All wrong values are reported, and nothing is started. */
export function requireConfig(input: CommandInput): Config {
  const result = loadConfig(stringOption(input, 'config'));
  if (result.kind === 'config-errors') {
    throw new UsageError(`the configuration is not valid:\n  ${result.errors.join('\n  ')}`);
  }
  return result.config;
}

/** Turns failures that have a message for people into that message. */
export function failForPeople(error: unknown): never {
  const known = [
    StartRefused,
    StoreAbsent,
    EmbeddedUnavailable,
    DataDirectoryUnusable,
    MigrationRefused,
    PoolerRefused,
    StoreUnavailable,
    BackupRefused,
    ArchiveRefused,
    ArchiveDamaged,
    RestoreRefused,
  ];
  if (error instanceof Error && known.some((kind) => error instanceof kind)) {
    throw new CommandFailed(error.message);
  }
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  if (LOGIN_STATES.includes(String(code)))
    throw new CommandFailed(`the database refuses the connection (${message}): check DATABASE_URL`);
  throw error;
}

/** Of PostgreSQL: no such database, no such user, a wrong password. */
const LOGIN_STATES: readonly string[] = ['3D000', '28000', '28P01'];

/**
 * Works on the database of the configuration, whether a server runs on it or not. Running servers have the
 * change in force when the command returns.
 */
export async function withStore<Result>(
  input: CommandInput,
  work: (setup: Setup) => Promise<Result>,
  statementTimeoutMs: number = SQL_TIMEOUT_MS,
): Promise<Result> {
  const config = requireConfig(input);
  const log = openCommandLog(config, 'error');
  const whenAbsent = input.command.mayCreate === true ? 'create' : 'refuse';
  const store = await openStore({ ...config, log, whenAbsent, statementTimeoutMs }).catch(failForPeople);
  try {
    const { database } = store;
    const sealer = await openSealer(config, database);
    return await work({ config, database, sealer, log });
  } catch (error) {
    return failForPeople(error);
  } finally {
    await store.close();
  }
}

/** Waits until running servers have the change. Warns if one does not confirm it in time. */
export async function untilInForce({ database }: Setup, input: CommandInput): Promise<void> {
  const result = await announceAndWait(database);
  if (result === 'late') input.output.error('warning: a running server has not confirmed the change yet');
}
