import type { ByokView, RecentUse } from '../../accounts/views.ts';
import { BYOK_PER_ACCOUNT_MAX, HOSTED_ADDRESS_CHARS_MAX, SECRET_LENGTH_MAX } from '../../bounds.ts';
import { secretOnOneLine } from '../../catalog/cloud.ts';
import { CLOUD_KINDS, type CloudKind } from '../../catalog/contract.ts';
import { type SecretForm, secretForms } from '../../catalog/presets/cloud-questions.ts';
import { type ByokContext, type ByokRefusal, isUsableSecret, listByok } from '../../store/accounts/byok.ts';
import { findRecentUse } from '../../store/accounts/credential-recent.ts';
import { changeByok, hostByok, removeByok } from '../../store/operations/operator-holdings.ts';
import { CLOUD_SECRETS, shownSecrets } from '../cloud-secrets.ts';
import { type Context, ownAccount } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import {
  ID,
  IDS_QUERY,
  NAME,
  nullable,
  PAGE_QUERY,
  parseIds,
  readExcerpt,
  STATUS,
  TIME,
  toPage,
} from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

/** A key is sent as a header, so printable and without spaces. Credentials of clouds have several parts. */
export const SECRET = Type.String({
  pattern: '^([\\x21-\\x7e]+|\\s*\\{[^]*\\}\\s*)$',
  minLength: 1,
  maxLength: SECRET_LENGTH_MAX,
  form: 'a key of visible ASCII characters, without spaces',
  description: 'The secret of the vendor, of a cloud as JSON. It is never shown again.',
});

/** As it is stored: on one line. */
export function readSecret(secret: string): string | Failure {
  const line = secretOnOneLine(secret);
  return isUsableSecret(line) ? line : fail('badParameter', 'secret must be a key, or a JSON object');
}
export const ADDRESS = Type.String({
  maxLength: HOSTED_ADDRESS_CHARS_MAX,
  description: 'An own https address, if the vendor allows one.',
});
export const VENDOR_CODE = Type.String({ minLength: 1, maxLength: 100 });

const FIELDS = {
  id: ID,
  vendor_code: VENDOR_CODE,
  name: NAME,
  secret_hint: Type.String({ description: 'The last four characters of the secret.' }),
  base_url: nullable(Type.String()),
  status: STATUS,
  created_at: TIME,
  last_used_at: nullable(Type.String({ ...TIME, description: 'Null if none of the newest calls tried it.' })),
  last_outcome: nullable(
    Type.String({ description: 'Of its last attempt: `ok`, an HTTP status, or the kind of failure.' }),
  ),
  failing_since: nullable(
    Type.String({ ...TIME, description: 'Its first failure since it last succeeded. Null if it works.' }),
  ),
};
const EXAMPLE = {
  id: 4,
  vendor_code: 'openai',
  name: 'my account',
  secret_hint: '…cdef',
  base_url: null,
  status: 'enabled',
  created_at: '2026-11-15 09:05:00',
  last_used_at: '2026-11-15 10:00:00',
  last_outcome: 'ok',
  failing_since: null,
};

export const HOSTED_GROUP = { surface: 'user', access: 'user', tag: 'BYOK credentials' } as const;
const GROUP = HOSTED_GROUP;

const vendors = operation({
  ...GROUP,
  name: 'byok.vendors',
  id: 'listVendorsForByokCredentials',
  method: 'GET',
  path: '/credential/vendors',
  title: 'List vendors for BYOK credentials',
  summary: 'The vendors that allow BYOK credentials.',
  data: Type.Array(
    Type.Object({
      vendor_code: VENDOR_CODE,
      vendor_name: Type.String(),
      vendor_icon: Type.String(),
      protocols: Type.Array(Type.String()),
      custom_base_url: Type.Boolean({ description: 'Whether a credential may have an own address.' }),
      cloud: nullable(
        Type.Union(
          CLOUD_KINDS.map((kind) => Type.Literal(kind)),
          { description: 'A cloud: its secrets are those of docs/vendors.md.' },
        ),
      ),
      secrets: CLOUD_SECRETS,
    }),
  ),
  example: {
    data: [
      {
        vendor_code: 'openai',
        vendor_name: 'OpenAI',
        vendor_icon: 'openai',
        protocols: ['responses', 'chat'],
        custom_base_url: false,
        cloud: null,
        secrets: [],
      },
    ],
  },
  handle: (_input, context) => {
    const open = [...context.catalog().vendors.values()].filter(({ byok }) => byok);
    const rows = open.map(({ code, name, icon, protocols, customBaseUrl, cloud }) => ({
      vendor_code: code,
      vendor_name: name,
      vendor_icon: icon,
      protocols,
      custom_base_url: customBaseUrl,
      cloud: cloud?.kind ?? null,
      secrets: cloud === undefined ? [] : shownSecrets(ownForms(cloud.kind)),
    }));
    return Promise.resolve(data(rows));
  },
});

/** The identity of the machine is no account's. */
function ownForms(kind: CloudKind): readonly SecretForm[] {
  return secretForms(kind).filter(({ fixed }) => fixed === undefined);
}

const page = operation({
  ...GROUP,
  name: 'byok.page',
  id: 'listByokCredentials',
  method: 'GET',
  path: '/credential/page',
  title: 'List my BYOK credentials',
  summary: 'The BYOK credentials, oldest first, each with the end of its secret only.',
  query: PAGE_QUERY,
  data: Type.Array(Type.Object(FIELDS)),
  paged: true,
  example: { data: [EXAMPLE] },
  handle: async ({ query }, context) => {
    const excerpt = readExcerpt(query);
    const accountId = ownAccount(context);
    const all = await listByok(context.database, accountId);
    const rows = all.slice(excerpt.offset, excerpt.offset + excerpt.limit);
    const uses = rows.length === 0 ? NO_USES : await findRecentUse(context.database, accountId);
    return toPage(
      rows.map((one) => shown(one, uses.get(one.name), context)),
      all.length,
      excerpt,
    );
  },
});

const add = operation({
  ...GROUP,
  name: 'byok.create',
  id: 'hostCredential',
  method: 'POST',
  path: '/credential',
  title: 'Host a credential',
  summary: 'Add a BYOK credential. Calls that it serves are not charged.',
  body: Type.Object({
    vendor_code: VENDOR_CODE,
    name: NAME,
    secret: SECRET,
    base_url: Type.Optional(nullable(ADDRESS)),
  }),
  data: Type.Object({ id: ID }),
  fails: ['conflict'],
  example: {
    body: { vendor_code: 'openai', name: 'my account', secret: 'sk-0123456789abcdef' },
    data: { id: 4 },
  },
  handle: async ({ body }, context) => {
    const { vendor_code: vendorCode, name, base_url: baseUrl } = body;
    const accountId = ownAccount(context);
    const secret = readSecret(body.secret);
    if (typeof secret !== 'string') return secret;
    const wanted = { accountId, vendorCode, name, secret, baseUrl: baseUrl ?? undefined };
    const made = await hostByok(context, wanted, {
      byokContext: byokContext(context),
      actor: context.actor,
    });
    if (made.kind !== 'added') return toByokFailure(made);
    return data({ id: made.credentialId });
  },
});

const change = operation({
  ...GROUP,
  name: 'byok.update',
  id: 'updateByokCredential',
  method: 'PUT',
  path: '/credential',
  title: 'Update a BYOK credential',
  summary: 'Change a BYOK credential. A new address needs the secret again.',
  body: Type.Object({
    id: ID,
    vendor_code: Type.Optional(VENDOR_CODE),
    name: Type.Optional(NAME),
    secret: Type.Optional(SECRET),
    base_url: Type.Optional(nullable(ADDRESS)),
    status: Type.Optional(STATUS),
  }),
  data: Type.Object({ id: ID }),
  fails: ['notFound', 'conflict'],
  example: { body: { id: 4, name: 'team account' }, data: { id: 4 } },
  handle: async ({ body }, context) => {
    const { id, vendor_code: vendorCode, name, base_url: baseUrl, status } = body;
    const accountId = ownAccount(context);
    const secret = body.secret === undefined ? undefined : readSecret(body.secret);
    if (typeof secret === 'object') return secret;
    const stored = (await listByok(context.database, accountId)).find((one) => one.id === id);
    if (stored === undefined) return fail('notFound');
    if (vendorCode !== undefined && vendorCode !== stored.vendorCode) {
      return fail('badParameter', 'vendor_code cannot be changed');
    }
    const patch = {
      ...(name !== undefined && { name }),
      ...(secret !== undefined && { secret }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(status !== undefined && { status }),
    };
    const result = await changeByok(
      context,
      { accountId, credentialId: id },
      { patch, byokContext: byokContext(context), actor: context.actor },
    );
    if (result.kind !== 'updated') return toByokFailure(result);
    return data({ id });
  },
});

const remove = operation({
  ...GROUP,
  name: 'byok.delete',
  id: 'deleteByokCredentials',
  method: 'DELETE',
  path: '/credential',
  title: 'Delete BYOK credentials',
  summary: 'Delete BYOK credentials, all of the given ids or none. No later call uses them.',
  query: IDS_QUERY,
  data: Type.Object({ deleted: Type.Integer({ minimum: 1 }) }),
  fails: ['notFound'],
  example: { data: { deleted: 1 } },
  handle: async ({ query }, context) => {
    const ids = parseIds(query.ids);
    if ('kind' in ids) return ids;
    const done = await removeByok(context, { accountId: ownAccount(context), ids }, context.actor);
    return done.kind === 'not-found' ? fail('notFound') : data({ deleted: done.deleted });
  },
});

export function byokContext({ sealer, config }: Context): ByokContext {
  return { sealer, ownHosts: new Set(config.byokHosts) };
}

/** Why a credential is refused, the same for saving and testing. */
export function toByokFailure(refusal: ByokRefusal): Failure {
  switch (refusal.kind) {
    case 'unknown-account':
    case 'not-found':
      return fail('notFound');
    case 'too-many':
      return fail('conflict', `An account has at most ${BYOK_PER_ACCOUNT_MAX} credentials`);
    case 'name-taken':
      return fail('conflict', 'The account already has a credential with this name');
    case 'vendor-closed':
      return fail('badParameter', 'vendor_code is not a vendor that allows BYOK credentials');
    case 'address-closed':
      return fail('badParameter', 'base_url is not allowed for this vendor');
    case 'secret-required':
      return fail('badParameter', 'secret is required again for a new base_url');
    case 'bad-address':
      return fail('badParameter', `base_url ${refusal.why}`);
    case 'bad-secret':
      return fail('badParameter', `secret ${refusal.why}`);
  }
}

const NO_USES: ReadonlyMap<string, RecentUse> = new Map();

function shown(
  view: ByokView,
  use: RecentUse | undefined,
  { showTime }: Context,
): Record<keyof typeof FIELDS, unknown> {
  const { id, vendorCode, name, hint, baseUrl, status, createdAtMs } = view;
  return {
    id,
    vendor_code: vendorCode,
    name,
    secret_hint: `…${hint}`,
    base_url: baseUrl ?? null,
    status,
    created_at: showTime(createdAtMs),
    last_used_at: use === undefined ? null : showTime(use.lastUsedAtMs),
    last_outcome: use?.lastOutcome ?? null,
    failing_since: use?.failingSinceMs === undefined ? null : showTime(use.failingSinceMs),
  };
}

/** BYOK credentials (rule I-74). The test and the statistics are in byok-use.ts. */
export const byokOperations: readonly Operation[] = [vendors, page, add, change, remove];
