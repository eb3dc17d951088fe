import { expect, test } from 'vitest';
import { composeMail, composeWebhook, needsToken } from './compose.ts';
import { ACCOUNT_MAILS, OPERATOR_ALERTS, USER_ALERTS } from './contract.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const URL_OF = 'https://tollgate.example.com';
const KINDS = [...OPERATOR_ALERTS, ...USER_ALERTS, ...ACCOUNT_MAILS];

test('every kind has its words in both languages, and operators are told when it is over', () => {
  for (const texts of [en, zh]) {
    expect(Object.keys(texts.kinds).sort()).toEqual([...KINDS].sort());
    for (const kind of OPERATOR_ALERTS) expect(texts.kinds[kind]?.cleared, kind).toBeTypeOf('function');
  }
});

test.each(['en', 'zh'] as const)(
  'no value of a message breaks out of its line or of HTML (%s)',
  (language) => {
    const evil = 'a\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>" onx=\'&\u2028\u202e\u0000';
    const names = [
      'vendor',
      'model',
      'route',
      'nodes',
      'credential',
      'node',
      'calls',
      'free',
      'findings',
      'first',
    ];
    const more = ['credits', 'threshold', 'spent', 'cap', 'name', 'expires_at', 'limit', 'scope', 'value'];
    const rest = ['email', 'at', 'address', 'user_agent'];
    const details = Object.fromEntries([...names, ...more, ...rest].map((name) => [name, evil]));
    for (const kind of [...KINDS, 'of-a-newer-version']) {
      for (const state of ['raised', 'cleared'] as const) {
        const mail = composeMail({ kind, state, details, token: 'tgm1.token' }, language, URL_OF);
        expect(mail.subject, kind).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
        expect(mail.subject.length).toBeGreaterThan(3);
        expect(mail.html, kind).not.toContain('<script');
        expect(mail.html, kind).not.toMatch(/undefined/);
        expect(mail.text, kind).not.toContain('\nBcc:');
      }
    }
  },
);

test('a link carries its token behind the #, and only mails that need one have it', () => {
  const mail = (kind: string) =>
    composeMail(
      { kind, state: 'mail', details: { email: 'ada@example.com' }, token: 'tgm1.abc' },
      'en',
      URL_OF,
    );
  expect(mail('reset-password').text).toContain(`${URL_OF}/reset-password#tgm1.abc`);
  expect(mail('reset-password').html).toContain(`href="${URL_OF}/reset-password#tgm1.abc"`);
  expect(mail('verify-address').text).toContain(`${URL_OF}/verify-address#tgm1.abc`);
  expect(mail('new-sign-in').text).not.toContain('tgm1');
  expect(mail('new-sign-in').text).toContain(`${URL_OF}/settings#sessions`);
  expect(mail('password-changed').html).toContain(`href="${URL_OF}/forgot-password"`);
  expect(mail('of-a-newer-version').html).toContain(`href="${URL_OF}"`);
  expect(KINDS.filter((kind) => needsToken({ kind }))).toEqual(['verify-address', 'reset-password']);
});

test('a webhook has type, time and data, in the language of its channel', () => {
  const details = { name: 'ci', expires_at: '2026-11-20 00:00:00' };
  const message = {
    kind: 'key-expiring',
    state: 'raised',
    key: 'key-expiring:3',
    details,
    token: undefined,
  } as const;
  const body = JSON.parse(composeWebhook({ ...message, createdAtMs: 1_763_000_000_000 }, 'zh', URL_OF));
  expect(body).toMatchObject({ type: 'key-expiring.raised', timestamp: '2025-11-13T02:13:20.000Z' });
  expect(body.data).toMatchObject({
    key: 'key-expiring:3',
    title: '密钥 ci 即将过期',
    details,
    server: URL_OF,
  });
  const test = composeWebhook({ ...message, state: 'test', createdAtMs: 0 }, 'en', undefined);
  expect(JSON.parse(test)).toMatchObject({
    type: 'test',
    data: { title: 'Test of a channel', server: null },
  });
});
