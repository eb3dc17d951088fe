import type { SessionView } from '../../accounts/login-contract.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import { fail } from '../failure.ts';
import { TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { logoutCookies } from './auth-answer.ts';
import { SESSION_COOKIE } from './cookies.ts';

const SESSION = Type.Object({
  id: Type.String({ description: 'Identifies the session. It gives no access.' }),
  kind: Type.Union([Type.Literal('token'), Type.Literal('cookie')], {
    description: '`cookie` is a browser, `token` a program.',
  }),
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  address: Type.String({ description: 'The address of the login; for IPv6 its network.' }),
  user_agent: Type.String({ description: 'The `User-Agent` of the browser or program.' }),
  created_at: TIME,
  last_seen_at: Type.String({ ...TIME, description: 'Accurate to one minute.' }),
  expires_at: TIME,
});
const ENDED = Type.Object({ ended_sessions: Type.Integer({ minimum: 0 }) });

const EXAMPLE = {
  ...{ id: 'kJ3v0Yw6Qm2b8sT1xZ5aPg', kind: 'cookie', current: true, address: '192.0.2.7' },
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ...{ created_at: '2026-11-14 08:00:00', last_seen_at: '2026-11-15 09:05:00' },
  expires_at: '2026-11-21 08:00:00',
};

const GROUP = { surface: 'auth', access: 'user', tag: 'Login' } as const;

const list = operation({
  ...GROUP,
  name: 'auth.sessions',
  id: 'listSessions',
  method: 'GET',
  path: '/sessions',
  title: 'List my sessions',
  summary: 'The logins of the account, the most recently used first.',
  data: Type.Array(SESSION),
  example: { data: [EXAMPLE] },
  handle: async (_input, context) => {
    const { caller } = context;
    if (caller === undefined) return fail('notLoggedIn');
    const found = await context.logins.sessions(caller);
    return data(found.map((session) => shownSession(session, context, caller.sessionId)));
  },
});

function shownSession(session: SessionView, { showTime }: Times, currentId: string): object {
  const { id, kind, address, userAgent } = session;
  return {
    ...{ id, kind, current: id === currentId, address, user_agent: userAgent },
    created_at: showTime(session.createdAtMs),
    last_seen_at: showTime(session.usedAtMs),
    expires_at: showTime(session.expiresAtMs),
  };
}

const endOne = operation({
  ...GROUP,
  name: 'auth.endSession',
  id: 'endSession',
  method: 'DELETE',
  path: '/sessions/:id',
  title: 'End a session',
  summary: 'End one session of the account. Its tokens are invalid at once.',
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
  data: ENDED,
  fails: ['notFound'],
  example: { data: { ended_sessions: 1 } },
  handle: async ({ params }, { caller, cookies, logins, config, inForce }) => {
    if (caller === undefined) return fail('notLoggedIn');
    const ended = await logins.endSession(caller, params.id);
    if (ended === 0) return fail('notFound');
    await inForce();
    const answer = data({ ended_sessions: ended });
    const isOwn = params.id === caller.sessionId && cookies.has(SESSION_COOKIE);
    return isOwn ? { ...answer, cookies: logoutCookies(config) } : answer;
  },
});

const endOthers = operation({
  ...GROUP,
  name: 'auth.endOtherSessions',
  id: 'endOtherSessions',
  method: 'DELETE',
  path: '/sessions',
  title: 'End my other sessions',
  summary: 'End all sessions of the account except the one of this request.',
  data: ENDED,
  example: { data: { ended_sessions: 3 } },
  handle: async (_input, { caller, logins, inForce }) => {
    if (caller === undefined) return fail('notLoggedIn');
    const ended = await logins.endOtherSessions(caller);
    await inForce();
    return data({ ended_sessions: ended });
  },
});

/** The logins of an account, for its owner to see and end. */
export const sessionOperations: readonly Operation[] = [list, endOne, endOthers];
