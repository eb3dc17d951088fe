import { openStore } from '../../store/open.ts';
import { type Command, type CommandInput, EXIT } from '../command.ts';
import { openCommandLog } from '../serve/server-log.ts';
import { failForPeople, requireConfig } from '../workspace.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Migrate the database to this version. The server does the same at start.',
  usage: '[--json]',
  options: { json: { type: 'boolean' } },
  help: ['--json          print the applied migrations as JSON'],
  run: runMigrate,
};

async function runMigrate(input: CommandInput): Promise<number> {
  const config = requireConfig(input);
  const log = openCommandLog(config, 'error');
  const store = await openStore({ ...config, log }).catch(failForPeople);
  await store.close();
  const { migrated } = store;
  if (input.values.json === true) input.output.line(JSON.stringify({ applied: migrated }));
  else if (migrated.length === 0) input.output.line('the database is up to date');
  else for (const name of migrated) input.output.line(`applied ${name}`);
  return EXIT.ok;
}
