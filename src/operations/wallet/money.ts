import { REASON_LENGTH_MAX, SUBSCRIPTION_DAYS_MAX } from '../../bounds.ts';
import { formatMicro, parseMicro } from '../../kernel/money.ts';
import { listSubscriptions } from '../../store/accounts/subscriptions.ts';
import { accountExists } from '../../store/operations/operator-accounts.ts';
import { cancelAudited, grantAudited, moveAudited } from '../../store/operations/operator-money.ts';
import { SUBSCRIPTION, SUBSCRIPTION_EXAMPLE } from '../accounts/account-schema.ts';
import { shownSubscription } from '../accounts/account-view.ts';
import { fail } from '../failure.ts';
import {
  AMOUNT,
  ID,
  ID_PARAMS,
  PAGE_QUERY,
  parseAmount,
  readExcerpt,
  SHOWN_AMOUNT,
  tooLarge,
  tooMuch,
  toPage,
} from '../fields.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';

const GROUP = { ...OPERATORS, tag: 'Accounts' } as const;
const POOL = Type.Union([Type.Literal('balance'), Type.Literal('credits')]);
/** Recorded in the ledger and in the audit log. */
export const REASON = Type.String({
  minLength: 1,
  maxLength: REASON_LENGTH_MAX,
  pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  form: `a text of 1 to ${REASON_LENGTH_MAX} characters in one line, and not blank`,
});
const SIGNED_AMOUNT = Type.String({
  pattern: '^-?\\d{1,13}(\\.\\d{1,6})?$',
  maxLength: 21,
  form: 'a decimal in quotes such as "-12.5", with at most six decimals',
  description: 'The change. A negative amount is subtracted.',
});
const FUNDS = Type.Object({ balance: SHOWN_AMOUNT, credits: SHOWN_AMOUNT });
const FUNDS_EXAMPLE = { balance: '112.5', credits: '50000' };

const topUp: Operation = operation({
  ...GROUP,
  name: 'accounts.topUp',
  id: 'topUpAccount',
  method: 'POST',
  path: '/accounts/:id/top-up',
  title: 'Top up an account',
  summary: 'Add balance or Credits, as one ledger entry.',
  params: ID_PARAMS,
  body: Type.Object({ pool: POOL, amount: AMOUNT, reason: REASON }),
  data: FUNDS,
  fails: ['notFound'],
  example: { body: { pool: 'balance', amount: '12.50', reason: 'order 4711' }, data: FUNDS_EXAMPLE },
  handle: async ({ params, body: { pool, amount, reason } }, context) => {
    const changeMicro = parseAmount(amount);
    if (changeMicro === undefined) return tooLarge('amount');
    if (changeMicro === 0n) return fail('badParameter', 'amount must be more than 0');
    const kind = pool === 'balance' ? 'top_up' : 'grant';
    const wanted = { kind, pool, changeMicro, reason } as const;
    return answerMoved(await moveAudited(context, params.id, wanted, toActor(context, topUp)));
  },
});

const adjust: Operation = operation({
  ...GROUP,
  name: 'accounts.adjust',
  id: 'adjustAccount',
  method: 'POST',
  path: '/accounts/:id/adjust',
  title: 'Adjust an account',
  summary: 'Increase or reduce balance or Credits, never below zero, as one ledger entry.',
  params: ID_PARAMS,
  body: Type.Object({
    pool: POOL,
    amount: SIGNED_AMOUNT,
    reason: REASON,
  }),
  data: FUNDS,
  fails: ['notFound', 'insufficientBalance'],
  example: { body: { pool: 'credits', amount: '-250', reason: 'charged twice' }, data: FUNDS_EXAMPLE },
  handle: async ({ params, body: { pool, amount, reason } }, context) => {
    const changeMicro = parseMicro(amount);
    if (changeMicro === undefined) return tooLarge('amount');
    if (changeMicro === 0n) return fail('badParameter', 'amount must not be 0');
    const wanted = { kind: 'adjustment', pool, changeMicro, reason } as const;
    const moved = await moveAudited(context, params.id, wanted, toActor(context, adjust));
    if (moved.kind === 'insufficient' && pool === 'credits') {
      return fail('insufficientBalance', 'The Credits are not sufficient');
    }
    return answerMoved(moved);
  },
});

function answerMoved(moved: Awaited<ReturnType<typeof moveAudited>>): Answer {
  if (moved.kind === 'not-found') return fail('notFound');
  if (moved.kind === 'insufficient') return fail('insufficientBalance');
  if (moved.kind === 'too-much') return tooMuch();
  const { balanceMicro, creditsMicro } = moved.funds;
  return data({ balance: formatMicro(balanceMicro), credits: formatMicro(creditsMicro) });
}

const subscriptions = operation({
  ...GROUP,
  name: 'accounts.listSubscriptions',
  id: 'listSubscriptionsOfAccount',
  method: 'GET',
  path: '/accounts/:id/subscriptions',
  title: 'List subscriptions of an account',
  summary: 'The subscriptions of an account, the latest end first.',
  params: ID_PARAMS,
  query: PAGE_QUERY,
  data: Type.Array(SUBSCRIPTION),
  paged: true,
  fails: ['notFound'],
  example: { data: [SUBSCRIPTION_EXAMPLE] },
  handle: async ({ params, query }, context) => {
    const { database, clock } = context;
    if (!(await accountExists(database, params.id))) return fail('notFound');
    const excerpt = readExcerpt(query);
    const part = { ...excerpt, nowMs: clock.now() };
    const { items, total } = await listSubscriptions(database, params.id, part);
    const rows = items.map((each) => shownSubscription(each, context));
    return toPage(rows, total, excerpt);
  },
});

const grant: Operation = operation({
  ...GROUP,
  name: 'accounts.grantSubscription',
  id: 'grantSubscription',
  method: 'POST',
  path: '/accounts/:id/subscriptions',
  title: 'Grant a subscription',
  summary: 'Grant an account a subscription, from now on or after its current one.',
  params: ID_PARAMS,
  body: Type.Object({
    plan: Type.String({ minLength: 1, maxLength: 64 }),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: SUBSCRIPTION_DAYS_MAX })),
    start: Type.Optional(Type.Union([Type.Literal('now'), Type.Literal('after-current')])),
  }),
  data: Type.Object({ id: ID, plan: Type.String(), starts_at: Type.String(), ends_at: Type.String() }),
  fails: ['notFound', 'conflict'],
  example: {
    body: { plan: 'PRO', days: 30 },
    data: { id: 3, plan: 'PRO', starts_at: '2026-11-15 00:00:00', ends_at: '2026-12-15 00:00:00' },
  },
  handle: async ({ params, body }, context) => {
    const { plan, days, start = 'now' } = body;
    const wanted = { accountId: params.id, planCode: plan, days, start };
    const granted = await grantAudited(context, wanted, toActor(context, grant));
    if (granted.kind === 'not-found') return fail('notFound');
    if (granted.kind === 'unknown-plan') return fail('badParameter', 'plan: there is no such plan');
    if (granted.kind === 'too-many')
      return fail('conflict', 'The account already has the maximum number of subscriptions');
    const { subscriptionId: id, startsAtMs, endsAtMs } = granted;
    return data({ id, plan, starts_at: context.showTime(startsAtMs), ends_at: context.showTime(endsAtMs) });
  },
});

const cancel: Operation = operation({
  ...GROUP,
  name: 'accounts.cancelSubscription',
  id: 'cancelSubscription',
  method: 'DELETE',
  path: '/accounts/:id/subscriptions/:subscription_id',
  title: 'Cancel a subscription',
  summary: 'Cancel a current or future subscription, effective from the next call.',
  params: Type.Object({ id: ID, subscription_id: ID }),
  data: Type.Object({}),
  fails: ['notFound'],
  example: { data: {} },
  handle: async ({ params }, context) => {
    const place = { accountId: params.id, subscriptionId: params.subscription_id };
    const done = await cancelAudited(context, place, toActor(context, cancel));
    return done.kind === 'not-found' ? fail('notFound') : data({});
  },
});

/** Money and subscriptions of accounts. */
export const moneyOperations: readonly Operation[] = [topUp, adjust, subscriptions, grant, cancel];
