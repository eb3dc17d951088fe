import type { ApiKey } from '../accounts/contract.ts';
import { KEYS_PER_ACCOUNT_MAX } from '../bounds.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Answer, data, type Endpoint, endpoint } from './endpoint.ts';
import { type Failure, fail } from './failure.ts';
import {
  excerptOf,
  ID,
  ID_PARAMS,
  IDS_QUERY,
  idsOf,
  momentOf,
  NAME,
  nullable,
  PAGE_QUERY,
  pageOf,
  STATUS,
  TIME,
  type Times,
} from './fields.ts';
import { mayChoose } from './plans.ts';
import { type Footing, ownAccount } from './ports.ts';
import { Type } from './schema.ts';

/** A key as its owner sees it again: never its text. */
export interface KeyView extends ApiKey {
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | undefined;
}

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
  /** All of them or none: 0 when one is not the account's. */
  remove(accountId: number, keyIds: readonly number[]): Promise<number>;
  update(
    place: { readonly accountId: number; readonly keyId: number },
    patch: { readonly name?: string; readonly status?: ApiKey['status'] },
  ): Promise<KeyView | undefined>;
}

export interface KeyNeeds {
  readonly keys: KeyPort;
  readonly footing: Footing;
}

const FIELDS = {
  id: ID,
  name: NAME,
  prefix: Type.String({ description: 'The first characters of the key, to tell keys apart.' }),
  policy_id: nullable(ID),
  expires_at: nullable(TIME),
  status: STATUS,
  created_at: TIME,
  last_used_at: nullable(TIME),
};
const KEY = Type.Object(FIELDS);
const CREATED = Type.Object({
  ...FIELDS,
  api_key: Type.String({ description: 'The key itself. It is shown here once and stored nowhere.' }),
});

const EXAMPLE = {
  id: 12,
  name: 'laptop',
  prefix: 'tg-0a1b2c',
  policy_id: null,
  expires_at: '2027-01-01 00:00:00',
  status: 'enabled',
  created_at: '2026-11-15 09:05:00',
  last_used_at: null,
};

const GROUP = { surface: 'user', access: 'user', tag: 'API keys' } as const;

/** Spec 2.4 and 4.2; renaming and disabling are ours. */
export function keyEndpoints(needs: KeyNeeds): readonly Endpoint[] {
  return [create(needs), page(needs), detail(needs), change(needs), remove(needs)];
}

function create({ keys, footing }: KeyNeeds): Endpoint {
  return endpoint({
    ...GROUP,
    name: 'keys.create',
    method: 'POST',
    path: '/api-key',
    summary: 'Create an API key; its text is in this answer and never again.',
    body: Type.Object({
      name: NAME,
      policy_id: Type.Optional(nullable(ID)),
      expires_at: Type.Optional(nullable(TIME)),
      status: Type.Optional(STATUS),
    }),
    data: CREATED,
    fails: ['conflict'],
    example: {
      body: { name: 'laptop', expires_at: '2027-01-01 00:00:00' },
      data: { ...EXAMPLE, api_key: 'tg-0a1b2c3d4e5f6g7h8j9kmnpqrstvwxyz0a1b2c3d' },
    },
    handle: async ({ body }, context) => {
      const { policy_id: policyId, status = 'enabled' } = body;
      const expiresAtMs = expiryOf(body.expires_at ?? null, footing, context.clock);
      if (typeof expiresAtMs === 'object') return expiresAtMs;
      if (policyId !== undefined && policyId !== null && !mayChoose(footing.catalog(), policyId)) {
        return fail('badParameter', NO_POLICY);
      }
      const accountId = ownAccount(context);
      const wanted = { accountId, name: body.name, policyId: policyId ?? undefined, expiresAtMs, status };
      const made = await keys.create(wanted);
      if (made.kind !== 'created') return REFUSALS[made.kind];
      await footing.inForce();
      return data({ ...shown(made.key, footing), api_key: made.text });
    },
  });
}

const NO_POLICY = 'policy_id names no policy that a key may have';
const REFUSALS = {
  'too-many': fail('conflict', `An account has at most ${KEYS_PER_ACCOUNT_MAX} keys`),
  'unknown-account': fail('notFound'),
  'unknown-policy': fail('badParameter', NO_POLICY),
} as const;

/** Nothing: never. */
function expiryOf(text: string | null, times: Times, clock: Clock): number | undefined | Failure {
  if (text === null) return undefined;
  const nowMs = clock.now();
  const expiresAtMs = momentOf('expires_at', text, times);
  if (typeof expiresAtMs !== 'number' || expiresAtMs > nowMs) return expiresAtMs;
  return fail('badParameter', `expires_at is over: now it is ${times.showTime(nowMs)} (${times.timeZone})`);
}

function page({ keys, footing }: KeyNeeds): Endpoint {
  return endpoint({
    ...GROUP,
    name: 'keys.page',
    method: 'GET',
    path: '/api-key/page',
    summary: 'The keys of the account, newest first, each by its prefix.',
    query: PAGE_QUERY,
    data: Type.Array(KEY),
    paged: true,
    example: { data: [EXAMPLE] },
    handle: async ({ query }, context) => {
      const excerpt = excerptOf(query);
      const { items, total } = await keys.list(ownAccount(context), excerpt);
      return pageOf(
        items.map((key) => shown(key, footing)),
        total,
        excerpt,
      );
    },
  });
}

function detail({ keys, footing }: KeyNeeds): Endpoint {
  return endpoint({
    ...GROUP,
    name: 'keys.detail',
    method: 'GET',
    path: '/api-key/detail/:id',
    summary: 'One key, by its prefix.',
    params: ID_PARAMS,
    data: KEY,
    fails: ['notFound'],
    example: { data: EXAMPLE },
    handle: async ({ params }, context) => oneKey(await keys.find(ownAccount(context), params.id), footing),
  });
}

function change({ keys, footing }: KeyNeeds): Endpoint {
  return endpoint({
    ...GROUP,
    name: 'keys.update',
    method: 'PUT',
    path: '/api-key',
    summary: 'Rename, disable or enable a key; in force for the next call.',
    body: Type.Object({ id: ID, name: Type.Optional(NAME), status: Type.Optional(STATUS) }),
    data: KEY,
    fails: ['notFound'],
    example: { body: { id: 12, status: 'disabled' }, data: { ...EXAMPLE, status: 'disabled' } },
    handle: async ({ body: { id, name, status } }, context) => {
      const patch = { ...(name !== undefined && { name }), ...(status !== undefined && { status }) };
      const key = await keys.update({ accountId: ownAccount(context), keyId: id }, patch);
      if (key !== undefined) await footing.inForce();
      return oneKey(key, footing);
    },
  });
}

function remove({ keys, footing }: KeyNeeds): Endpoint {
  return endpoint({
    ...GROUP,
    name: 'keys.delete',
    method: 'DELETE',
    path: '/api-key',
    summary: 'Delete keys, all that are named or none; refused from the next call on.',
    query: IDS_QUERY,
    data: Type.Object({ deleted: Type.Integer({ minimum: 1 }) }),
    fails: ['notFound'],
    example: { data: { deleted: 2 } },
    handle: async ({ query }, context) => {
      const ids = idsOf(query.ids);
      if (ids === undefined) return fail('badParameter', 'ids holds a number that is too large for an id');
      const deleted = await keys.remove(ownAccount(context), ids);
      if (deleted === 0) return fail('notFound');
      await footing.inForce();
      return data({ deleted });
    },
  });
}

/** A key of somebody else is none. */
function oneKey(key: KeyView | undefined, footing: Footing): Answer {
  return key === undefined ? fail('notFound') : data(shown(key, footing));
}

function shown(key: KeyView, { showTime }: Footing): Record<keyof typeof FIELDS, unknown> {
  const { id, name, prefix, policyId, expiresAtMs, status, createdAtMs, lastUsedAtMs } = key;
  const time = (timeMs: number | undefined) => (timeMs === undefined ? null : showTime(timeMs));
  return {
    id,
    name,
    prefix,
    policy_id: policyId ?? null,
    expires_at: time(expiresAtMs),
    status,
    created_at: showTime(createdAtMs),
    last_used_at: time(lastUsedAtMs),
  };
}
