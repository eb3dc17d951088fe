import { expect, test } from 'vitest';
import { sampleAccount, sampleModel, samplePlan } from '../../test/support/samples.ts';
import type { Restriction } from '../catalog/contract.ts';
import { admit } from './admit.ts';

const NOW = 1_000;

function plan(level: number, endsAtMs = NOW + 1) {
  return { id: 1, plan: samplePlan({ level }), startsAtMs: 0, endsAtMs };
}

function messageFor(restriction: Restriction, account = sampleAccount()): string | undefined {
  return admit(sampleModel({ restriction }), account, NOW)?.message;
}

test('the restriction kind none admits every account', () => {
  expect(messageFor({ kind: 'none', level: 3 })).toBeUndefined();
});

test.each([
  [0, 1, 'personal verification required to use model gpt-5'],
  [0, 2, 'enterprise verification required to use model gpt-5'],
  [1, 2, 'enterprise verification required to use model gpt-5'],
  [1, 1, undefined],
  [2, 1, undefined],
])('user type %i is compared with verification level %i', (userType, level, message) => {
  expect(messageFor({ kind: 'verification', level }, sampleAccount({ userType }))).toBe(message);
});

test.each([
  [0, 1, 'subscription to PLUS required to use model gpt-5'],
  [1, 2, 'subscription to PRO required to use model gpt-5'],
  [2, 3, 'subscription to PROMAX required to use model gpt-5'],
  [3, 2, undefined],
])('plan level %i is compared with plan level %i', (level, required, message) => {
  const account = sampleAccount({ subscriptions: level === 0 ? [] : [plan(level)] });
  expect(messageFor({ kind: 'plan', level: required }, account)).toBe(message);
});

test('a required level of 0 or below admits everybody', () => {
  expect(messageFor({ kind: 'verification', level: 0 })).toBeUndefined();
  expect(messageFor({ kind: 'plan', level: -1 })).toBeUndefined();
});

test('a rejection is 40203 with HTTP 403', () => {
  const refusal = admit(sampleModel({ restriction: { kind: 'plan', level: 1 } }), sampleAccount(), NOW);
  expect(refusal?.error).toMatchObject({ code: 40203, status: 403 });
});
