import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/accounts/token.ts';
import { RESET_ANSWER_MS } from '../../../src/operations/bounds.ts';
import {
  type ArrivedMail,
  type MailServer,
  readMail,
  startMailServer,
} from '../../support/servers/mail-server.ts';
import { startWorld, type World } from '../../support/world.ts';

const AUTH = '/api/v1/user/auth';
const PUBLIC = 'http://127.0.0.1:8080';
const EMAIL = 'user@example.com';
let world: World;
let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
  world = await startWorld({
    environment: {
      TOLLGATE_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      TOLLGATE_SMTP_TLS: 'optional',
      TOLLGATE_MAIL_FROM: 'Tollgate <alerts@example.com>',
      TOLLGATE_PUBLIC_URL: PUBLIC,
      TOLLGATE_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
});
afterAll(async () => {
  await world?.close();
  await mail.close();
});
beforeEach(async () => {
  mail.mails.length = 0;
  await world.database.query('delete from login_failures');
});

const ask = (path: string, body: object, options: { token?: string; from?: string } = {}) =>
  world.api('POST', `${AUTH}${path}`, {
    body,
    ...(options.token !== undefined && { token: options.token }),
    headers: { 'x-forwarded-for': options.from ?? '198.51.100.7' },
  });
const askReset = (email: string, language?: string) =>
  ask('/password-reset', { email, ...(language !== undefined && { language }) });

async function nextMail(): Promise<ArrivedMail> {
  await expect.poll(() => mail.mails.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const arrived = mail.mails.shift();
  if (arrived === undefined) throw new Error('a mail has arrived');
  return arrived;
}

/** Takes the mail with these words from those that have arrived. */
async function mailWith(words: string): Promise<void> {
  const place = () => mail.mails.findIndex((arrived) => readMail(arrived).includes(words));
  await expect.poll(place, { timeout: 20_000 }).toBeGreaterThanOrEqual(0);
  mail.mails.splice(place(), 1);
}

function tokenOf(arrived: ArrivedMail, page: string): string {
  const [, token] = new RegExp(`${PUBLIC}/${page}#(tgm1\\.[A-Za-z0-9_-]{43})`).exec(readMail(arrived)) ?? [];
  if (token === undefined) throw new Error('the mail has a link');
  return token;
}

const verify = (email: string) =>
  world.database.query(
    `insert into verified_addresses (account_id, email) select id, email from accounts where email = $1
     on conflict do nothing`,
    [email],
  );

describe('a forgotten password', () => {
  test('is replaced by a mailed link, once, and ends every session', async () => {
    const session = await world.login(EMAIL);
    expect((await askReset('User@Example.com', 'zh')).body).toMatchObject({ code: 0, data: {} });
    const arrived = await nextMail();
    expect(arrived.to).toEqual([EMAIL]);
    expect(readMail(arrived)).toContain('设置新密码');
    const token = tokenOf(arrived, 'reset-password');
    const stored = await world.database.query<{ token_hash: string }>(
      'select token_hash from account_tokens',
    );
    expect(stored).toEqual([{ token_hash: hashSecret(token) }]);
    const [kept] = await world.database.query<{ text: string }>(
      "select string_agg(alert_outbox::text, ' ') as text from alert_outbox",
    );
    expect(kept?.text).not.toContain(token.slice(5));
    const password = 'a brand new password';
    const wrong = await ask('/password-reset/confirm', { token: `${token.slice(0, -1)}_`, password });
    expect(wrong.body).toMatchObject({ code: 1001, message: 'token: the link is wrong, used or expired' });
    const done = await ask('/password-reset/confirm', { token, password });
    expect(done.body.data.ended_sessions).toBeGreaterThan(0);
    expect((await world.api('GET', '/profile', { token: session })).body.code).toBe(1002);
    expect((await ask('/password-reset/confirm', { token, password })).body.code).toBe(1001);
    expect((await ask('/login', { email: EMAIL, password: 'a test password' })).body.code).toBe(1002);
    expect((await ask('/login', { email: EMAIL, password })).body.code).toBe(0);
    // Whoever opened the link reads the mailbox, so it is told there, and so is the login from elsewhere.
    await mailWith('Your password was changed');
    await mailWith('Sign-in from a new place');
    await world.api('POST', `${AUTH}/password`, {
      token: await world.login(EMAIL, password),
      body: { password, new_password: 'a test password' },
    });
    await mailWith('Your password was changed');
    expect(mail.mails).toEqual([]);
  });

  test('is answered alike and in the same time for an account and for nobody', async () => {
    const timesMs: Record<string, number> = {};
    const answers: unknown[] = [];
    for (const email of [EMAIL, 'nobody@example.com']) {
      const startedMs = performance.now();
      const { status, body } = await askReset(email);
      timesMs[email] = performance.now() - startedMs;
      answers.push({ status, body });
    }
    expect(answers[0]).toEqual(answers[1]);
    for (const ms of Object.values(timesMs)) expect(ms).toBeGreaterThanOrEqual(RESET_ANSWER_MS - 5);
    expect((await nextMail()).to).toEqual([EMAIL]);
    expect(mail.mails).toEqual([]);
  });

  test('cannot be asked for often, known or not, and a new link voids the one before', async () => {
    const codesOf = async (email: string) => {
      const codes: number[] = [];
      for (let count = 0; count < 5; count++) codes.push((await askReset(email)).body.code);
      return codes;
    };
    const [known, unknown] = [await codesOf(EMAIL), await codesOf('nobody@example.com')];
    expect(known).toEqual(unknown);
    expect(known.slice(0, 3)).toEqual([0, 0, 0]);
    expect(known.at(-1)).toBe(1006);
    await expect.poll(() => mail.mails.length, { timeout: 20_000 }).toBe(3);
    const tokens = mail.mails.map((arrived) => tokenOf(arrived, 'reset-password'));
    const live = await world.database.query<{ token_hash: string }>('select token_hash from account_tokens');
    expect(live).toHaveLength(1);
    expect(tokens.map(hashSecret)).toContain(live[0]?.token_hash);
  });

  test('has a link that expires, and none for a disabled account', async () => {
    await askReset(EMAIL);
    const token = tokenOf(await nextMail(), 'reset-password');
    await world.database.query("update account_tokens set expires_at = now() - interval '1 second'");
    const late = await ask('/password-reset/confirm', { token, password: 'a password too late' });
    expect(late.body.code).toBe(1001);
    await world.database.query("update accounts set status = 'disabled' where email = 'empty@example.com'");
    expect((await askReset('empty@example.com')).body.code).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(mail.mails).toEqual([]);
  });
});

test('a new account is asked to confirm its address, in its language, and the link works once', async () => {
  const email = 'fresh@example.com';
  const made = await ask('/register', { email, password: 'a fresh password', language: 'zh' });
  const token = made.body.data.access_token;
  const state = async () => (await world.api('GET', '/alert/settings', { token })).body.data.email_verified;
  expect(await state()).toBe(false);
  const arrived = await nextMail();
  expect(readMail(arrived)).toContain('确认您的邮箱');
  const link = tokenOf(arrived, 'verify-address');
  expect((await ask('/password-reset/confirm', { token: link, password: 'not for this' })).body.code).toBe(
    1001,
  );
  expect((await ask('/verify-address/confirm', { token: link })).body.code).toBe(0);
  expect(await state()).toBe(true);
  expect((await ask('/verify-address/confirm', { token: link })).body.code).toBe(1001);
  expect((await ask('/verify-address', {}, { token })).body.data).toEqual({ email_verified: true });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(mail.mails).toEqual([]);
});

test('a sign-in from a new place is told to a confirmed address, and one from a known place is not', async () => {
  const email = 'poor@example.com';
  const login = (from: string) =>
    world.api('POST', `${AUTH}/login`, {
      body: { email, password: 'a test password' },
      headers: { 'x-forwarded-for': from, 'user-agent': 'Browser\t<b>x</b>' },
    });
  await login('203.0.113.1');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(mail.mails, 'the address is not confirmed').toEqual([]);
  await verify(email);
  await login('203.0.113.1');
  await login('203.0.113.2');
  const arrived = await nextMail();
  expect(arrived.to).toEqual([email]);
  const text = readMail(arrived);
  expect(text).toContain('203.0.113.2');
  expect(text).toContain('&lt;b&gt;x&lt;/b&gt;');
  expect(mail.mails).toEqual([]);
});

test('the public settings say that mail is sent', async () => {
  expect((await world.api('GET', '/settings')).body.data.can_mail).toBe(true);
});
