import { resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { planFaults } from '../../kernel/fault.ts';
import { formatMicro } from '../../kernel/money.ts';
import { prepareDataDirectory } from '../../store/embedded/data-directory.ts';
import { describeHeld, lockDataDirectory } from '../../store/embedded/lock.ts';
import { startEmbedded } from '../../store/embedded/server.ts';
import { findSecret } from '../../store/secret-file.ts';
import { type Command, CommandFailed, type CommandInput, EXIT, requiredOption } from '../command.ts';
import { JSON_HELP, JSON_OPTION, TEXT } from '../listing.ts';
import { openCommandLog } from '../serve/server-log.ts';
import { say } from '../table.ts';
import { failForPeople, requireConfig } from '../workspace.ts';
import { journalFolders } from './journal-files.ts';
import { checkBackup, type Restored, type RestoreOrder, readBackup } from './read-backup.ts';
import { RestoreStaging } from './restore-staging.ts';
import { describeSealed } from './sealed-text.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Read a backup into an empty database and data directory. Servers must be stopped.',
  usage: '--from FILE [--check] [--replace] [--new-secret] [--json]',
  options: {
    from: TEXT,
    ...{ check: { type: 'boolean' }, replace: { type: 'boolean' }, 'new-secret': { type: 'boolean' } },
    ...JSON_OPTION,
  },
  help: [
    '--from FILE  a file that "tollgate backup" wrote',
    '--check  only check that the file is complete, and print what is in it',
    '--replace  destroy what is in the database, and put journals that are there aside',
    '--new-secret  do without the secret of the backup; what it encrypted is lost',
    JSON_HELP,
  ],
  notes: [
    'An interrupted restore keeps servers from starting; run it again.',
    'With Redis, empty it before the first start: what it remembers is newer than the backup.',
  ],
  run: runRestore,
};

async function runRestore(input: CommandInput): Promise<number> {
  const config = requireConfig(input);
  if (config.faults !== undefined) planFaults(config.faults);
  const path = resolve(requiredOption(input, 'from'));
  if (input.values.check === true) {
    const { about, totals } = await checkBackup(path).catch(failForFile);
    say(input, { about, totals }, [`${path} is complete`, ...describe({ about, totals })]);
    return EXIT.ok;
  }
  const restored = await readHere(config, input, path).catch(failForFile);
  say(input, restored, lines(path, restored));
  return EXIT.ok;
}

function failForFile(error: unknown): never {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && syscall !== undefined) throw new CommandFailed(message);
  return failForPeople(error);
}

async function readHere(config: Config, input: CommandInput, path: string): Promise<Restored> {
  const dataDirectory = prepareDataDirectory(config.dataDirectory);
  const lock = await lockDataDirectory(dataDirectory);
  if (lock.kind === 'held') throw new CommandFailed(describeHeld(dataDirectory, lock));
  try {
    return await readLocked({ ...config, dataDirectory }, input, path);
  } finally {
    lock.release();
  }
}

async function readLocked(config: Config, input: CommandInput, path: string): Promise<Restored> {
  const { dataDirectory, databaseUrl, secret } = config;
  const staging = new RestoreStaging(dataDirectory);
  // What an interrupted restore left in a data directory is no data. Another database may be used by others.
  const isRepeated = staging.isHalf && databaseUrl === undefined;
  const mayReplace = input.values.replace === true || isRepeated;
  if (!mayReplace && !staging.isHalf && journalFolders(dataDirectory).length > 0) {
    throw new CommandFailed(
      `${dataDirectory} has a journal, which may hold charges: use another data directory, ` +
        'or say --replace to put it aside',
    );
  }
  const log = openCommandLog(config, 'error');
  const order: Omit<RestoreOrder, 'connection'> = {
    ...{ path, log, staging, mayReplace, mayLose: input.values['new-secret'] === true },
    secrets: { configured: secret, inDirectory: findSecret(undefined, dataDirectory) },
  };
  if (databaseUrl !== undefined) {
    return await readBackup({ ...order, connection: config.databaseDirectUrl ?? databaseUrl });
  }
  const embedded = await startEmbedded(dataDirectory, log);
  try {
    return await readBackup({ ...order, connection: embedded.connection });
  } finally {
    await embedded.stop();
  }
}

const SECRET_LINES: Readonly<Record<Restored['secret'], string>> = {
  kept: 'the secret that is here opens what the backup contains',
  written: 'the secret of the backup is in the data directory',
  lost: 'the next start makes or takes another secret: set the vendor credentials again with "tollgate apply"',
};

function lines(path: string, restored: Restored): readonly string[] {
  const { about, migrated, secret } = restored;
  return [
    `${path} is restored`,
    ...describe(restored),
    ...(migrated.length > 0 ? [`applied ${migrated.length} migrations of this version`] : []),
    SECRET_LINES[secret],
    ...(secret === 'lost' ? [describeSealed(about.sealed)] : []),
    'the next start settles the calls of the journal',
  ];
}

function describe({ about, totals }: Pick<Restored, 'about' | 'totals'>): readonly string[] {
  const credits = formatMicro(BigInt(totals.credits_micro));
  const balance = formatMicro(BigInt(totals.balance_micro));
  return [
    `taken at ${about.taken_at} by version ${about.version}`,
    `${totals.accounts} accounts with ${credits} Credits and ${balance} yuan, ${totals.calls} calls`,
  ];
}
