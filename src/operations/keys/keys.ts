import type { ApiKey } from '../../accounts/contract.ts';
import { KEYS_PER_ACCOUNT_MAX } from '../../bounds.ts';
import { type AccountEndpointDeps, ownAccount } from '../context.ts';
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
import {
  KEY,
  KEY_CHANGE,
  KEY_EXAMPLE,
  type KeyPatch,
  type KeyView,
  parseExpiry,
  shownKey,
  toKeyPatch,
} from './key-view.ts';

export type WantedKey = Pick<ApiKey, 'accountId' | 'name' | 'policyId' | 'expiresAtMs' | 'status'>;

export type MadeKey =
  | { readonly kind: 'created'; readonly key: KeyView; readonly text: string }
  | { readonly kind: 'too-many' | 'unknown-account' | 'unknown-policy' };

export interface KeyPort {
  create(wanted: WantedKey): Promise<MadeKey>;
  list(
    accountId: number,
    part: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly items: readonly KeyView[]; readonly total: number }>;
  find(accountId: number, keyId: number): Promise<KeyView | undefined>;
  /** Deletes all of them, or none and returns 0 if one does not belong to the account. */
  remove(accountId: number, keyIds: readonly number[]): Promise<number>;
  update(
    place: { readonly accountId: number; readonly keyId: number },
    patch: KeyPatch,
  ): Promise<KeyView | 'unknown-policy' | undefined>;
}

export interface KeyNeeds {
  readonly keys: KeyPort;
  readonly deps: AccountEndpointDeps;
}

const CREATED = Type.Object({
  ...KEY.properties,
  api_key: Type.String({ description: 'The key. It is shown only here and not stored.' }),
});

const GROUP = { surface: 'user', access: 'user', tag: 'API keys' } as const;

/** The keys of an account (rule I-66 and rule I-67). */
export function keyOperations(needs: KeyNeeds): readonly Operation[] {
  return [create(needs), page(needs), detail(needs), change(needs), remove(needs)];
}

function create({ keys, deps }: KeyNeeds): Operation {
  return operation({
    ...GROUP,
    name: 'keys.create',
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
      const expiresAtMs = parseExpiry(body.expires_at ?? null, deps, context.clock);
      if (typeof expiresAtMs === 'object') return expiresAtMs;
      if (policyId !== undefined && policyId !== null && !mayChoose(deps.catalog(), policyId)) {
        return fail('badParameter', NO_POLICY);
      }
      const accountId = ownAccount(context);
      const wanted = { accountId, name: body.name, policyId: policyId ?? undefined, expiresAtMs, status };
      const made = await keys.create(wanted);
      if (made.kind !== 'created') return REFUSALS[made.kind];
      await deps.inForce();
      return data({ ...shownKey(made.key, deps), api_key: made.text });
    },
  });
}

const NO_POLICY = 'policy_id is not a policy that a key may have';
const REFUSALS = {
  'too-many': fail('conflict', `An account has at most ${KEYS_PER_ACCOUNT_MAX} keys`),
  'unknown-account': fail('notFound'),
  'unknown-policy': fail('badParameter', NO_POLICY),
} as const;

function page({ keys, deps }: KeyNeeds): Operation {
  return operation({
    ...GROUP,
    name: 'keys.page',
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
      const { items, total } = await keys.list(ownAccount(context), excerpt);
      return toPage(
        items.map((key) => shownKey(key, deps)),
        total,
        excerpt,
      );
    },
  });
}

function detail({ keys, deps }: KeyNeeds): Operation {
  return operation({
    ...GROUP,
    name: 'keys.detail',
    method: 'GET',
    path: '/api-key/detail/:id',
    title: 'Get a key',
    summary: 'One key, with its prefix.',
    params: ID_PARAMS,
    data: KEY,
    fails: ['notFound'],
    example: { data: KEY_EXAMPLE },
    handle: async ({ params }, context) => oneKey(await keys.find(ownAccount(context), params.id), deps),
  });
}

function change({ keys, deps }: KeyNeeds): Operation {
  return operation({
    ...GROUP,
    name: 'keys.update',
    method: 'PUT',
    path: '/api-key',
    title: 'Update a key',
    summary: 'Change the name, status, policy or expiry of a key, effective from the next call.',
    body: Type.Object({ id: ID, ...KEY_CHANGE }),
    data: KEY,
    fails: ['notFound'],
    example: { body: { id: 12, status: 'disabled' }, data: { ...KEY_EXAMPLE, status: 'disabled' } },
    handle: async ({ body: { id, ...change } }, context) => {
      const patch = toKeyPatch(change, deps, context.clock);
      if ('kind' in patch) return patch;
      const place = { accountId: ownAccount(context), keyId: id };
      if (typeof patch.policyId === 'number' && !mayChoose(deps.catalog(), patch.policyId)) {
        const key = await keys.find(place.accountId, id);
        if (key === undefined) return fail('notFound');
        // A policy that an operator has set may be repeated.
        if (key.policyId !== patch.policyId) return fail('badParameter', NO_POLICY);
      }
      const key = await keys.update(place, patch);
      if (key === 'unknown-policy') return fail('badParameter', NO_POLICY);
      if (key !== undefined) await deps.inForce();
      return oneKey(key, deps);
    },
  });
}

function remove({ keys, deps }: KeyNeeds): Operation {
  return operation({
    ...GROUP,
    name: 'keys.delete',
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
      if (ids === undefined) return fail('badParameter', 'ids contains a number that is too large for an id');
      const deleted = await keys.remove(ownAccount(context), ids);
      if (deleted === 0) return fail('notFound');
      await deps.inForce();
      return data({ deleted });
    },
  });
}

/** A key of another account is answered like one that does not exist. */
function oneKey(key: KeyView | undefined, deps: AccountEndpointDeps): Answer {
  return key === undefined ? fail('notFound') : data(shownKey(key, deps));
}
