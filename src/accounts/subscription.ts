import type { Account, Subscription } from './contract.ts';

/**
 * The subscription that counts for admission, limits and coverage: of those valid now, the one with the
 * highest plan. Of equal ones the older, so that what was bought first is used first.
 */
export function currentSubscription(
  account: Pick<Account, 'subscriptions'>,
  nowMs: number,
): Subscription | undefined {
  let current: Subscription | undefined;
  for (const one of account.subscriptions) {
    if (nowMs < one.startsAtMs || nowMs >= one.endsAtMs) continue;
    if (current === undefined || outranks(one, current)) current = one;
  }
  return current;
}

function outranks(one: Subscription, other: Subscription): boolean {
  return one.plan.level > other.plan.level || (one.plan.level === other.plan.level && one.id < other.id);
}
