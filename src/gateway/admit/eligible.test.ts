import { expect, test } from 'vitest';
import { sampleAccount, sampleCredential, sampleFunds, samplePlan } from '../../../test/support/samples.ts';
import type { Plan } from '../../catalog/contract.ts';
import { couldBill, findPaymentSources, notBillable } from './eligible.ts';

const MOMENT = { nowMs: 1_000, month: '2026-01' };
const WINDOWS = [{ seconds: 3_600, amountMicro: 5_000_000n }];
const empty = sampleFunds({ creditsMicro: 0n });

function subscribed(changes: Partial<Plan> = {}, endsAtMs = 2_000) {
  const plan = samplePlan({ coverageWindows: WINDOWS, ...changes });
  return { subscriptions: [{ id: 55, plan, startsAtMs: 0, endsAtMs }] };
}

test('API billing with Credits pays, within the account’s cap of the month', () => {
  const account = sampleAccount({ extraApiQuotaMicro: 7n });
  expect(findPaymentSources(account, 'gpt-5', MOMENT)).toEqual({
    coverage: undefined,
    wallet: { funds: account.funds, autoExchange: false, capMicro: 7n, month: '2026-01' },
  });
});

test('balance pays only when auto-exchange is on', () => {
  const funds = sampleFunds({ creditsMicro: 0n, balanceMicro: 1n });
  expect(
    findPaymentSources(sampleAccount({ funds, autoExchange: true }), 'gpt-5', MOMENT)?.wallet,
  ).toBeDefined();
  expect(findPaymentSources(sampleAccount({ funds }), 'gpt-5', MOMENT)).toBeUndefined();
});

test('a valid subscription covers what its plan says, in windows of its own, before any Credits', () => {
  const coverage = { scope: 'subscription:55', windows: WINDOWS };
  expect(findPaymentSources(sampleAccount(subscribed()), 'gpt-5', MOMENT)).toMatchObject({
    coverage,
    wallet: {},
  });
  const alone = sampleAccount({ ...subscribed({ coversModels: ['gpt-5'] }), apiBilling: false });
  expect(findPaymentSources(alone, 'gpt-5', MOMENT)).toEqual({ coverage, wallet: undefined });
});

test.each([
  ['is over', subscribed({}, 1_000)],
  ['does not cover the model', subscribed({ coversModels: ['other'] })],
  ['has no windows to cover anything by', subscribed({ coverageWindows: [] })],
])('a subscription that %s pays nothing', (_name, subscription) => {
  expect(findPaymentSources(sampleAccount(subscription), 'gpt-5', MOMENT)).toMatchObject({
    coverage: undefined,
  });
  expect(
    findPaymentSources(sampleAccount({ ...subscription, apiBilling: false }), 'gpt-5', MOMENT),
  ).toBeUndefined();
});

test.each([
  ['the switch is off', sampleAccount({ apiBilling: false })],
  ['there are no Credits', sampleAccount({ funds: empty })],
])('no payer is found when %s', (_name, account) => {
  expect(findPaymentSources(account, 'gpt-5', MOMENT)).toBeUndefined();
});

test('40202 points an unverified account to verification, and no other', () => {
  const guidance = expect.stringContaining('Verify your account to receive free quota.');
  expect(notBillable(sampleAccount())).toMatchObject({
    error: { code: 40202, status: 403 },
    message: guidance,
  });
  expect(notBillable(sampleAccount({ userType: 1 }))).not.toMatchObject({ message: guidance });
});

test('every payer that could pay for some model is eligible before the model is known', () => {
  const own = sampleCredential({ ownerAccountId: 1 });
  const nobody = { funds: empty };
  expect(couldBill(sampleAccount(), MOMENT)).toBe(true);
  expect(couldBill(sampleAccount(nobody), MOMENT)).toBe(false);
  expect(couldBill(sampleAccount({ apiBilling: false }), MOMENT)).toBe(false);
  expect(couldBill(sampleAccount({ ...nobody, ...subscribed({ coversModels: ['other'] }) }), MOMENT)).toBe(
    true,
  );
  expect(couldBill(sampleAccount({ ...nobody, ...subscribed({}, 1_000) }), MOMENT)).toBe(false);
  expect(couldBill(sampleAccount({ ...nobody, byok: [own] }), MOMENT)).toBe(true);
  expect(couldBill(sampleAccount({ ...nobody, byok: [{ ...own, status: 'disabled' }] }), MOMENT)).toBe(false);
});
