import { expect, test } from 'vitest';
import { sampleAccount, samplePlan } from '../../test/support/samples.ts';
import { currentSubscription } from './subscription.ts';

const NOW = 1_000;
const of = (id: number, level: number, span: readonly [number, number]) => ({
  id,
  plan: samplePlan({ level }),
  startsAtMs: span[0],
  endsAtMs: span[1],
});

test('the highest of several subscriptions that are valid now counts', () => {
  const subscriptions = [
    of(1, 3, [0, NOW]),
    of(2, 3, [NOW + 1, 9_000]),
    of(3, 1, [0, 9_000]),
    of(4, 2, [NOW, 9_000]),
  ];
  expect(currentSubscription(sampleAccount({ subscriptions }), NOW)?.id).toBe(4);
});

test('among equal plans the one that was bought first counts, in any order of the list', () => {
  const [first, second] = [of(1, 2, [0, 9_000]), of(2, 2, [0, 9_000])];
  expect(currentSubscription(sampleAccount({ subscriptions: [second, first] }), NOW)?.id).toBe(1);
  expect(currentSubscription(sampleAccount({ subscriptions: [first, second] }), NOW)?.id).toBe(1);
});

test('no subscription counts when none is valid', () => {
  expect(currentSubscription(sampleAccount(), NOW)).toBeUndefined();
});
