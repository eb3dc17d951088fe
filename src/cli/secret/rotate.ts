import { SECRET_LENGTH_MAX } from '../../bounds.ts';
import type { Config } from '../../config.ts';
import { newSealer, opensCheckValue, secretWeakness } from '../../kernel/encoding/seal.ts';
import { fault, planFaults } from '../../kernel/fault.ts';
import { systemRandom } from '../../kernel/random.ts';
import { refuseAbsentCluster, refuseEmpty } from '../../store/absence.ts';
import type { Database } from '../../store/database.ts';
import { prepareDataDirectory } from '../../store/embedded/data-directory.ts';
import { describeHeld, lockDataDirectory } from '../../store/embedded/lock.ts';
import { openStore } from '../../store/open.ts';
import { record } from '../../store/operations/audit.ts';
import { hasLiveServer } from '../../store/operations/heartbeats.ts';
import { findCheckValue, type Resealed, sealAgain } from '../../store/sealing.ts';
import { findSecret, NextSecret, newSecret } from '../../store/secret-file.ts';
import { type Command, CommandFailed, type CommandInput, EXIT, UsageError } from '../command.ts';
import { JSON_HELP, JSON_OPTION } from '../listing.ts';
import { openCommandLog } from '../serve/server-log.ts';
import { readStandardInput } from '../standard-input.ts';
import { say } from '../table.ts';
import { failForPeople, requireConfig } from '../workspace.ts';

export const secretRotate: Command = {
  name: 'secret rotate',
  summary: 'Encrypt every stored credential and document number with a new secret. Servers must be stopped.',
  usage: '[--stdin] [--json]',
  options: { stdin: { type: 'boolean' }, ...JSON_OPTION },
  help: [
    '--stdin  read the new secret from standard input; without it one is made in the data directory',
    JSON_HELP,
  ],
  notes: [
    'All of it happens, or nothing. After an interruption run it again, with the same new secret.',
    'Stored conversations are deleted, and all logins end. API keys and passwords stay.',
    'Keep the old secret as long as you keep backups from before: they need it.',
  ],
  run: runRotate,
};

async function runRotate(input: CommandInput): Promise<number> {
  const config = requireConfig(input);
  if (config.faults !== undefined) planFaults(config.faults);
  const given = input.values.stdin === true ? await readNew(config) : undefined;
  if (given === undefined && config.secret !== undefined) {
    throw new UsageError('TOLLGATE_SECRET is set: give the new secret with --stdin');
  }
  await requireStore(config).catch(failForPeople);
  const dataDirectory = prepareDataDirectory(config.dataDirectory);
  const lock = await lockDataDirectory(dataDirectory);
  if (lock.kind === 'held') throw new CommandFailed(describeHeld(dataDirectory, lock));
  try {
    const log = openCommandLog(config, 'error');
    const place = { ...config, dataDirectory, log, whenAbsent: 'refuse' } as const;
    const store = await openStore(place).catch(failForPeople);
    try {
      const rotated = await rotate(store.database, { ...config, dataDirectory }, given);
      say(input, rotated, lines(rotated));
      return EXIT.ok;
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

/** Before the data directory is created and locked. */
async function requireStore(config: Config): Promise<void> {
  refuseAbsentCluster(config);
  const { databaseUrl, databaseDirectUrl } = config;
  if (databaseUrl === undefined) return;
  await refuseEmpty(databaseDirectUrl ?? databaseUrl, config, openCommandLog(config, 'error'));
}

async function readNew(config: Config): Promise<string> {
  const given = (await readStandardInput(SECRET_LENGTH_MAX)).trim();
  const weakness = given.length > SECRET_LENGTH_MAX ? 'is too long' : secretWeakness(given);
  if (weakness !== undefined) throw new UsageError(`the new secret ${weakness}`);
  if (given === findSecret(config.secret, config.dataDirectory)) {
    throw new UsageError('the new secret is the one in use');
  }
  return given;
}

interface Rotated extends Partial<Resealed> {
  /** `earlier-run`: an earlier run had sealed everything, and only the rest was left to do. */
  readonly sealed_by: 'this-run' | 'earlier-run';
  /** Where the old secret is kept; null if TOLLGATE_SECRET has it. */
  readonly old_secret: string | null;
}

/** The secret is in the environment, which only people can change, or in the data directory. */
async function rotate(database: Database, config: Config, given: string | undefined): Promise<Rotated> {
  const next = config.secret === undefined ? new NextSecret(config.dataDirectory) : undefined;
  const checkValue = await findCheckValue(database);
  if (checkValue === undefined) throw new CommandFailed('nothing is encrypted here yet');
  const sealedWith = given ?? next?.find();
  if (opens(sealedWith, checkValue)) {
    return { sealed_by: 'earlier-run', old_secret: putInPlace(next, sealedWith) };
  }
  const old = findSecret(config.secret, config.dataDirectory);
  if (old === undefined || !opens(old, checkValue)) {
    throw new CommandFailed(
      'TOLLGATE_SECRET (or the file "secret" in the data directory) is not the secret that this data was ' +
        'encrypted with',
    );
  }
  const fresh = given ?? newSecret(systemRandom);
  next?.write(fresh);
  const resealed = await database.transaction((transaction) => sealAll(transaction, fresh, old));
  fault('rotate.after-commit');
  return { sealed_by: 'this-run', old_secret: putInPlace(next, fresh), ...resealed };
}

async function sealAll(transaction: Database, fresh: string, old: string): Promise<Resealed> {
  const resealed = await sealAgain(transaction, newSealer([fresh, old], systemRandom));
  if (await hasLiveServer(transaction)) {
    throw new CommandFailed('a server runs on this database, or did within the last seconds: stop it first');
  }
  const actor = { accountId: undefined, address: 'terminal', action: 'secret rotate' };
  await record(transaction, actor, { entity: 'secret', key: 'root', before: null, after: { ...resealed } });
  fault('rotate.before-commit');
  return resealed;
}

function putInPlace(next: NextSecret | undefined, secret: string | undefined): string | null {
  if (next === undefined || secret === undefined) return null;
  if (next.find() !== secret) next.write(secret);
  return next.putInPlace();
}

function opens(secret: string | undefined, checkValue: string): boolean {
  if (secret === undefined) return false;
  return opensCheckValue(newSealer([secret], systemRandom), checkValue);
}

function lines({ sealed, unreadable = 0, conversations, old_secret: kept }: Rotated): readonly string[] {
  const done =
    sealed === undefined
      ? 'everything was encrypted with the new secret by an earlier run'
      : `${sealed} secrets are encrypted with the new secret; ${conversations} stored conversations are deleted`;
  return [
    done,
    ...(unreadable > 0 ? [`${unreadable} secrets could not be decrypted, and stay as they were`] : []),
    kept === null
      ? 'set TOLLGATE_SECRET to the new secret on every node before you start'
      : `the data directory has the new secret; the old one is ${kept}`,
    'keep the old secret as long as you keep backups from before',
  ];
}
