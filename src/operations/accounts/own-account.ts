import type { Subscription } from '../../accounts/contract.ts';
import { currentSubscription } from '../../accounts/subscription.ts';
import type { CatalogSnapshot } from '../../catalog/contract.ts';
import { creditsMicro } from '../../catalog/price.ts';
import { formatMicro } from '../../kernel/money.ts';
import { type AccountView, findAccountView } from '../../store/accounts/account-view.ts';
import { type AccountPatch, updateAccount } from '../../store/accounts/accounts.ts';
import { exchangeFunds, judgeExchange } from '../../store/operations/operator-holdings.ts';
import { type Context, type OperationDeps, ownAccount } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { AMOUNT, ID, nullable, parseAmount, SHOWN_AMOUNT, TIME, tooLarge, tooMuch } from '../fields.ts';
import { rateNumber } from '../logs/log-items.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

const RATE = Type.Number({ minimum: 0, description: '100 is the list price.' });
const LEVELS = ['unverified', 'personal', 'enterprise'] as const;
const PROFILE = Type.Object({
  id: ID,
  email: Type.String(),
  role: Type.Union([Type.Literal('user'), Type.Literal('operator')]),
  user_type: Type.Integer({ minimum: 0, maximum: 2 }),
  verification: Type.Union(LEVELS.map((level) => Type.Literal(level))),
  plan: nullable(Type.String()),
  plan_level: Type.Integer({ minimum: 0, maximum: 3 }),
  created_at: TIME,
});
const EXT = Type.Object({
  balance: SHOWN_AMOUNT,
  credits: SHOWN_AMOUNT,
  user_rate: RATE,
  system_rate: RATE,
  api_billing: Type.Boolean(),
  auto_exchange: Type.Boolean(),
  extra_api_quota: SHOWN_AMOUNT,
  month_spent: SHOWN_AMOUNT,
});
const ENABLED = Type.Object({ enabled: Type.Boolean() });

const GROUP = { surface: 'user', access: 'user', tag: 'Account' } as const;

const profile = operation({
  ...GROUP,
  name: 'account.profile',
  id: 'getProfile',
  method: 'GET',
  path: '/profile',
  title: 'Get my profile',
  summary: 'The account, its verification and its plan, which decide the models it may call.',
  data: PROFILE,
  example: {
    data: {
      id: 7,
      email: 'ada@example.com',
      role: 'user',
      user_type: 1,
      verification: 'personal',
      plan: 'PRO',
      plan_level: 2,
      created_at: '2026-11-01 08:00:00',
    },
  },
  handle: async (_input, context) => {
    const account = await findAccountView(context.database, ownAccount(context));
    if (account === undefined) return fail('notFound');
    const plan = findCurrent(account, context.catalog(), context.clock.now())?.plan;
    return data({
      id: account.id,
      email: account.email,
      role: context.caller?.role ?? 'user',
      user_type: account.userType,
      verification: LEVELS[account.userType] ?? 'unverified',
      plan: plan?.code ?? null,
      plan_level: plan?.level ?? 0,
      created_at: context.showTime(account.createdAtMs),
    });
  },
});

/** The same choice as in the gateway, from the current data of the store and the catalogue. */
export function findCurrent(
  account: Pick<AccountView, 'subscriptions'>,
  catalog: CatalogSnapshot,
  nowMs: number,
): Subscription | undefined {
  return currentSubscription({ subscriptions: knownSubscriptions(account, catalog) }, nowMs);
}

/** Subscriptions whose plan is still in the catalogue. */
export function knownSubscriptions(
  { subscriptions }: Pick<AccountView, 'subscriptions'>,
  { plans }: CatalogSnapshot,
): readonly Subscription[] {
  return subscriptions.flatMap(({ planCode, ...rest }) => {
    const plan = plans.get(planCode);
    return plan === undefined ? [] : [{ ...rest, plan }];
  });
}

const ext = operation({
  ...GROUP,
  name: 'account.ext',
  id: 'getBalanceAndSwitches',
  method: 'GET',
  path: '/ext',
  title: 'Get my balance and switches',
  summary: 'Balance, Credits, rates and billing settings of the account.',
  data: EXT,
  example: {
    data: {
      balance: '100',
      credits: '50000',
      user_rate: 100,
      system_rate: 100,
      api_billing: true,
      auto_exchange: false,
      extra_api_quota: '0',
      month_spent: '12.5',
    },
  },
  handle: async (_input, context) => {
    const account = await findAccountView(context.database, ownAccount(context));
    return account === undefined ? fail('notFound') : data(shownExt(account, context));
  },
});

export function shownExt(
  account: AccountView,
  deps: Pick<OperationDeps, 'catalog' | 'month' | 'clock'>,
): Record<keyof typeof EXT.properties, unknown> {
  const { funds } = account;
  return {
    balance: formatMicro(funds.balanceMicro),
    credits: formatMicro(funds.creditsMicro),
    user_rate: rateNumber(account.userRateMicro),
    system_rate: rateNumber(deps.catalog().systemRateMicro),
    api_billing: account.apiBilling,
    auto_exchange: account.autoExchange,
    extra_api_quota: formatMicro(account.extraApiQuotaMicro),
    month_spent: formatMicro(monthSpentMicro(account, deps)),
  };
}

/** What counts for the cap of this month. The account keeps the sum of its last month with charges. */
export function monthSpentMicro(
  { funds }: AccountView,
  { month, clock }: Pick<OperationDeps, 'month' | 'clock'>,
): bigint {
  return funds.month === month(clock.now()) ? funds.monthSpentMicro : 0n;
}

/** What an account may change of itself. */
type OwnChange = Pick<
  AccountPatch,
  'apiBilling' | 'autoExchange' | 'extraApiQuotaMicro' | 'fallbackModel' | 'byokFallback'
>;

interface Toggle {
  readonly name: string;
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  patch(enabled: boolean): OwnChange;
}

function toggle({ patch, ...named }: Toggle): Operation {
  return operation({
    ...GROUP,
    ...named,
    method: 'PUT',
    body: ENABLED,
    data: ENABLED,
    example: { body: { enabled: true }, data: { enabled: true } },
    handle: async ({ body: { enabled } }, context) =>
      (await changeAccount(context, patch(enabled))) ? data({ enabled }) : fail('notFound'),
  });
}

/** Returns when the change is in force on all nodes. False: the account no longer exists. */
export async function changeAccount(context: Context, patch: OwnChange): Promise<boolean> {
  const isThere = await updateAccount(context.database, ownAccount(context), patch);
  if (isThere) await context.inForce();
  return isThere;
}

const EXCHANGED = Type.Object({
  amount: SHOWN_AMOUNT,
  received: SHOWN_AMOUNT,
  balance: SHOWN_AMOUNT,
  credits: SHOWN_AMOUNT,
});
const EXCHANGE_EXAMPLE = { amount: '12.5', received: '12500', balance: '87.5', credits: '62500' };

/** The amount of a request, or what is wrong with it. */
function exchangeAmount(text: string): bigint | Failure {
  const amountMicro = parseAmount(text);
  if (amountMicro === undefined) return tooLarge('amount');
  return amountMicro === 0n ? fail('badParameter', 'amount must be more than 0') : amountMicro;
}

function answerExchange(
  amountMicro: bigint,
  done: ReturnType<typeof judgeExchange>,
  { config }: Pick<Context, 'config'>,
): Answer {
  if (done.kind === 'insufficient') return fail('insufficientBalance');
  if (done.kind === 'too-much') return tooMuch();
  return data({
    amount: formatMicro(amountMicro),
    received: formatMicro(creditsMicro(amountMicro, config.creditsPerYuan)),
    balance: formatMicro(done.funds.balanceMicro),
    credits: formatMicro(done.funds.creditsMicro),
  });
}

const exchange = operation({
  ...GROUP,
  name: 'points.exchange',
  id: 'exchangeBalanceForCredits',
  method: 'POST',
  path: '/points/exchange',
  title: 'Exchange balance for Credits',
  summary: 'Exchange balance (in yuan) into Credits.',
  body: Type.Object({ amount: AMOUNT }),
  data: EXCHANGED,
  fails: ['insufficientBalance'],
  example: { body: { amount: '12.50' }, data: EXCHANGE_EXAMPLE },
  handle: async ({ body }, context) => {
    const amountMicro = exchangeAmount(body.amount);
    if (typeof amountMicro !== 'bigint') return amountMicro;
    const { creditsPerYuan } = context.config;
    const wanted = { accountId: ownAccount(context), amountMicro, ref: context.requestId, creditsPerYuan };
    return answerExchange(amountMicro, await exchangeFunds(context, wanted, context.actor), context);
  },
});

const previewExchange = operation({
  ...GROUP,
  name: 'points.previewExchange',
  id: 'previewExchange',
  method: 'GET',
  path: '/points/exchange/preview',
  title: 'Preview an exchange',
  summary: 'What an exchange of this amount would leave now. Nothing is moved.',
  query: Type.Object({ amount: AMOUNT }),
  data: EXCHANGED,
  fails: ['insufficientBalance'],
  example: { data: EXCHANGE_EXAMPLE },
  handle: async ({ query }, context) => {
    const amountMicro = exchangeAmount(query.amount);
    if (typeof amountMicro !== 'bigint') return amountMicro;
    const account = await findAccountView(context.database, ownAccount(context));
    if (account === undefined) return fail('notFound');
    const { creditsPerYuan } = context.config;
    return answerExchange(
      amountMicro,
      judgeExchange(account.funds, { amountMicro, creditsPerYuan }),
      context,
    );
  },
});

const quota = operation({
  ...GROUP,
  name: 'account.extra-api-quota',
  id: 'setMonthlySpendingCap',
  method: 'PUT',
  path: '/extra-api-quota',
  title: 'Set my monthly spending cap',
  summary: 'Set the monthly spending cap outside the subscription, in yuan. 0 is unlimited.',
  body: Type.Object({ amount: AMOUNT }),
  data: Type.Object({ amount: SHOWN_AMOUNT }),
  example: { body: { amount: '100' }, data: { amount: '100' } },
  handle: async ({ body }, context) => {
    const extraApiQuotaMicro = parseAmount(body.amount);
    if (extraApiQuotaMicro === undefined) return tooLarge('amount');
    const isThere = await changeAccount(context, { extraApiQuotaMicro });
    return isThere ? data({ amount: formatMicro(extraApiQuotaMicro) }) : fail('notFound');
  },
});

export const ownAccountOperations: readonly Operation[] = [
  profile,
  ext,
  toggle({
    name: 'account.api-billing',
    id: 'switchPaymentWithCredits',
    path: '/api-billing',
    title: 'Switch payment with Credits',
    summary: 'Set whether calls may be paid with Credits.',
    patch: (enabled) => ({ apiBilling: enabled }),
  }),
  toggle({
    name: 'points.auto-exchange',
    id: 'switchAutomaticExchange',
    path: '/points/auto-exchange',
    title: 'Switch automatic exchange',
    summary: 'Set whether balance is exchanged into Credits automatically.',
    patch: (enabled) => ({ autoExchange: enabled }),
  }),
  exchange,
  previewExchange,
  quota,
];
