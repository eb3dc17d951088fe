import { expect, test } from 'vitest';
import { sampleAccount, sampleCatalog, sampleKey, samplePlan } from '../../test/support/samples.ts';
import type { Policy } from '../catalog/contract.ts';
import { chooseLimits, moneyRequest, refusalOf } from './enter.ts';

const policy = (id: number): Policy => ({ id, name: `p${id}`, concurrency: 1, windows: [] });
const defaults = { ...sampleCatalog().defaults, policyId: 1 };
const catalog = sampleCatalog({
  defaults,
  policies: new Map([1, 2, 3].map((id) => [id, policy(id)])),
});

test('the subscription’s policy, else the key’s, else the account default; counted where decided', () => {
  const subscription = { id: 1, plan: samplePlan({ policyId: 3 }), startsAtMs: 0, endsAtMs: 10 };
  const account = sampleAccount({ subscriptions: [subscription] });
  const key = sampleKey({ policyId: 2 });
  expect(chooseLimits({ account, key }, catalog, 5)).toMatchObject({ scope: 'account:7', policy: { id: 3 } });
  expect(chooseLimits({ account, key }, catalog, 10)).toMatchObject({ scope: 'key:11', policy: { id: 2 } });
  const plain = { account: sampleAccount(), key: sampleKey() };
  expect(chooseLimits(plain, catalog, 5)).toMatchObject({ scope: 'account:7', policy: { id: 1 } });
});

test('the most a call may cost is held, at least its input and one Credit more', () => {
  const means = { coverage: { scope: 'subscription:3', windows: [] }, purse: undefined };
  const quote = { mostMicro: 1_000_000n, inputMicro: 1_000n };
  expect(moneyRequest(quote, means, 1000)).toEqual({
    wantMicro: 1_000_000_000n,
    leastMicro: 2_000_000n,
    creditsPerYuan: 1000,
    ...means,
  });
  const cheap = { mostMicro: 10n, inputMicro: 5n };
  expect(moneyRequest(cheap, means, 1000)).toMatchObject({ leastMicro: 10_000n });
});

test.each([
  ['concurrency', 42901],
  ['requests', 42902],
  ['images', 42902],
  ['videos', 42902],
  ['amount', 42902],
  ['coverage', 42902],
  ['tokens', 42903],
] as const)('a refusal by %s is %i with Retry-After and the real dimension', (reason, code) => {
  const refused = {
    kind: 'gate-refused',
    reason,
    limit: 5n,
    used: 5n,
    seconds: 60,
    retryAfterMs: 1_001,
  } as const;
  expect(refusalOf(refused)).toMatchObject({
    error: { code, status: 429 },
    retryAfterSeconds: 2,
    limit: `${reason}; limit=5; used=5; window=60; reset=2`,
  });
});

test('a gate that cannot be reached is 50301 with its wait', () => {
  expect(refusalOf({ kind: 'gate-away', retryAfterMs: 2_500 })).toMatchObject({
    error: { code: 50301, status: 503 },
    retryAfterSeconds: 3,
  });
});

test('the policy of the highest plan counts, and without one the key’s does', () => {
  const of = (id: number, level: number, policyId: number | undefined) => {
    return { id, plan: samplePlan({ level, policyId }), startsAtMs: 0, endsAtMs: 10 };
  };
  const key = sampleKey({ policyId: 2 });
  const both = sampleAccount({ subscriptions: [of(1, 1, 1), of(2, 2, 3)] });
  expect(chooseLimits({ account: both, key }, catalog, 5)).toMatchObject({ policy: { id: 3 } });
  const bare = sampleAccount({ subscriptions: [of(1, 1, 1), of(2, 2, undefined)] });
  expect(chooseLimits({ account: bare, key }, catalog, 5)).toMatchObject({ scope: 'key:11' });
});

test('42902 keeps its fixed text', () => {
  const refused = {
    kind: 'gate-refused',
    reason: 'images',
    limit: 5n,
    used: 5n,
    seconds: 60,
    retryAfterMs: 1,
  } as const;
  expect(refusalOf(refused).message).toBe(
    'Rate limit exceeded: too many requests per minute (rpm), please retry later',
  );
});

test.each([
  ['credits', 40201],
  ['cap', 40204],
] as const)('a refusal by %s is %i', (reason, code) => {
  const refused = { kind: 'gate-refused', reason, limit: 5n, used: 5n, seconds: 0, retryAfterMs: 0 } as const;
  expect(refusalOf(refused)).toMatchObject({ error: { code, status: 403 } });
});
