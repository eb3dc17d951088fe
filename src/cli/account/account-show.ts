import type { Command } from '../command.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, listing } from '../listing.ts';
import { facts, say } from '../table.ts';
import { atTerminal, type Row } from '../terminal.ts';

export const accountList = listing({
  name: 'account list',
  summary: 'List accounts, newest first or in another order.',
  operation: 'accounts.list',
  of: 'all',
  filters: [
    ['email', 'PART', 'only addresses that contain this text'],
    ['sort', 'FIELD', 'created_at, balance, credits, month_spent or last_seen_at'],
    ['order', 'asc|desc', 'default desc'],
  ],
  columns: {
    ...{ ID: 'id', EMAIL: 'email', STATUS: 'status', ROLE: 'role', TYPE: 'user_type' },
    ...{ CREDITS: 'credits', BALANCE: 'balance', SPENT: 'month_spent', SEEN: 'last_seen_at' },
  },
});

export const accountShow: Command = {
  name: 'account show',
  summary: 'Show an account: settings, limits, money, subscriptions and credentials.',
  usage: '--account EMAIL [--json]',
  options: ACCOUNT_OPTION,
  help: [ACCOUNT_HELP, JSON_HELP],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const account = await terminal.data<Account>('accounts.get', { accountId });
      say(input, account, facts(accountFacts(account)));
    }),
};

interface Account extends Row {
  readonly user_type: number;
  readonly verification: Row | null;
  readonly subscriptions: readonly Row[];
  readonly credentials: readonly Row[];
}

const LEVELS = ['unverified', 'personal', 'enterprise'] as const;

type Fact = readonly [name: string, value: string];

function accountFacts(account: Account): readonly Fact[] {
  const { verification: submitted, extra_api_quota: cap } = account;
  const onOff = (field: string): string => (account[field] === true ? 'on' : 'off');
  return [
    ['account', `${account.id}  ${account.email}`],
    ['status', String(account.status)],
    ['role', String(account.role)],
    ['verification', LEVELS[account.user_type] ?? String(account.user_type)],
    ['rate', String(account.user_rate)],
    ['limit policy', String(account.policy_id ?? 'default')],
    ['Credits', String(account.credits)],
    ['balance', `${account.balance} yuan`],
    ['API billing', onOff('api_billing')],
    ['auto-exchange', onOff('auto_exchange')],
    ['monthly cap', cap === '0' ? 'none' : `${cap} yuan`],
    ['spent this month', `${account.month_spent} yuan`],
    ['fallback model', String(account.fallback_model ?? 'none')],
    ['BYOK fallback', onOff('byok_fallback')],
    ...account.subscriptions
      .filter(({ status }) => status === 'active' || status === 'upcoming')
      .map((one): Fact => ['subscription', `${one.id}  ${one.plan}, ${one.starts_at} to ${one.ends_at}`]),
    ...account.credentials.map(
      ({ id, vendor, status, name }): Fact => ['credential', `${id}  ${vendor}, ${status}, ${name}`],
    ),
    ...(submitted === null ? [] : [submittedFact(submitted)]),
  ];
}

/** With the whole document number, for the operator who decides. */
function submittedFact({ id, kind, status, name, document_number: number }: Row): Fact {
  return ['submitted', `${id}  ${kind}, ${status}: ${name}, ${number}`];
}
