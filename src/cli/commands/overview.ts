import { formatMicro } from '../../kernel/money.ts';
import { createTimeFormat } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import {
  countPlatform,
  findCredentialSales,
  findTraffic,
  findVendorSales,
  type Sales,
} from '../../store/operations/operator-stats.ts';
import { JSON_HELP } from '../account/account-option.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { facts, say, table } from '../table.ts';
import { optionalValue, wholeNumber } from '../values.ts';
import { withStore } from '../workspace.ts';

const HOUR_MS = 3_600_000;
const HOURS_MAX = 366 * 24;

export const overview: Command = {
  name: 'overview',
  summary: 'Show traffic, errors, revenue, cost and margin by vendor and credential, and open tasks.',
  usage: '[--hours N] [--json]',
  options: { hours: { type: 'string' }, json: { type: 'boolean' } },
  help: ['--hours N        number of hours up to now; default 24', JSON_HELP],
  run: (input) => {
    const hours = optionalValue(input, 'hours', wholeNumber) ?? 24;
    if (hours < 1 || hours > HOURS_MAX) throw new UsageError(`--hours must be 1 to ${HOURS_MAX}`);
    return withStore(input, async ({ database, config }) => {
      const toMs = Math.ceil(systemClock.now() / HOUR_MS) * HOUR_MS;
      const period = { fromMs: toMs - hours * HOUR_MS, toMs };
      const traffic = await findTraffic(database, period);
      const counted = await countPlatform(database, period);
      const vendors = (await findVendorSales(database, period)).map((each) => ({
        name: each.vendor,
        ...salesJson(each),
      }));
      const credentials = (await findCredentialSales(database, period)).map((each) => ({
        name: each.credential,
        ...salesJson(each),
      }));
      const { coveredMicro, errors, ...counts } = traffic;
      const json = {
        ...counts,
        covered: formatMicro(coveredMicro),
        errors,
        ...counted,
        vendors,
        credentials,
      };
      say(input, json, [
        ...facts([
          ['since', createTimeFormat(config.timeZone)(period.fromMs)],
          ['calls', `${traffic.calls}, ${traffic.failed} failed`],
          ['errors', errors.map(({ status, calls }) => `${status}: ${calls}`).join(', ') || 'none'],
          ['covered', `${formatMicro(coveredMicro)} yuan by subscriptions`],
          ['accounts', `${counted.accounts}, ${traffic.activeAccounts} active, ${counted.newAccounts} new`],
          ['waiting', `${counted.pendingVerifications} verifications, ${counted.openFeedback} feedback`],
        ]),
        ...['', ...salesTable('VENDOR', vendors)],
        ...['', ...salesTable('CREDENTIAL', credentials)],
      ]);
      return EXIT.ok;
    });
  },
};

interface ShownSales {
  readonly calls: number;
  readonly failed: number;
  readonly revenue: string;
  readonly cost: string;
  readonly margin: string;
}

function salesJson({ calls, failed, revenueMicro, costMicro }: Sales): ShownSales {
  return {
    calls,
    failed,
    revenue: formatMicro(revenueMicro),
    cost: formatMicro(costMicro),
    margin: formatMicro(revenueMicro - costMicro),
  };
}

function salesTable(
  heading: string,
  rows: readonly (ShownSales & { readonly name: string })[],
): readonly string[] {
  const cells = rows.map(({ name, calls, failed, revenue, cost, margin }) => [
    ...[name, String(calls), String(failed), revenue, cost, margin],
  ]);
  return table([heading, 'CALLS', 'FAILED', 'REVENUE', 'COST', 'MARGIN'], cells);
}
