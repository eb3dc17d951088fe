import { openReceiver } from '../../app/clickhouse.ts';
import type { SinkReport } from '../../clickhouse/contract.ts';
import { createDatabase, createTable } from '../../clickhouse/statements.ts';
import { createSinkStore } from '../../store/logs/log-sink.ts';
import { createUpstreamClient } from '../../upstream/http/client.ts';
import { type Command, CommandFailed, type CommandInput, EXIT, UsageError } from '../command.ts';
import { JSON_HELP, JSON_OPTION } from '../listing.ts';
import { say } from '../table.ts';
import { requireConfig, withStore } from '../workspace.ts';

export const clickhouseTable: Command = {
  name: 'clickhouse table',
  summary: 'Print the statements that create the table of the call log in ClickHouse.',
  usage: '[--apply]',
  options: { apply: { type: 'boolean' } },
  help: ['--apply         run them at TOLLGATE_CLICKHOUSE_URL instead; what exists is left as it is'],
  run: async (input) => {
    const config = requireConfig(input);
    const names = { database: config.clickhouseDatabase, table: config.clickhouseTable };
    const statements = [createDatabase(names), createTable(names)];
    if (input.values.apply === true) await apply(input, statements);
    else for (const statement of statements) input.output.line(`${statement};`);
    return EXIT.ok;
  },
};

async function apply(input: CommandInput, statements: readonly string[]): Promise<void> {
  const config = requireConfig(input);
  const { clickhouseUrl } = config;
  if (clickhouseUrl === undefined) throw new UsageError('--apply needs TOLLGATE_CLICKHOUSE_URL');
  const client = createUpstreamClient();
  try {
    const receiver = openReceiver(client, clickhouseUrl, config);
    for (const statement of statements) {
      const received = await receiver.execute(statement);
      if (received.kind === 'failed') throw new CommandFailed(`ClickHouse: ${received.reason}`);
    }
  } finally {
    await client.close();
  }
  input.output.line(`the table ${config.clickhouseDatabase}.${config.clickhouseTable} is there`);
}

export const clickhouseStatus: Command = {
  name: 'clickhouse status',
  summary: 'Show how much of the call log ClickHouse has. Exit code 1 if it did not take the last batch.',
  usage: '[--json]',
  options: JSON_OPTION,
  help: [JSON_HELP],
  run: (input) =>
    withStore(input, async ({ database }) => {
      const report = await createSinkStore(database).report();
      say(input, report ?? {}, report === undefined ? ['no calls are sent to ClickHouse'] : lines(report));
      return report?.failure === undefined ? EXIT.ok : EXIT.failed;
    }),
};

function lines({ sentCalls, lagCalls, lagSeconds, holder, failure }: SinkReport): readonly string[] {
  return [
    `${sentCalls} calls sent, ${lagCalls} to be sent; all of ${Math.round(lagSeconds)} s ago were sent`,
    holder === undefined ? 'no server sends at present' : `${holder} sends`,
    ...(failure === undefined ? [] : [`the last batch was not taken: ${failure}`]),
  ];
}

export const clickhouseForget: Command = {
  name: 'clickhouse forget',
  summary: 'Forget what was sent: old months no longer wait for ClickHouse, and a new start sends all calls.',
  usage: '',
  options: {},
  help: [],
  notes: ['Unset TOLLGATE_CLICKHOUSE_URL on every node first, if no calls shall be sent any more.'],
  run: (input) =>
    withStore(input, async ({ database }) => {
      const was = await createSinkStore(database).forget();
      input.output.line(was ? 'forgotten' : 'there was nothing to forget');
      return EXIT.ok;
    }),
};
