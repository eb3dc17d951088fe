import { KEYS_PER_ACCOUNT_MAX } from '../../bounds.ts';
import { deleteKeys, findKey, type ListedKey, listKeys, updateKey } from '../../store/accounts/api-keys.ts';
import { makeKey } from '../../store/operations/operator-holdings.ts';
import { type Context, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import {
  ID,
  ID_PARAMS,
  IDS_QUERY,
  NAME,
  nullable,
  PAGE_QUERY,
  POLICY_ID,
  parseIds,
  readExcerpt,
  STATUS,
  TIME,
  toPage,
} from '../fields.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { mayChoose } from '../subscriptions/plans.ts';
import { KEY, KEY_CHANGE, KEY_EXAMPLE, parseExpiry, shownKey, toKeyPatch } from './key-view.ts';

const CREATED = Type.Object({
  ...KEY.properties,
  api_key: Type.String({ description: 'The key. It is shown only here and not stored.' }),
});

const GROUP = { surface: 'user', access: 'user', tag: 'API keys' } as const;

const create = operation({
  ...GROUP,
  name: 'keys.create',
  id: 'createKey',
  method: 'POST',
  path: '/api-key',
  title: 'Create a key',
  summary: 'Create an API key. Only this answer shows it.',
  body: Type.Object({
    name: NAME,
    policy_id: Type.Optional(nullable(POLICY_ID)),
    expires_at: Type.Optional(nullable(TIME)),
    status: Type.Optional(STATUS),
  }),
  data: CREATED,
  fails: ['conflict'],
  example: {
    body: { name: 'laptop', expires_at: '2027-01-01 00:00:00' },
    data: { ...KEY_EXAMPLE, api_key: 'tg-0a1b2c3d4e5f6g7h8j9kmnpqrstvwxyz0a1b2c3d' },
  },
  handle: async ({ body }, context) => {
    const { policy_id: policyId, status = 'enabled' } = body;
    const expiresAtMs = parseExpiry(body.expires_at ?? null, context, context.clock);
    if (typeof expiresAtMs === 'object') return expiresAtMs;
    // An operator may give a key any policy.
    const isFree = policyId === undefined || policyId === null || context.actor !== undefined;
    if (!isFree && !mayChoose(context.catalog(), policyId)) {
      return fail('badParameter', NO_POLICY);
    }
    const accountId = ownAccount(context);
    const wanted = { accountId, name: body.name, policyId: policyId ?? undefined, expiresAtMs, status };
    const made = await makeKey(context, wanted, { random: context.random, actor: context.actor });
    if (made.kind !== 'created') return REFUSALS[made.kind];
    return data({ ...shownKey(made.key, context), api_key: made.text });
  },
});

const NO_POLICY = 'policy_id is not a policy that a key may have';
const REFUSALS = {
  'too-many': fail('conflict', `An account has at most ${KEYS_PER_ACCOUNT_MAX} keys`),
  'unknown-account': fail('notFound'),
  'unknown-policy': fail('badParameter', NO_POLICY),
} as const;

const page = operation({
  ...GROUP,
  name: 'keys.page',
  id: 'listKeys',
  method: 'GET',
  path: '/api-key/page',
  title: 'List my keys',
  summary: 'The keys of the account, newest first, each with its prefix.',
  query: PAGE_QUERY,
  data: Type.Array(KEY),
  paged: true,
  example: { data: [KEY_EXAMPLE] },
  handle: async ({ query }, context) => {
    const excerpt = readExcerpt(query);
    const { items, total } = await listKeys(context.database, ownAccount(context), excerpt);
    return toPage(
      items.map((key) => shownKey(key, context)),
      total,
      excerpt,
    );
  },
});

const detail = operation({
  ...GROUP,
  name: 'keys.detail',
  id: 'getKey',
  method: 'GET',
  path: '/api-key/detail/:id',
  title: 'Get a key',
  summary: 'One key, with its prefix.',
  params: ID_PARAMS,
  data: KEY,
  fails: ['notFound'],
  example: { data: KEY_EXAMPLE },
  handle: async ({ params }, context) =>
    oneKey(await findKey(context.database, ownAccount(context), params.id), context),
});

const change = operation({
  ...GROUP,
  name: 'keys.update',
  id: 'updateKey',
  method: 'PUT',
  path: '/api-key',
  title: 'Update a key',
  summary: 'Change the name, status, policy or expiry of a key, effective from the next call.',
  body: Type.Object({ id: ID, ...KEY_CHANGE }),
  data: KEY,
  fails: ['notFound'],
  example: { body: { id: 12, status: 'disabled' }, data: { ...KEY_EXAMPLE, status: 'disabled' } },
  handle: async ({ body: { id, ...change } }, context) => {
    const patch = toKeyPatch(change, context, context.clock);
    if ('kind' in patch) return patch;
    const place = { accountId: ownAccount(context), keyId: id };
    if (typeof patch.policyId === 'number' && !mayChoose(context.catalog(), patch.policyId)) {
      const key = await findKey(context.database, place.accountId, id);
      if (key === undefined) return fail('notFound');
      // A policy that an operator has set may be repeated.
      if (key.policyId !== patch.policyId) return fail('badParameter', NO_POLICY);
    }
    const key = await updateKey(context.database, place, patch);
    if (key === 'unknown-policy') return fail('badParameter', NO_POLICY);
    if (key !== undefined) await context.inForce();
    return oneKey(key, context);
  },
});

const remove = operation({
  ...GROUP,
  name: 'keys.delete',
  id: 'deleteKeys',
  method: 'DELETE',
  path: '/api-key',
  title: 'Delete keys',
  summary: 'Delete keys, all of the given ids or none. They are refused from the next call on.',
  query: IDS_QUERY,
  data: Type.Object({ deleted: Type.Integer({ minimum: 1 }) }),
  fails: ['notFound'],
  example: { data: { deleted: 2 } },
  handle: async ({ query }, context) => {
    const ids = parseIds(query.ids);
    if ('kind' in ids) return ids;
    const deleted = await deleteKeys(context.database, ownAccount(context), ids);
    if (deleted === 0) return fail('notFound');
    await context.inForce();
    return data({ deleted });
  },
});

/** A key of another account is answered like one that does not exist. */
function oneKey(key: ListedKey | undefined, context: Context): Answer {
  return key === undefined ? fail('notFound') : data(shownKey(key, context));
}

/** The keys of an account (rule I-66 and rule I-67). */
export const keyOperations: readonly Operation[] = [create, page, detail, change, remove];
