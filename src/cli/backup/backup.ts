import { resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { planFaults } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/log.ts';
import { formatMicro } from '../../kernel/money.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { refuseAbsentCluster, refuseEmpty } from '../../store/absence.ts';
import { startEmbedded } from '../../store/embedded/server.ts';
import { refuseHalfRestored } from '../../store/restore-marker.ts';
import { findSecret } from '../../store/secret-file.ts';
import { type Command, CommandFailed, type CommandInput, EXIT, stringOption } from '../command.ts';
import { JSON_HELP, JSON_OPTION, TEXT } from '../listing.ts';
import { openCommandLog } from '../serve/server-log.ts';
import { say } from '../table.ts';
import { failForPeople, requireConfig } from '../workspace.ts';
import { describeSealed } from './sealed-text.ts';
import { type Written, writeBackup } from './write-backup.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Write the database and the journal into one file, also while servers run.',
  usage: '[--to FILE] [--with-secret] [--json]',
  options: { to: TEXT, 'with-secret': { type: 'boolean' }, ...JSON_OPTION },
  help: [
    '--to FILE  the file to write; by default tollgate-TIME.tar.gz in the current directory',
    '--with-secret  also store the secret, with which vendor credentials can be decrypted',
    JSON_HELP,
  ],
  notes: [
    'The file has its name only when it is complete. Its owner alone can read it.',
    'With several nodes, run it on one; calls that another node has not settled yet are not in the backup.',
  ],
  run: runBackup,
};

async function runBackup(input: CommandInput): Promise<number> {
  const config = requireConfig(input);
  if (config.faults !== undefined) planFaults(config.faults);
  const path = resolve(stringOption(input, 'to') ?? defaultName());
  const startedAtMs = systemClock.monotonic();
  const written = await writeFrom(config, input, path).catch(failForPeople);
  const seconds = ((systemClock.monotonic() - startedAtMs) / 1000).toFixed(1);
  say(input, toJson(path, written), lines(path, written, seconds));
  return EXIT.ok;
}

function defaultName(): string {
  const time = new Date(systemClock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
  return `tollgate-${time}Z.tar.gz`;
}

async function writeFrom(config: Config, input: CommandInput, path: string): Promise<Written> {
  const { dataDirectory, databaseUrl } = config;
  refuseHalfRestored(dataDirectory);
  const log = openCommandLog(config, 'error');
  const writeHere = async (connection: string): Promise<Written> => {
    await refuseEmpty(connection, config, log);
    const secret = input.values['with-secret'] === true ? requireSecret(config) : undefined;
    return await write({ connection, log }, { path, dataDirectory, secret });
  };
  if (databaseUrl !== undefined) return await writeHere(config.databaseDirectUrl ?? databaseUrl);
  refuseAbsentCluster(config);
  const embedded = await startEmbedded(dataDirectory, log);
  try {
    return await writeHere(embedded.connection);
  } finally {
    await embedded.stop();
  }
}

function requireSecret({ secret, dataDirectory }: Config): string {
  const found = findSecret(secret, dataDirectory);
  if (found === undefined) throw new CommandFailed('--with-secret: there is no secret here');
  return found;
}

async function write(
  place: { readonly connection: string; readonly log: Logger },
  order: Parameters<typeof writeBackup>[1],
): Promise<Written> {
  try {
    return await writeBackup(place, order);
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new CommandFailed(`the backup could not be written: ${message}`);
  }
}

function toJson(path: string, { about, bytes, rows, totals, journal }: Written): object {
  const { taken_at: takenAt, sealed, has_secret: hasSecret } = about;
  return { path, bytes, taken_at: takenAt, has_secret: hasSecret, rows, totals, journal, sealed };
}

function lines(path: string, { about, bytes, totals, journal }: Written, seconds: string): readonly string[] {
  const credits = formatMicro(BigInt(totals.credits_micro));
  const balance = formatMicro(BigInt(totals.balance_micro));
  return [
    `${path}: ${bytes} bytes in ${seconds} s, as of ${about.taken_at}`,
    `${totals.accounts} accounts with ${credits} Credits and ${balance} yuan, ${totals.calls} calls`,
    `journal: ${journal.files} files, ${journal.bytes} bytes; calls in it that are not settled are settled by the next start`,
    ...(about.has_secret
      ? ['The secret is in the file. Who can read the file can decrypt every credential: keep it closed.']
      : ['The secret is not in the file. Keep it apart.', describeSealed(about.sealed)]),
  ];
}
