import { afterEach, beforeEach, expect, test } from 'vitest';
import { alertSealer, deliverer, SENT } from '../../test/support/alerts.ts';
import { newMember } from '../../test/support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { silentLogger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { RESET_TOKEN_MS, VERIFY_TOKEN_MS } from '../operations/bounds.ts';
import { createMailStore } from '../store/accounts/account-mails.ts';
import { createFailureStore } from '../store/accounts/login-failures.ts';
import { createAccountMails } from './account-mails.ts';
import type { AccountMails } from './login-contract.ts';
import { newTokens } from './token.ts';

const ADDRESS = '192.0.2.7';
let fresh: FreshDatabase;
let clock: ManualClock;
let mails: AccountMails;
let accountId: number;

beforeEach(async () => {
  fresh = await freshDatabase();
  clock = new ManualClock(Date.now());
  accountId = await newMember(fresh.database, 'ada@example.com');
  const store = {
    ...createMailStore(fresh.database, alertSealer),
    countAttempt: createFailureStore(fresh.database).countAttempt,
  };
  const tokens = newTokens('the root secret of tests of mails');
  const showTime = (timeMs: number): string => new Date(timeMs).toISOString();
  mails = createAccountMails({ store, tokens, clock, random: systemRandom, log: silentLogger, showTime });
});
afterEach(() => fresh.drop());

/** The token of the mail that waits. */
async function readToken(): Promise<string> {
  const node = deliverer(fresh.database, () => SENT);
  await expect
    .poll(async () => {
      await node.run();
      return node.sent.length;
    })
    .toBe(1);
  const [mail] = node.sent;
  return /#(tgm1\.\S+)/.exec(mail !== undefined && 'text' in mail ? mail.text : '')?.[1] ?? '';
}

test('a link for a password works until it expires, and not for an address', async () => {
  expect(
    await mails.askReset({ email: 'ada@example.com', address: ADDRESS, language: undefined }),
  ).toBeUndefined();
  const token = await readToken();
  expect(await mails.confirmAddress(token)).toBe(false);
  clock.advance(RESET_TOKEN_MS);
  expect(await mails.resetPassword(token, 'a new password', ADDRESS)).toEqual({ kind: 'wrong' });
  clock.advance(-1);
  expect(await mails.resetPassword(token, 'a new password', ADDRESS)).toEqual({ kind: 'reset', ended: 0 });
  expect(await mails.resetPassword(token, 'a new password', ADDRESS)).toEqual({ kind: 'wrong' });
});

test('two who use one link at once are one', async () => {
  await mails.askReset({ email: 'ada@example.com', address: ADDRESS, language: undefined });
  const token = await readToken();
  const both = await Promise.all(
    ['one password', 'two password'].map((each) => mails.resetPassword(token, each, ADDRESS)),
  );
  expect(both.map(({ kind }) => kind).sort()).toEqual(['reset', 'wrong']);
});

test('a link for an address works for a day, and many requests must wait', async () => {
  const ask = () => mails.askVerification({ accountId, address: ADDRESS, language: 'zh' });
  expect(await ask()).toBeUndefined();
  const token = await readToken();
  clock.advance(VERIFY_TOKEN_MS - 1);
  expect(await mails.confirmAddress(token)).toBe(true);
  expect(await mails.confirmAddress(token)).toBe(false);
  const waits = [];
  for (let count = 0; count < 4; count++) waits.push(await ask());
  expect(waits.at(-1)).toMatchObject({ kind: 'wait', waitMs: expect.any(Number) });
});
