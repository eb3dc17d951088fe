import { expect, test } from 'vitest';
import { sampleAccount, sampleCatalog, sampleKey, samplePlan } from '../../test/support/samples.ts';
import type { Dimension, Policy } from '../catalog/contract.ts';
import { chooseLimits } from './limits.ts';

const policy = (id: number, parts: Partial<Policy> = {}): Policy => ({
  id,
  name: `p${id}`,
  concurrency: undefined,
  windows: [],
  ...parts,
});
const window = (dimension: Dimension, seconds: number) => ({ dimension, seconds, limit: 5n });
const defaults = { ...sampleCatalog().defaults, policyId: 1 };
const catalog = sampleCatalog({
  defaults,
  policies: new Map(
    [
      policy(1),
      policy(2, { concurrency: 2, windows: [window('requests', 60), window('tokens', 60)] }),
      policy(3, { concurrency: 9, windows: [window('requests', 60), window('tokens', 3600)] }),
      policy(4, { windows: [window('images', 60)] }),
    ].map((one) => [one.id, one]),
  ),
});
const subscribed = (...policyIds: (number | undefined)[]) =>
  policyIds.map((policyId, index) => ({
    id: index + 1,
    plan: samplePlan({ level: index + 1, policyId }),
    startsAtMs: 0,
    endsAtMs: 10,
  }));
const key = sampleKey({ policyId: 2 });
const idsOf = (limits: ReturnType<typeof chooseLimits>) =>
  limits.map(({ scope, policy }) => `${scope} ${policy?.id}`);

test('the account’s policy is that of the subscription, else its own, else the default', () => {
  const account = sampleAccount({ subscriptions: subscribed(3), policyId: 4 });
  const plain = sampleKey();
  expect(idsOf(chooseLimits({ account, key: plain }, catalog, 5))).toEqual(['account:7 3']);
  expect(idsOf(chooseLimits({ account, key: plain }, catalog, 10))).toEqual(['account:7 4']);
  const ordinary = { account: sampleAccount(), key: plain };
  expect(idsOf(chooseLimits(ordinary, catalog, 5))).toEqual(['account:7 1']);
});

test('a key’s policy applies beside the account’s and counts per key, so that it can only tighten', () => {
  const account = sampleAccount({ policyId: 4 });
  expect(idsOf(chooseLimits({ account, key }, catalog, 5))).toEqual(['account:7 4', 'key:11 2']);
  expect(idsOf(chooseLimits({ account: sampleAccount(), key }, catalog, 5))).toEqual([
    'account:7 1',
    'key:11 2',
  ]);
});

test('a key’s policy does not repeat the limits of the subscription’s policy', () => {
  const account = sampleAccount({ subscriptions: subscribed(3) });
  const [, own] = chooseLimits({ account, key }, catalog, 5);
  expect(own).toMatchObject({
    scope: 'key:11',
    policy: { id: 2, concurrency: undefined, windows: [window('tokens', 60)] },
  });
  // The same object each time: gates remember by it what they made of a policy.
  expect(chooseLimits({ account, key }, catalog, 5)[1]?.policy).toBe(own?.policy);
});

test('the policy of the highest plan applies, and a plan without a policy adds none', () => {
  const both = sampleAccount({ subscriptions: subscribed(1, 3) });
  expect(idsOf(chooseLimits({ account: both, key: sampleKey() }, catalog, 5))).toEqual(['account:7 3']);
  const bare = sampleAccount({ subscriptions: subscribed(3, undefined) });
  expect(idsOf(chooseLimits({ account: bare, key }, catalog, 5))).toEqual(['account:7 1', 'key:11 2']);
});
