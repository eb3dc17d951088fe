import type { Database } from '../../store/database.ts';
import { openToOlder } from '../../store/embedded/server.ts';
import { setAside } from '../../store/migrate.ts';
import { openStore } from '../../store/open.ts';
import { type Command, type CommandInput, EXIT, stringOption, UsageError } from '../command.ts';
import { openCommandLog } from '../serve/server-log.ts';
import { failForPeople, requireConfig } from '../workspace.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Migrate the database to this version. The server does the same at start.',
  usage: '[--back-to NNN] [--json]',
  options: { json: { type: 'boolean' }, 'back-to': { type: 'string' } },
  help: [
    '--back-to NNN   let a version start again whose last migration is NNN: later ones stay in force, and',
    '                their records are put aside until this version starts again',
    '--json          print the migrations as JSON: those applied, those put aside',
  ],
  run: runMigrate,
};

async function runMigrate(input: CommandInput): Promise<number> {
  const config = requireConfig(input);
  const log = openCommandLog(config, 'error');
  const backTo = readBackTo(input);
  const store = await openStore({ ...config, log }).catch(failForPeople);
  const { migrated, database } = store;
  try {
    if (backTo !== undefined) {
      const code = await putAside(input, database, backTo);
      if (config.databaseUrl === undefined) openToOlder(config.dataDirectory);
      return code;
    }
  } catch (error) {
    failForPeople(error);
  } finally {
    await store.close();
  }
  if (input.values.json === true) input.output.line(JSON.stringify({ applied: migrated }));
  else if (migrated.length === 0) input.output.line('the database is up to date');
  else for (const name of migrated) input.output.line(`applied ${name}`);
  return EXIT.ok;
}

function readBackTo(input: CommandInput): number | undefined {
  const text = stringOption(input, 'back-to');
  if (text === undefined) return undefined;
  if (!/^\d{3}$/.test(text)) throw new UsageError('--back-to is the number of a migration, like 015');
  return Number(text);
}

async function putAside(input: CommandInput, database: Database, backTo: number): Promise<number> {
  const names = await database.transaction((transaction) => setAside(transaction, backTo));
  if (input.values.json === true) input.output.line(JSON.stringify({ put_aside: names }));
  else if (names.length === 0) input.output.line('the database has no later migration');
  else for (const name of names) input.output.line(`put aside ${name}`);
  return EXIT.ok;
}
