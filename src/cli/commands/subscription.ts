import { SUBSCRIPTION_DAYS_MAX, SUBSCRIPTIONS_PER_ACCOUNT_MAX } from '../../bounds.ts';
import { createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { ShowTime } from '../../operations/logs/log-items.ts';
import type { Setup } from '../../setup.ts';
import { type ListedSubscription, listSubscriptions } from '../../store/accounts/subscriptions.ts';
import { cancelAudited, grantAudited } from '../../store/operations/operator-money.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from '../account/account-option.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  requiredOption,
  UsageError,
} from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { pageLine, say, table } from '../table.ts';
import { optionalValue, PAGE_HELP, PAGE_OPTIONS, readPage, requiredValue, wholeNumber } from '../values.ts';
import { withStore } from '../workspace.ts';

export const subscriptionGrant: Command = {
  name: 'subscription grant',
  summary: 'Grant an account a subscription, from now on or after its current one.',
  usage: '--account EMAIL --plan CODE [--days N] [--after-current] [--json]',
  options: {
    ...ACCOUNT_OPTION,
    plan: { type: 'string' },
    days: { type: 'string' },
    'after-current': { type: 'boolean' },
  },
  help: [
    ACCOUNT_HELP,
    '--plan CODE      plan of the catalogue',
    '--days N         duration; default the period of the plan',
    '--after-current  begin when the last current or future subscription ends',
    JSON_HELP,
  ],
  run: async (input) => {
    const days = optionalValue(input, 'days', daysOf);
    const planCode = requiredOption(input, 'plan');
    return withStore(input, (setup) => grant(setup, input, { planCode, days }));
  },
};

export const subscriptionList: Command = {
  name: 'subscription list',
  summary: 'List the subscriptions of an account, the latest end first.',
  usage: '--account EMAIL [--page N] [--size N] [--json]',
  options: { ...ACCOUNT_OPTION, ...PAGE_OPTIONS },
  help: [ACCOUNT_HELP, ...PAGE_HELP, JSON_HELP],
  run: async (input) => {
    const page = readPage(input);
    return withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const nowMs = systemClock.now();
      const { items, total } = await listSubscriptions(setup.database, accountId, { ...page, nowMs });
      const time = createTimeFormat(setup.config.timeZone);
      const rows = items.map(({ id, planCode, status, startsAtMs, endsAtMs }) => [
        String(id),
        planCode,
        status,
        time(startsAtMs),
        time(endsAtMs),
      ]);
      const iso = createIsoFormat(setup.config.timeZone);
      say(input, { total, items: items.map((each) => shown(each, iso)) }, [
        ...table(['ID', 'PLAN', 'STATUS', 'STARTS', 'ENDS'], rows),
        ...pageLine(items.length, page.offset, total),
      ]);
      return EXIT.ok;
    });
  },
};

export const subscriptionCancel: Command = {
  name: 'subscription cancel',
  summary: 'Cancel a current or future subscription, effective from the next call.',
  usage: '--account EMAIL --id ID [--json]',
  options: { ...ACCOUNT_OPTION, id: { type: 'string' } },
  help: [ACCOUNT_HELP, '--id ID          number of the subscription, see "subscription list"', JSON_HELP],
  run: async (input) => {
    const id = requiredValue(input, 'id', wholeNumber);
    return withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const place = { accountId, subscriptionId: id };
      const done = await cancelAudited(auditContext(setup, input), place, terminal('subscription cancel'));
      if (done.kind === 'not-found') {
        throw new CommandFailed(`the account has no subscription ${id} that is current or in the future`);
      }
      say(input, { id, cancelled: true }, [`subscription ${id} cancelled`]);
      return EXIT.ok;
    });
  },
};

function daysOf(text: string, name: string): number {
  const days = wholeNumber(text, name);
  if (days < 1 || days > SUBSCRIPTION_DAYS_MAX)
    throw new UsageError(`--${name} must be 1 to ${SUBSCRIPTION_DAYS_MAX}`);
  return days;
}

async function grant(
  setup: Setup,
  input: CommandInput,
  { planCode, days }: { readonly planCode: string; readonly days: number | undefined },
): Promise<number> {
  const accountId = await requireAccount(setup, input);
  const start = input.values['after-current'] === true ? 'after-current' : 'now';
  const wanted = { accountId, planCode, days, start } as const;
  const granted = await grantAudited(auditContext(setup, input), wanted, terminal('subscription grant'));
  if (granted.kind !== 'granted') throw new CommandFailed(REASONS[granted.kind]);
  const { subscriptionId: id, startsAtMs, endsAtMs } = granted;
  const time = createTimeFormat(setup.config.timeZone);
  const period = periodJson(granted, createIsoFormat(setup.config.timeZone));
  say(input, { id, plan: planCode, ...period }, [
    `subscription ${id} to ${planCode}, ${time(startsAtMs)} to ${time(endsAtMs)}`,
  ]);
  return EXIT.ok;
}

const REASONS = {
  'not-found': 'the account no longer exists',
  'unknown-plan': 'there is no such plan',
  'too-many': `the account has ${SUBSCRIPTIONS_PER_ACCOUNT_MAX} current and future subscriptions, the maximum`,
} as const;

function shown(each: ListedSubscription, time: ShowTime): object {
  const { id, planCode, status, createdAtMs } = each;
  return { id, plan: planCode, status, ...periodJson(each, time), created_at: time(createdAtMs) };
}

type Period = Pick<ListedSubscription, 'startsAtMs' | 'endsAtMs'>;

function periodJson({ startsAtMs, endsAtMs }: Period, time: ShowTime): object {
  return { starts_at: time(startsAtMs), ends_at: time(endsAtMs) };
}
