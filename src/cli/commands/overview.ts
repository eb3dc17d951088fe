import { createTimeFormat } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { type Command, UsageError } from '../command.ts';
import { JSON_HELP, JSON_OPTION, rowsTable, TEXT } from '../listing.ts';
import { facts, say } from '../table.ts';
import { atTerminal, type Row } from '../terminal.ts';
import { optionalValue, wholeNumber } from '../values.ts';

const HOUR_MS = 3_600_000;
const HOURS_MAX = 366 * 24;

interface Overview extends Row {
  readonly traffic: Row;
  readonly errors: readonly Row[];
  readonly vendors: readonly Row[];
  readonly accounts: Row;
  readonly waiting: Row;
}

interface Credentials {
  readonly credentials: readonly Row[];
}

export const overview: Command = {
  name: 'overview',
  summary: 'Show traffic, errors, revenue, cost and margin by vendor and credential, and open tasks.',
  usage: '[--hours N] [--json]',
  options: { hours: TEXT, ...JSON_OPTION },
  help: ['--hours N        number of hours up to now; default 24', JSON_HELP],
  run: (input) => {
    const hours = optionalValue(input, 'hours', wholeNumber) ?? 24;
    if (hours < 1 || hours > HOURS_MAX) throw new UsageError(`--hours must be 1 to ${HOURS_MAX}`);
    return atTerminal(input, async (terminal) => {
      const endMs = Math.ceil(systemClock.now() / HOUR_MS) * HOUR_MS;
      const from = createTimeFormat(terminal.config.timeZone)(endMs - hours * HOUR_MS);
      const found = await terminal.data<Overview>('overview.get', { query: { from } });
      const { credentials: all } = await terminal.data<Credentials>('overview.credentials', {
        query: { from },
      });
      // Their health is what a server has observed.
      const credentials = all.map(({ health: _unknown, ...sales }) => sales);
      say(input, { ...found, credentials }, [
        ...overviewFacts(found),
        ...['', ...rowsTable({ VENDOR: 'vendor', ...SALES }, found.vendors)],
        ...['', ...rowsTable({ CREDENTIAL: 'name', ...SALES }, credentials)],
      ]);
    });
  },
};

const SALES = { CALLS: 'calls', FAILED: 'failed', REVENUE: 'revenue', COST: 'cost', MARGIN: 'margin' };

function overviewFacts({ from, traffic, errors, accounts, waiting }: Overview): readonly string[] {
  return facts([
    ['since', String(from)],
    ['calls', `${traffic.calls}, ${traffic.failed} failed`],
    ['errors', errors.map(({ status, calls }) => `${status}: ${calls}`).join(', ') || 'none'],
    ['covered', `${traffic.covered} yuan by subscriptions`],
    ['accounts', `${accounts.total}, ${traffic.active_accounts} active, ${accounts.new} new`],
    ['waiting', `${waiting.verifications} verifications, ${waiting.feedback} feedback`],
  ]);
}
