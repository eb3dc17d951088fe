import { createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { createDays } from '../../kernel/time/days.ts';
import { type TimeRange, USAGE_GROUPS, type UsageGroup } from '../../ledger/log.ts';
import { EXPORT_DAYS_MAX, STATS_GROUPS_MAX, TREND_DAYS_MAX } from '../../operations/bounds.ts';
import { balanceLines, callLines, consumptionLines } from '../../operations/logs/export.ts';
import { type ShowTime, shownBalanceChange } from '../../operations/logs/log-items.ts';
import { shownSums } from '../../operations/stats/stats.ts';
import type { Setup } from '../../setup.ts';
import type { Database } from '../../store/database.ts';
import { pageOfBalanceLog, wholeBalanceLog } from '../../store/logs/balance-log.ts';
import { wholeLog } from '../../store/logs/log-pages.ts';
import { usageBetween, usageBy } from '../../store/logs/usage-sums.ts';
import { type Command, type CommandInput, EXIT, stringOption, UsageError } from '../command.ts';
import { pageLine, say, table } from '../table.ts';
import {
  choiceOf,
  optionalValue,
  PAGE_HELP,
  PAGE_OPTIONS,
  readPage,
  requiredValue,
  wholeNumber,
} from '../values.ts';
import { withStore } from '../workspace.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from './account-option.ts';

const DAY_MS = 86_400_000;
const USAGE_DAYS = 7;

export const accountLedger: Command = {
  name: 'account ledger',
  summary: 'List the ledger entries of an account (balance and Credits), newest first.',
  usage: '--account EMAIL [--page N] [--size N] [--json]',
  options: { ...ACCOUNT_OPTION, ...PAGE_OPTIONS },
  help: [ACCOUNT_HELP, ...PAGE_HELP, JSON_HELP],
  run: (input) => {
    const page = readPage(input);
    return withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const wanted = { range: {}, place: { skip: page.offset, size: page.limit } };
      const { items, total } = await pageOfBalanceLog(setup.database, accountId, wanted);
      const time = createTimeFormat(setup.config.timeZone);
      const rows = items
        .map((item) => shownBalanceChange(item, time))
        .map(({ id, created_at: at, kind, pool, change, after, ref }) =>
          [id, at, kind, pool, change, after, ref].map(String),
        );
      const iso = createIsoFormat(setup.config.timeZone);
      say(input, { total, items: items.map((item) => shownBalanceChange(item, iso)) }, [
        ...table(['ID', 'TIME', 'KIND', 'POOL', 'CHANGE', 'AFTER', 'WHY'], rows),
        ...pageLine(items.length, page.offset, total),
      ]);
      return EXIT.ok;
    });
  },
};

export const accountUsage: Command = {
  name: 'account usage',
  summary: 'Show the usage of an account by day, and by model, key, protocol or payer.',
  usage: '--account EMAIL [--days N] [--by model|key|protocol|payer] [--json]',
  options: { ...ACCOUNT_OPTION, days: { type: 'string' }, by: { type: 'string' } },
  help: [
    ACCOUNT_HELP,
    `--days N         number of days up to today; default ${USAGE_DAYS}`,
    '--by GROUP       model (default), key (its number), protocol or payer',
    JSON_HELP,
  ],
  run: (input) => {
    const count = optionalValue(input, 'days', wholeNumber) ?? USAGE_DAYS;
    if (count < 1 || count > TREND_DAYS_MAX) throw new UsageError(`--days must be 1 to ${TREND_DAYS_MAX}`);
    const by = choiceOf(stringOption(input, 'by') ?? 'model', 'by', USAGE_GROUPS);
    return withStore(input, (setup) => showUsage(setup, input, { count, by }));
  },
};

/** The names of the groups in JSON, the same as in the API. */
const GROUP_NAMES: Readonly<Record<UsageGroup, string>> = {
  model: 'model_id',
  key: 'key_id',
  protocol: 'protocol',
  payer: 'payer',
};

async function showUsage(
  setup: Setup,
  input: CommandInput,
  { count, by }: { readonly count: number; readonly by: UsageGroup },
): Promise<number> {
  const { database, config } = setup;
  const accountId = await requireAccount(setup, input);
  const days = createDays(config.timeZone);
  const toMs = systemClock.now() + 1;
  const edges: number[] = [];
  const fromMs = days.startOf(toMs - (count - 1) * DAY_MS);
  for (let edge = fromMs; edge < toMs; edge = days.after(edge)) edges.push(edge);
  const range = { fromMs, toMs };
  const [, ...sums] = await usageBetween(database, accountId, { range, edges });
  const groups = await usageBy(database, accountId, { by, range, most: STATS_GROUPS_MAX });
  const byDay = sums.map((each, place) => ({ edge: edges[place] ?? 0, sums: shownSums(each) }));
  const byGroup = groups.map((each) => ({ group: each.group, sums: shownSums(each) }));
  const [time, iso] = [createTimeFormat(config.timeZone), createIsoFormat(config.timeZone)];
  const columns = ['calls', 'failed', 'input_tokens', 'output_tokens', 'images', 'credits'] as const;
  const headings = ['CALLS', 'FAILED', 'INPUT', 'OUTPUT', 'IMAGES', 'CREDITS'];
  say(
    input,
    {
      days: byDay.map(({ edge, sums: each }) => ({ time: iso(edge), ...each })),
      [`${by}s`]: byGroup.map(({ group, sums: each }) => ({ [GROUP_NAMES[by]]: group, ...each })),
    },
    [
      ...table(
        ['DAY', ...headings],
        byDay.map(({ edge, sums: each }) => [
          time(edge).slice(0, 10),
          ...columns.map((name) => String(each[name])),
        ]),
      ),
      '',
      ...table(
        [by.toUpperCase(), ...headings],
        byGroup.map(({ group, sums: each }) => [group, ...columns.map((name) => String(each[name]))]),
      ),
    ],
  );
  return EXIT.ok;
}

interface Wanted {
  readonly accountId: number;
  readonly range: TimeRange;
  readonly time: ShowTime;
}

const LOGS: Readonly<Record<string, (database: Database, wanted: Wanted) => AsyncIterable<string>>> = {
  calls: (database, { accountId, range, time }) =>
    callLines(wholeLog(database, 'calls', { accountId, filter: range }), time),
  consumption: (database, { accountId, range, time }) =>
    consumptionLines(wholeLog(database, 'consumptions', { accountId, filter: range }), time),
  balance: (database, { accountId, range, time }) =>
    balanceLines(wholeBalanceLog(database, accountId, range), time),
};

export const accountExport: Command = {
  name: 'account export',
  summary: 'Print a log of an account as CSV, newest first.',
  usage: '--account EMAIL --log calls|consumption|balance [--days N]',
  options: { account: { type: 'string' }, log: { type: 'string' }, days: { type: 'string' } },
  help: [
    ACCOUNT_HELP,
    '--log LOG        calls, consumption (charges and their reasons) or balance',
    `--days N         number of days up to now; default ${EXPORT_DAYS_MAX}`,
  ],
  run: (input) => {
    const log = requiredValue(input, 'log', (text, name) => choiceOf(text, name, Object.keys(LOGS)));
    const count = optionalValue(input, 'days', wholeNumber) ?? EXPORT_DAYS_MAX;
    if (count < 1 || count > EXPORT_DAYS_MAX) throw new UsageError(`--days must be 1 to ${EXPORT_DAYS_MAX}`);
    return withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const toMs = systemClock.now() + 1;
      const range = { fromMs: toMs - count * DAY_MS, toMs };
      const time = createTimeFormat(setup.config.timeZone);
      const pieces = LOGS[log]?.(setup.database, { accountId, range, time }) ?? [];
      for await (const piece of pieces) {
        if (piece !== '') input.output.line(piece.replace(/\r?\n$/, ''));
      }
      return EXIT.ok;
    });
  },
};
