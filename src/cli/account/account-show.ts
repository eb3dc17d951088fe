import type { StoredAccount } from '../../accounts/contract.ts';
import { formatMicro } from '../../kernel/money.ts';
import { createCalendar, createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { ShowTime } from '../../operations/logs/log-items.ts';
import type { Setup } from '../../setup.ts';
import { type ListedAccount, listAccounts } from '../../store/accounts/account-list.ts';
import { findAccount } from '../../store/accounts/accounts.ts';
import { findVerification, type Verification } from '../../store/accounts/verifications.ts';
import { type Command, CommandFailed, type CommandInput, EXIT, stringOption } from '../command.ts';
import { facts, pageLine, say, table } from '../table.ts';
import { PAGE_HELP, PAGE_OPTIONS, readPage } from '../values.ts';
import { withStore } from '../workspace.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from './account-option.ts';

const VERIFICATION = ['unverified', 'personal', 'enterprise'] as const;
const ON_OFF = { true: 'on', false: 'off' } as const;

export const accountShow: Command = {
  name: 'account show',
  summary: 'Show an account: settings, limits, money, subscriptions and credentials.',
  usage: '--account EMAIL [--json]',
  options: ACCOUNT_OPTION,
  help: [ACCOUNT_HELP, JSON_HELP],
  run: (input) => withStore(input, (setup) => show(setup, input)),
};

async function show(setup: Setup, input: CommandInput): Promise<number> {
  const accountId = await requireAccount(setup, input);
  const account = await findAccount(setup.database, accountId, setup);
  if (account === undefined) throw new CommandFailed('the account no longer exists');
  const { timeZone } = setup.config;
  const spentMicro = monthSpent(account, timeZone);
  const submitted = await findVerification(setup.database, accountId, setup.sealer);
  const json = accountJson(account, spentMicro, createIsoFormat(timeZone));
  say(input, { ...json, verification: submittedJson(submitted) }, [
    ...facts([...accountFacts(account, spentMicro, timeZone), ...submittedFacts(submitted)]),
  ]);
  return EXIT.ok;
}

/** Only spending of the current month counts. */
function monthSpent({ funds }: StoredAccount, timeZone: string): bigint {
  return funds.month === createCalendar(timeZone).month(systemClock.now()) ? funds.monthSpentMicro : 0n;
}

function accountJson(account: StoredAccount, spentMicro: bigint, time: ShowTime): object {
  return {
    id: account.id,
    email: account.email,
    status: account.status,
    role: account.role,
    user_type: account.userType,
    user_rate: formatMicro(account.userRateMicro),
    policy_id: account.policyId ?? null,
    credits: formatMicro(account.funds.creditsMicro),
    balance: formatMicro(account.funds.balanceMicro),
    api_billing: account.apiBilling,
    auto_exchange: account.autoExchange,
    extra_api_quota: formatMicro(account.extraApiQuotaMicro),
    month_spent: formatMicro(spentMicro),
    fallback_model: account.preference.fallbackModel,
    byok_fallback: account.preference.byokFallback,
    subscriptions: account.subscriptions.map(({ id, planCode, startsAtMs, endsAtMs }) => ({
      id,
      plan: planCode,
      starts_at: time(startsAtMs),
      ends_at: time(endsAtMs),
    })),
    credentials: account.byok.map(({ id, vendorCode, name, status }) => ({
      id,
      vendor: vendorCode,
      name,
      status,
    })),
  };
}

/** The whole document number, for the operator who decides. */
function submittedJson(submitted: Verification | undefined): object | null {
  if (submitted === undefined) return null;
  const { id, kind, fields, status, reason } = submitted;
  const { name, documentNumber, contact } = fields;
  return {
    ...{ id, kind, name, document_number: documentNumber, contact: contact ?? null },
    ...{ status, reason: reason ?? null },
  };
}

function submittedFacts(submitted: Verification | undefined): readonly Fact[] {
  if (submitted === undefined) return [];
  const { id, kind, fields, status } = submitted;
  return [['submitted', `${id}  ${kind}, ${status}: ${fields.name}, ${fields.documentNumber}`]];
}

type Fact = readonly [name: string, value: string];

function accountFacts(account: StoredAccount, spentMicro: bigint, timeZone: string): readonly Fact[] {
  const time = createTimeFormat(timeZone);
  const cap = account.extraApiQuotaMicro;
  return [
    ['account', `${account.id}  ${account.email}`],
    ['status', account.status],
    ['role', account.role],
    ['verification', VERIFICATION[account.userType] ?? String(account.userType)],
    ['rate', formatMicro(account.userRateMicro)],
    ['limit policy', account.policyId === undefined ? 'default' : String(account.policyId)],
    ['Credits', formatMicro(account.funds.creditsMicro)],
    ['balance', `${formatMicro(account.funds.balanceMicro)} yuan`],
    ['API billing', ON_OFF[`${account.apiBilling}`]],
    ['auto-exchange', ON_OFF[`${account.autoExchange}`]],
    ['monthly cap', cap === 0n ? 'none' : `${formatMicro(cap)} yuan`],
    ['spent this month', `${formatMicro(spentMicro)} yuan`],
    ['fallback model', account.preference.fallbackModel ?? 'none'],
    ['BYOK fallback', ON_OFF[`${account.preference.byokFallback}`]],
    ...account.subscriptions.map(
      ({ id, planCode, startsAtMs, endsAtMs }): Fact => [
        'subscription',
        `${id}  ${planCode}, ${time(startsAtMs)} to ${time(endsAtMs)}`,
      ],
    ),
    ...account.byok.map(
      ({ id, vendorCode, name, status }): Fact => ['credential', `${id}  ${vendorCode}, ${status}, ${name}`],
    ),
  ];
}

export const accountList: Command = {
  name: 'account list',
  summary: 'List accounts, newest first.',
  usage: '[--email PART] [--page N] [--size N] [--json]',
  options: { email: { type: 'string' }, ...PAGE_OPTIONS, json: { type: 'boolean' } },
  help: ['--email PART     only addresses that contain this text', ...PAGE_HELP, JSON_HELP],
  run: (input) => {
    const page = readPage(input);
    const emailPart = (stringOption(input, 'email') ?? '').trim().toLowerCase();
    return withStore(input, async ({ database, config }) => {
      const { items, total } = await listAccounts(database, { emailPart, ...page });
      const time = createIsoFormat(config.timeZone);
      say(input, { total, items: items.map((each) => listedJson(each, time)) }, [
        ...table(['ID', 'EMAIL', 'STATUS', 'ROLE', 'TYPE', 'CREDITS', 'BALANCE'], items.map(listedCells)),
        ...pageLine(items.length, page.offset, total),
      ]);
      return EXIT.ok;
    });
  },
};

function listedJson(account: ListedAccount, time: ShowTime): object {
  return {
    id: account.id,
    email: account.email,
    status: account.status,
    role: account.role,
    user_type: account.userType,
    credits: formatMicro(account.creditsMicro),
    balance: formatMicro(account.balanceMicro),
    created_at: time(account.createdAtMs),
  };
}

function listedCells(account: ListedAccount): readonly string[] {
  const { id, email, status, role, userType, creditsMicro, balanceMicro } = account;
  return [
    String(id),
    email,
    status,
    role,
    String(userType),
    formatMicro(creditsMicro),
    formatMicro(balanceMicro),
  ];
}
