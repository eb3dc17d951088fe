import { findAlertSettings } from '../../store/alerts/alert-settings.ts';
import { type Failure, fail } from '../failure.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { EMAIL, LANGUAGE, NEW_PASSWORD, TOKEN } from './login-fields.ts';

const GROUP = { surface: 'auth', tag: 'Login', method: 'POST' } as const;
const EXAMPLE_TOKEN = 'tgm1.example-of-a-token-in-a-mail';

function noMail(): Failure {
  return fail('notAllowed', 'This server sends no e-mail. Ask its operator');
}

function wrongToken(): Failure {
  return fail('badParameter', 'token: the link is wrong, used or expired');
}

const askReset = operation({
  ...GROUP,
  name: 'auth.askReset',
  id: 'askForNewPassword',
  path: '/password-reset',
  access: 'public',
  title: 'Ask for a new password',
  summary: 'Mail a link for a new password. The answer is the same if there is no such account.',
  body: Type.Object({ email: EMAIL, language: Type.Optional(LANGUAGE) }),
  data: Type.Object({}),
  fails: ['notAllowed', 'tooManyRequests'],
  example: { body: { email: 'ada@example.com' }, data: {} },
  handle: async ({ body }, { accountMails, address }) => {
    if (accountMails === undefined) return noMail();
    const email = body.email.toLowerCase();
    const wait = await accountMails.askReset({ email, address, language: body.language });
    return wait === undefined ? data({}) : fail('tooManyRequests', undefined, wait.waitMs);
  },
});

const reset = operation({
  ...GROUP,
  name: 'auth.resetPassword',
  id: 'setNewPassword',
  path: '/password-reset/confirm',
  access: 'public',
  title: 'Set a new password',
  summary: 'Set a new password with the token of a mailed link, once. All sessions of the account end.',
  body: Type.Object({ token: TOKEN, password: NEW_PASSWORD }),
  data: Type.Object({ ended_sessions: Type.Integer({ minimum: 0 }) }),
  fails: ['notAllowed', 'tooManyRequests'],
  example: {
    body: { token: EXAMPLE_TOKEN, password: 'staple of new horses' },
    data: { ended_sessions: 2 },
  },
  handle: async ({ body }, { accountMails, address, inForce }) => {
    if (accountMails === undefined) return noMail();
    const done = await accountMails.resetPassword(body.token, body.password, address);
    if (done.kind === 'wrong') return wrongToken();
    if (done.kind === 'wait') return fail('tooManyRequests', undefined, done.waitMs);
    // Playground keys of the ended sessions are refused on every node when the answer goes out.
    await inForce();
    return data({ ended_sessions: done.ended });
  },
});

const VERIFIED = Type.Object({
  email_verified: Type.Boolean({ description: 'True: it was confirmed before, and no mail is sent.' }),
});

const askVerification = operation({
  ...GROUP,
  name: 'auth.askVerification',
  id: 'askToConfirmAddress',
  path: '/verify-address',
  access: 'user',
  title: 'Ask to confirm my address',
  summary: 'Mail a link that confirms the e-mail address of the account.',
  body: Type.Object({ language: Type.Optional(LANGUAGE) }),
  data: VERIFIED,
  fails: ['notAllowed', 'tooManyRequests'],
  example: { body: {}, data: { email_verified: false } },
  handle: async ({ body }, { accountMails, caller, address, database }) => {
    if (accountMails === undefined) return noMail();
    if (caller === undefined) return fail('notLoggedIn');
    const { accountId } = caller;
    const settings = await findAlertSettings(database, accountId);
    if (settings?.isVerified === true) return data({ email_verified: true });
    const wait = await accountMails.askVerification({ accountId, address, language: body.language });
    return wait === undefined
      ? data({ email_verified: false })
      : fail('tooManyRequests', undefined, wait.waitMs);
  },
});

const verify = operation({
  ...GROUP,
  name: 'auth.verifyAddress',
  id: 'confirmAddress',
  path: '/verify-address/confirm',
  access: 'public',
  title: 'Confirm an address',
  summary: 'Confirm an e-mail address with the token of a mailed link, once.',
  body: Type.Object({ token: TOKEN }),
  data: Type.Object({}),
  fails: ['notAllowed'],
  example: { body: { token: EXAMPLE_TOKEN }, data: {} },
  handle: async ({ body }, { accountMails }) => {
    if (accountMails === undefined) return noMail();
    return (await accountMails.confirmAddress(body.token)) ? data({}) : wrongToken();
  },
});

/** What accounts do by mail. Without a mail server all of it says to ask the operator. */
export const accountMailOperations: readonly Operation[] = [askReset, reset, askVerification, verify];
