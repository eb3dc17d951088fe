import { hashPassword } from '../../accounts/password.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../bounds.ts';
import { MICRO } from '../../kernel/money.ts';
import { ACCOUNT_SORTS, listAccounts } from '../../store/accounts/account-list.ts';
import {
  type AccountChange,
  changeAccountAudited,
  createAccountAudited,
  endSessionsAudited,
  findAccountDetail,
} from '../../store/operations/operator-accounts.ts';
import type { Context } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import {
  AMOUNT,
  ID_PARAMS,
  nullable,
  POLICY_ID,
  pageQuery,
  parseAmount,
  readExcerpt,
  STATUS,
  tooLarge,
  toPage,
} from '../fields.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { type Static, Type } from '../schema.ts';
import { newPassword } from './access.ts';
import {
  ACCOUNT,
  ACCOUNT_EXAMPLE,
  EMAIL,
  LISTED_ACCOUNT,
  LISTED_EXAMPLE,
  ROLE,
  USER_TYPE,
} from './account-schema.ts';
import { shownAccount, shownListed } from './account-view.ts';

const GROUP = { ...OPERATORS, tag: 'Accounts' } as const;
/** 100 is list price. Ten thousand times that is a typing error, as in the catalogue. */
const RATE_MICRO_MAX = 1_000_000n * MICRO;

const search = operation({
  ...GROUP,
  name: 'accounts.list',
  id: 'listAccounts',
  method: 'GET',
  path: '/accounts',
  title: 'List accounts',
  summary: 'Accounts, newest first or in another order.',
  query: pageQuery({
    email: Type.Optional(
      Type.String({ maxLength: 254, description: 'Only addresses that contain this text.' }),
    ),
    status: Type.Optional(STATUS),
    role: Type.Optional(ROLE),
    user_type: Type.Optional(USER_TYPE),
    sort: Type.Optional(
      Type.Union(
        ACCOUNT_SORTS.map((name) => Type.Literal(name)),
        { default: 'created_at' },
      ),
    ),
    order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'desc' })),
  }),
  data: Type.Array(LISTED_ACCOUNT),
  paged: true,
  example: { data: [LISTED_EXAMPLE] },
  handle: async ({ query }, context) => {
    const { email = '', status, role, user_type: userType, sort = 'created_at', order = 'desc' } = query;
    const excerpt = readExcerpt(query);
    const filter = { emailPart: email.trim().toLowerCase(), status, role, userType };
    const month = context.month(context.clock.now());
    const { items, total } = await listAccounts(context.database, {
      ...{ ...filter, month, sort, order },
      ...{ offset: excerpt.offset, limit: excerpt.limit },
    });
    const rows = items.map((account) => shownListed(account, context));
    return toPage(rows, total, excerpt);
  },
});

const detail = operation({
  ...GROUP,
  name: 'accounts.get',
  id: 'getAccount',
  method: 'GET',
  path: '/accounts/:id',
  title: 'Get an account',
  summary: 'One account with its money, settings, subscriptions, keys and BYOK credentials.',
  params: ID_PARAMS,
  data: ACCOUNT,
  fails: ['notFound'],
  example: { data: ACCOUNT_EXAMPLE },
  handle: ({ params }, context) => answerAccount(params.id, context),
});

async function answerAccount(accountId: number, context: Context): Promise<Answer> {
  const found = await findAccountDetail(context, accountId);
  return found === undefined ? fail('notFound') : data(shownAccount(found, context));
}

const create: Operation = operation({
  ...GROUP,
  name: 'accounts.create',
  id: 'createAccount',
  method: 'POST',
  path: '/accounts',
  title: 'Create an account',
  summary: 'Create an account. Without a password one is generated and shown once.',
  body: Type.Object({
    email: EMAIL,
    password: Type.Optional(Type.String({ minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX })),
    role: Type.Optional(ROLE),
    user_type: Type.Optional(USER_TYPE),
    balance: Type.Optional(AMOUNT),
    credits: Type.Optional(AMOUNT),
  }),
  data: Type.Object({
    id: ID_PARAMS.properties.id,
    email: Type.String(),
    password: nullable(Type.String({ description: 'Only if none was given. It is not stored.' })),
  }),
  fails: ['conflict', 'tooManyRequests'],
  example: {
    body: { email: 'new@example.com', credits: '1000' },
    data: { id: 13, email: 'new@example.com', password: 'c29tZXRoaW5nIG1hZGUgdXA' },
  },
  handle: async ({ body }, context) => {
    const email = body.email.toLowerCase();
    const balanceMicro = parseAmount(body.balance ?? '0');
    const creditsMicro = parseAmount(body.credits ?? '0');
    if (balanceMicro === undefined) return tooLarge('balance');
    if (creditsMicro === undefined) return tooLarge('credits');
    const made = body.password === undefined ? newPassword(context) : null;
    const { role = 'user', user_type: userType = 0 } = body;
    const passwordHash = await hashPassword(body.password ?? made ?? '', context.random);
    const wanted = { email, passwordHash, role, userType, balanceMicro, creditsMicro };
    const created = await createAccountAudited(context, wanted, toActor(context, create));
    if (created.kind === 'email-taken') return fail('conflict', 'This address already has an account');
    return data({ id: created.accountId, email, password: made });
  },
});

const CHANGE = Type.Object({
  status: Type.Optional(STATUS),
  role: Type.Optional(ROLE),
  user_type: Type.Optional(USER_TYPE),
  user_rate: Type.Optional(AMOUNT),
  policy_id: Type.Optional(nullable(POLICY_ID)),
  api_billing: Type.Optional(Type.Boolean()),
  auto_exchange: Type.Optional(Type.Boolean()),
  extra_api_quota: Type.Optional(AMOUNT),
  fallback_model: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256 }))),
  byok_fallback: Type.Optional(Type.Boolean()),
});

const change: Operation = operation({
  ...GROUP,
  name: 'accounts.update',
  id: 'updateAccount',
  method: 'PUT',
  path: '/accounts/:id',
  title: 'Update an account',
  summary: 'Enable or disable an account, change its role, level, rate, settings or limits.',
  params: ID_PARAMS,
  body: CHANGE,
  data: ACCOUNT,
  fails: ['notFound', 'conflict'],
  example: { body: { status: 'disabled' }, data: { ...ACCOUNT_EXAMPLE, status: 'disabled' } },
  handle: async ({ params, body }, context) => {
    const patch = readAccountChange(body);
    if ('kind' in patch) return patch;
    const isOwn = params.id === context.caller?.accountId;
    // Otherwise the last operator could lock everybody out. Another operator must do it.
    if (isOwn && (body.status === 'disabled' || body.role === 'user')) {
      return fail('conflict', 'You cannot remove your own rights');
    }
    const done = await changeAccountAudited(context, params.id, patch, toActor(context, change));
    if (done.kind === 'not-found') return fail('notFound');
    if (done.kind === 'unknown-model') return fail('badParameter', 'fallback_model: there is no such model');
    if (done.kind === 'unknown-policy') return fail('badParameter', 'policy_id: there is no such policy');
    return answerAccount(params.id, context);
  },
});

function readAccountChange(body: Static<typeof CHANGE>): AccountChange | Failure {
  const rateMicro = body.user_rate === undefined ? undefined : parseAmount(body.user_rate);
  const capMicro = body.extra_api_quota === undefined ? undefined : parseAmount(body.extra_api_quota);
  const isRate = body.user_rate === undefined || (rateMicro !== undefined && rateMicro <= RATE_MICRO_MAX);
  if (!isRate) return fail('badParameter', 'user_rate must be at most 1000000');
  if (body.extra_api_quota !== undefined && capMicro === undefined) {
    return tooLarge('extra_api_quota');
  }
  return {
    ...(body.status !== undefined && { status: body.status }),
    ...(body.role !== undefined && { role: body.role }),
    ...(body.user_type !== undefined && { userType: body.user_type }),
    ...(rateMicro !== undefined && { userRateMicro: rateMicro }),
    ...(body.policy_id !== undefined && { policyId: body.policy_id }),
    ...(body.api_billing !== undefined && { apiBilling: body.api_billing }),
    ...(body.auto_exchange !== undefined && { autoExchange: body.auto_exchange }),
    ...(capMicro !== undefined && { extraApiQuotaMicro: capMicro }),
    ...(body.fallback_model !== undefined && { fallbackModel: body.fallback_model }),
    ...(body.byok_fallback !== undefined && { byokFallback: body.byok_fallback }),
  };
}

const endSessions: Operation = operation({
  ...GROUP,
  name: 'accounts.endSessions',
  id: 'endSessionsOfAccount',
  method: 'DELETE',
  path: '/accounts/:id/sessions',
  title: 'End sessions of an account',
  summary: 'End all logins of an account. Its tokens are invalid at once.',
  params: ID_PARAMS,
  data: Type.Object({ ended: Type.Integer({ minimum: 0 }) }),
  fails: ['notFound'],
  example: { data: { ended: 2 } },
  handle: async ({ params }, context) => {
    const done = await endSessionsAudited(context, params.id, toActor(context, endSessions));
    if (done.kind === 'not-found') return fail('notFound');
    await context.inForce();
    return data({ ended: done.sessions });
  },
});

export const accountOperations: readonly Operation[] = [search, detail, create, change, endSessions];
