import { expect, test } from 'vitest';
import { sampleAccount, sampleFunds } from '../../test/support/samples.ts';
import { isRefusal } from '../kernel/errors.ts';
import { choosePayer } from './eligible.ts';

const empty = sampleFunds({ creditsMicro: 0n });

test('API billing with Credits pays', () => {
  expect(choosePayer(sampleAccount())).toBe('credits');
});

test('balance pays only when auto-exchange is on', () => {
  const funds = sampleFunds({ creditsMicro: 0n, balanceMicro: 1n });
  expect(choosePayer(sampleAccount({ funds, autoExchange: true }))).toBe('credits');
  expect(isRefusal(choosePayer(sampleAccount({ funds })))).toBe(true);
});

test.each([
  ['the switch is off', sampleAccount({ apiBilling: false, userType: 1 })],
  ['there are no Credits', sampleAccount({ funds: empty, userType: 1 })],
])('40202 with HTTP 403 when %s', (_name, account) => {
  const refusal = choosePayer(account);
  expect(refusal).toMatchObject({ error: { code: 40202, status: 403 } });
  expect(refusal).not.toMatchObject({ message: expect.stringContaining('Verify') });
});

test('an account that is not verified is guided to verification', () => {
  expect(choosePayer(sampleAccount({ funds: empty }))).toMatchObject({
    message: expect.stringContaining('Verify your account to receive free quota.'),
  });
});
