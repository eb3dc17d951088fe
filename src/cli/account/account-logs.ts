import { createTimeFormat } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { createDays } from '../../kernel/time/days.ts';
import { USAGE_GROUPS } from '../../ledger/log.ts';
import { EXPORT_DAYS_MAX, TREND_DAYS_MAX } from '../../operations/bounds.ts';
import { type Command, type CommandInput, requiredOption, stringOption, UsageError } from '../command.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, listing, rowsTable, TEXT } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal, type Row } from '../terminal.ts';
import { optionalValue, parseChoice, wholeNumber } from '../values.ts';

const DAY_MS = 86_400_000;
const USAGE_DAYS = 7;

export const accountLedger = listing({
  name: 'account ledger',
  summary: 'List the ledger entries of an account (balance and Credits), newest first.',
  operation: 'logs.balance',
  of: 'account',
  columns: {
    ...{ ID: 'id', TIME: 'created_at', KIND: 'kind', POOL: 'pool' },
    ...{ CHANGE: 'change', AFTER: 'after', WHY: 'ref' },
  },
});

/** The operation of each group, and its field. */
const GROUPS = {
  model: ['stats.models', 'model_id'],
  key: ['stats.keys', 'key_id'],
  protocol: ['stats.protocols', 'protocol'],
  payer: ['stats.payers', 'payer'],
} as const;

const SUMS = {
  ...{ CALLS: 'calls', FAILED: 'failed', INPUT: 'input_tokens', OUTPUT: 'output_tokens' },
  ...{ IMAGES: 'images', CREDITS: 'credits' },
};

export const accountUsage: Command = {
  name: 'account usage',
  summary: 'Show the usage of an account by day, and by model, key, protocol or payer.',
  usage: '--account EMAIL [--days N] [--by model|key|protocol|payer] [--json]',
  options: { ...ACCOUNT_OPTION, days: TEXT, by: TEXT },
  help: [
    ACCOUNT_HELP,
    `--days N         number of days up to today; default ${USAGE_DAYS}`,
    '--by GROUP       model (default), key (its number), protocol or payer',
    JSON_HELP,
  ],
  run: (input) => {
    const count = readDaysOption(input, TREND_DAYS_MAX) ?? USAGE_DAYS;
    const by = parseChoice(stringOption(input, 'by') ?? 'model', 'by', USAGE_GROUPS);
    return atTerminal(input, async (terminal) => {
      const { timeZone } = terminal.config;
      const firstMs = createDays(timeZone).startOf(systemClock.now() - (count - 1) * DAY_MS);
      const query = { from: createTimeFormat(timeZone)(firstMs) };
      const asked = { accountId: await terminal.account(), query };
      const [operation, field] = GROUPS[by];
      const days = await terminal.data<readonly Row[]>('stats.trend', asked);
      const groups = await terminal.data<readonly Row[]>(operation, asked);
      say(input, { days, [`${by}s`]: groups }, [
        ...rowsTable({ DAY: ({ time }) => String(time).slice(0, 10), ...SUMS }, days),
        '',
        ...rowsTable({ [by.toUpperCase()]: field, ...SUMS }, groups),
      ]);
    });
  },
};

function readDaysOption(input: CommandInput, most: number): number | undefined {
  const count = optionalValue(input, 'days', wholeNumber);
  if (count !== undefined && (count < 1 || count > most)) throw new UsageError(`--days must be 1 to ${most}`);
  return count;
}

const LOGS = {
  calls: 'logs.exportCalls',
  consumption: 'logs.exportConsumptions',
  balance: 'logs.exportBalance',
} as const;

export const accountExport: Command = {
  name: 'account export',
  summary: 'Print a log of an account as CSV, newest first.',
  usage: '--account EMAIL --log calls|consumption|balance [--days N]',
  options: { account: TEXT, log: TEXT, days: TEXT },
  help: [
    ACCOUNT_HELP,
    '--log LOG        calls, consumption (charges and their reasons) or balance',
    `--days N         number of days up to now; default ${EXPORT_DAYS_MAX}`,
  ],
  run: (input) => {
    const log = parseChoice(requiredOption(input, 'log'), 'log', ['calls', 'consumption', 'balance']);
    const count = readDaysOption(input, EXPORT_DAYS_MAX) ?? EXPORT_DAYS_MAX;
    return atTerminal(input, async (terminal) => {
      const fromMs = systemClock.now() - count * DAY_MS;
      // Without a start, it is the longest time.
      const isAll = count === EXPORT_DAYS_MAX;
      const from = isAll ? undefined : createTimeFormat(terminal.config.timeZone)(fromMs);
      const asked = { accountId: await terminal.account(), query: { from } };
      for await (const piece of await terminal.file(LOGS[log], asked)) {
        if (piece !== '') input.output.line(piece.replace(/\r?\n$/, ''));
      }
    });
  },
};
