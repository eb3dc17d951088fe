import type { SessionView } from '../../accounts/login-contract.ts';
import { hashPassword } from '../../accounts/password.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import { listKeys } from '../../store/accounts/api-keys.ts';
import { createSessionStore } from '../../store/accounts/sessions.ts';
import { changeKeyAudited, resetPasswordAudited } from '../../store/operations/operator-access.ts';
import { accountExists } from '../../store/operations/operator-accounts.ts';
import { revokeKeyAudited } from '../../store/operations/operator-holdings.ts';
import type { Context } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, ID_PARAMS, PAGE_QUERY, readExcerpt, TIME, toPage } from '../fields.ts';
import { KEY, KEY_CHANGE, KEY_EXAMPLE, shownKey, toKeyPatch } from '../keys/key-view.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';

const GROUP = { ...OPERATORS, tag: 'Accounts' } as const;
const KEY_PARAMS = Type.Object({ id: ID, key_id: ID });

const keys = operation({
  ...GROUP,
  name: 'accounts.listKeys',
  id: 'listKeysOfAccount',
  method: 'GET',
  path: '/accounts/:id/keys',
  title: 'List keys of an account',
  summary: 'The keys of an account, newest first, each with its prefix.',
  params: ID_PARAMS,
  query: PAGE_QUERY,
  data: Type.Array(KEY),
  paged: true,
  fails: ['notFound'],
  example: { data: [KEY_EXAMPLE] },
  handle: async ({ params, query }, context) => {
    if (!(await accountExists(context.database, params.id))) return fail('notFound');
    const excerpt = readExcerpt(query);
    const { items, total } = await listKeys(context.database, params.id, excerpt);
    const rows = items.map((key) => shownKey(key, context));
    return toPage(rows, total, excerpt);
  },
});

const changeKey: Operation = operation({
  ...GROUP,
  name: 'accounts.updateKey',
  id: 'updateKeyOfAccount',
  method: 'PUT',
  path: '/accounts/:id/keys/:key_id',
  title: 'Update a key of an account',
  summary: 'Disable or enable a key of an account, or change its name, policy or expiry.',
  params: KEY_PARAMS,
  body: Type.Object(KEY_CHANGE),
  data: KEY,
  fails: ['notFound'],
  example: { body: { status: 'disabled' }, data: { ...KEY_EXAMPLE, status: 'disabled' } },
  handle: async ({ params, body }, context) => {
    const patch = toKeyPatch(body, context, context.clock);
    if ('kind' in patch) return patch;
    const place = { accountId: params.id, keyId: params.key_id };
    const done = await changeKeyAudited(context, place, patch, toActor(context, changeKey));
    if (done.kind === 'not-found') return fail('notFound');
    if (done.kind === 'unknown-policy') return fail('badParameter', 'policy_id: there is no such policy');
    return data(shownKey(done.key, context));
  },
});

const removeKey: Operation = operation({
  ...GROUP,
  name: 'accounts.deleteKey',
  id: 'deleteKeyOfAccount',
  method: 'DELETE',
  path: '/accounts/:id/keys/:key_id',
  title: 'Delete a key of an account',
  summary: 'Delete a key of an account. It is refused from the next call on.',
  params: KEY_PARAMS,
  data: Type.Object({}),
  fails: ['notFound'],
  example: { data: {} },
  handle: async ({ params }, context) => {
    const place = { accountId: params.id, keyId: params.key_id };
    const done = await revokeKeyAudited(context, place, toActor(context, removeKey));
    return done.kind === 'not-found' ? fail('notFound') : data({});
  },
});

const SESSION = Type.Object({
  kind: Type.Union([Type.Literal('token'), Type.Literal('cookie')]),
  address: Type.String(),
  user_agent: Type.String(),
  created_at: TIME,
  last_seen_at: TIME,
  expires_at: TIME,
});

const sessions = operation({
  ...GROUP,
  name: 'accounts.listSessions',
  id: 'listSessionsOfAccount',
  method: 'GET',
  path: '/accounts/:id/sessions',
  title: 'List sessions of an account',
  summary: 'The logins of an account, the most recently used first.',
  params: ID_PARAMS,
  data: Type.Array(SESSION),
  fails: ['notFound'],
  example: {
    data: [
      {
        ...{ kind: 'cookie', address: '192.0.2.7', user_agent: 'Mozilla/5.0 Firefox/140.0' },
        ...{ created_at: '2026-11-14 08:00:00', last_seen_at: '2026-11-15 09:05:00' },
        expires_at: '2026-11-21 08:00:00',
      },
    ],
  },
  handle: async ({ params }, context) => {
    const { database, clock } = context;
    if (!(await accountExists(database, params.id))) return fail('notFound');
    const found = await createSessionStore(database).listSessions(params.id, clock.now());
    return data(found.map((each) => shownSession(each, context)));
  },
});

function shownSession(session: SessionView, { showTime }: Times): object {
  return {
    ...{ kind: session.kind, address: session.address, user_agent: session.userAgent },
    created_at: showTime(session.createdAtMs),
    last_seen_at: showTime(session.usedAtMs),
    expires_at: showTime(session.expiresAtMs),
  };
}

const MADE_PASSWORD_BYTES = 18;

/** For an owner who has forgotten the password: long, random, and shown once. */
export function newPassword({ random }: Pick<Context, 'random'>): string {
  return random.bytes(MADE_PASSWORD_BYTES).toString('base64url');
}

const resetPassword: Operation = operation({
  ...GROUP,
  name: 'accounts.resetPassword',
  id: 'resetPasswordOfAccount',
  method: 'POST',
  path: '/accounts/:id/password-reset',
  title: 'Reset the password of an account',
  summary: 'Set a temporary password, shown once. The old password and all logins end.',
  params: ID_PARAMS,
  data: Type.Object({
    password: Type.String({ description: 'Only this answer shows it.' }),
    ended_sessions: Type.Integer({ minimum: 0 }),
  }),
  fails: ['notFound', 'conflict'],
  example: { data: { password: 'c29tZXRoaW5nIG1hZGUgdXA', ended_sessions: 2 } },
  handle: async ({ params }, context) => {
    if (params.id === context.caller?.accountId) {
      return fail('conflict', 'Use your current password to change your own password');
    }
    const password = newPassword(context);
    const passwordHash = await hashPassword(password, context.random);
    const done = await resetPasswordAudited(
      context,
      params.id,
      passwordHash,
      toActor(context, resetPassword),
    );
    if (done.kind === 'not-found') return fail('notFound');
    await context.inForce();
    return data({ password, ended_sessions: done.sessions });
  },
});

/** The access to an account: its keys, its logins and its password. */
export const accessOperations: readonly Operation[] = [keys, changeKey, removeKey, sessions, resetPassword];
