import type { CatalogSnapshot, Policy, PolicyWindow } from '../catalog/contract.ts';
import type { ScopedPolicy } from '../gate/contract.ts';
import type { Caller } from './contract.ts';
import { currentSubscription } from './subscription.ts';

interface Whose {
  readonly account: Pick<Caller['account'], 'id' | 'policyId' | 'subscriptions'>;
  readonly key: Pick<Caller['key'], 'id' | 'policyId'>;
}

/**
 * Rule L-10: the account's policy always applies and counts per account. It is the policy of the
 * subscription, else the one an operator set for the account, else the default. The key's policy applies as
 * well and counts per key.
 */
export function chooseLimits(
  { account, key }: Whose,
  catalog: CatalogSnapshot,
  nowMs: number,
): readonly ScopedPolicy[] {
  const find = (id: number | undefined): Policy | undefined =>
    id === undefined ? undefined : catalog.policies.get(id);
  const subscribed = find(currentSubscription(account, nowMs)?.plan.policyId);
  const policy = subscribed ?? find(account.policyId) ?? find(catalog.defaults.policyId);
  const limits = [{ scope: `account:${account.id}`, policy }];
  const own = find(key.policyId);
  if (own === undefined) return limits;
  limits.push({ scope: `key:${key.id}`, policy: subscribed === undefined ? own : beside(subscribed, own) });
  return limits;
}

const remainders = new WeakMap<Policy, WeakMap<Policy, Policy>>();

/** The subscription's policy comes first. A limit that it sets is not applied again by the key's policy. */
function beside(subscribed: Policy, own: Policy): Policy {
  const known = remainders.get(subscribed) ?? new WeakMap<Policy, Policy>();
  remainders.set(subscribed, known);
  let rest = known.get(own);
  if (rest === undefined) {
    const isLimited = (window: PolicyWindow): boolean =>
      subscribed.windows.some(
        ({ dimension, seconds }) => dimension === window.dimension && seconds === window.seconds,
      );
    rest = {
      ...own,
      concurrency: subscribed.concurrency === undefined ? own.concurrency : undefined,
      windows: own.windows.filter((window) => !isLimited(window)),
    };
    known.set(own, rest);
  }
  return rest;
}
