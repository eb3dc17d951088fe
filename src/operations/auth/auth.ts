import type { LoggedIn, LoginAttempt, LoginRefusal } from '../../accounts/login-contract.ts';
import { PASSWORD_LENGTH_MAX } from '../../bounds.ts';
import type { Context } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { accountMailOperations } from './account-mails.ts';
import { enteredAnswer, LOGIN_DATA, LOGIN_EXAMPLE, logoutCookies } from './auth-answer.ts';
import { DEVICE_COOKIE, SESSION_COOKIE } from './cookies.ts';
import { EMAIL, LANGUAGE, NEW_PASSWORD, TOKEN } from './login-fields.ts';
import { sessionOperations } from './sessions.ts';

/** Any text is compared. The rules for new passwords would only help a guesser. */
const PASSWORD = Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH_MAX });
const COOKIE = Type.Optional(
  Type.Boolean({ description: 'Set cookies for a browser instead of returning tokens.' }),
);
const ENDED_DATA = Type.Object({ ended_sessions: Type.Integer({ minimum: 0 }) });

const EXAMPLE_BODY = { email: 'ada@example.com', password: 'correct horse battery' };

const register = operation({
  name: 'auth.register',
  id: 'register',
  method: 'POST',
  surface: 'auth',
  path: '/register',
  access: 'public',
  tag: 'Login',
  title: 'Register',
  summary: 'Create an account and log in.',
  body: Type.Object({
    ...{ email: EMAIL, password: NEW_PASSWORD, cookie: COOKIE },
    language: Type.Optional(LANGUAGE),
  }),
  data: LOGIN_DATA,
  fails: ['notAllowed', 'conflict', 'tooManyRequests'],
  example: { body: EXAMPLE_BODY, data: LOGIN_EXAMPLE },
  handle: async ({ body }, context) =>
    toLoginAnswer(await context.logins.register(toLoginAttempt(body, context)), context),
});

const login = operation({
  name: 'auth.login',
  id: 'logIn',
  method: 'POST',
  surface: 'auth',
  path: '/login',
  access: 'public',
  tag: 'Login',
  title: 'Log in',
  summary: 'Log in with e-mail address and password.',
  body: Type.Object({ email: EMAIL, password: PASSWORD, cookie: COOKIE }),
  data: LOGIN_DATA,
  fails: ['notLoggedIn', 'notAllowed', 'tooManyRequests'],
  example: { body: EXAMPLE_BODY, data: LOGIN_EXAMPLE },
  handle: async ({ body }, context) =>
    toLoginAnswer(await context.logins.login(toLoginAttempt(body, context)), context),
});

const refresh = operation({
  name: 'auth.refresh',
  id: 'refreshTokens',
  method: 'POST',
  surface: 'auth',
  path: '/refresh',
  access: 'public',
  tag: 'Login',
  title: 'Refresh tokens',
  summary:
    'Exchange a refresh token for a new pair of tokens. A token that is used a second time ends its session.',
  body: Type.Object({ refresh_token: TOKEN }),
  data: LOGIN_DATA,
  fails: ['notLoggedIn'],
  example: { body: { refresh_token: LOGIN_EXAMPLE.refresh_token }, data: LOGIN_EXAMPLE },
  handle: async ({ body }, context) => {
    const entered = await context.logins.refresh(body.refresh_token);
    return entered.kind === 'wrong' ? fail('notLoggedIn') : enteredAnswer(entered, context.config);
  },
});

const logout = operation({
  name: 'auth.logout',
  id: 'logOut',
  method: 'POST',
  surface: 'auth',
  path: '/logout',
  access: 'user',
  tag: 'Login',
  title: 'Log out',
  summary: 'End this session, or all sessions of the account. Their tokens are invalid at once.',
  body: Type.Object({ all: Type.Optional(Type.Boolean()) }),
  data: ENDED_DATA,
  example: { body: { all: true }, data: { ended_sessions: 3 } },
  handle: async ({ body }, { caller, cookies, logins, config, inForce }) => {
    if (caller === undefined) return fail('notLoggedIn');
    const ended = await logins.logout(caller, body.all === true ? 'all' : 'this');
    // Its playground key is refused on every node when the answer goes out.
    await inForce();
    const answer = data({ ended_sessions: ended });
    return cookies.has(SESSION_COOKIE) ? { ...answer, cookies: logoutCookies(config) } : answer;
  },
});

const password = operation({
  name: 'auth.password',
  id: 'changePassword',
  method: 'POST',
  surface: 'auth',
  path: '/password',
  access: 'user',
  tag: 'Login',
  title: 'Change my password',
  summary: 'Change the password. All other sessions of the account end.',
  body: Type.Object({ password: PASSWORD, new_password: NEW_PASSWORD }),
  data: ENDED_DATA,
  fails: ['tooManyRequests'],
  example: {
    body: { password: 'correct horse battery', new_password: 'staple of new horses' },
    data: { ended_sessions: 2 },
  },
  handle: async ({ body }, { caller, logins, inForce, address }) => {
    if (caller === undefined) return fail('notLoggedIn');
    const passwords = { old: body.password, new: body.new_password, address };
    const change = await logins.changePassword(caller, passwords);
    if (change.kind === 'changed') {
      await inForce();
      return data({ ended_sessions: change.ended });
    }
    // Not 1002: the login itself is valid, and a client would discard it.
    if (change.kind === 'wrong') return fail('badParameter', 'password: is not the current password');
    return fail('tooManyRequests', undefined, change.waitMs);
  },
});

const setup = operation({
  name: 'auth.setup',
  id: 'createFirstOperator',
  method: 'POST',
  surface: 'auth',
  path: '/setup',
  access: 'public',
  tag: 'Login',
  title: 'Create the first operator',
  summary: 'Create the first operator with the token that the server prints at its start.',
  body: Type.Object({ token: TOKEN, email: EMAIL, password: NEW_PASSWORD, cookie: COOKIE }),
  data: LOGIN_DATA,
  fails: ['notAllowed', 'conflict', 'tooManyRequests'],
  example: {
    body: { token: 'tgo1.example-of-a-setup-token', ...EXAMPLE_BODY },
    data: LOGIN_EXAMPLE,
  },
  handle: async ({ body }, context) => {
    const result = await context.logins.setUp(body.token, toLoginAttempt(body, context));
    if (result.kind === 'wrong') return fail('notAllowed', 'The setup token is wrong, used or expired');
    return toLoginAnswer(result, context);
  },
});

interface EntryBody {
  readonly email: string;
  readonly password: string;
  readonly cookie?: boolean;
  readonly language?: 'en' | 'zh';
}

function toLoginAttempt(body: EntryBody, { address, userAgent, cookies }: Context): LoginAttempt {
  return {
    email: body.email.toLowerCase(),
    password: body.password,
    address,
    userAgent,
    device: cookies.get(DEVICE_COOKIE),
    way: body.cookie === true ? 'cookie' : 'token',
    language: body.language,
  };
}

function toLoginAnswer(result: LoggedIn | LoginRefusal, { config }: Context): Answer {
  if (result.kind === 'token' || result.kind === 'cookie') return enteredAnswer(result, config);
  return toLoginFailure(result);
}

function toLoginFailure(refusal: LoginRefusal): Failure {
  switch (refusal.kind) {
    case 'wrong':
      return fail('notLoggedIn', 'The e-mail address or the password is wrong');
    case 'disabled':
      return fail('notAllowed', 'This account is disabled');
    case 'closed':
      return fail('notAllowed', 'Registration is closed');
    case 'email-taken':
      return fail('conflict', 'email: already has an account');
    case 'wait':
      return fail('tooManyRequests', undefined, refusal.waitMs);
  }
}

export const authOperations: readonly Operation[] = [
  ...[register, login, refresh, logout, password, setup],
  ...sessionOperations,
  ...accountMailOperations,
];
