import { expect, it } from 'vitest';
import { exampleCosts } from '../../test/support/bench-results.ts';
import { checkCluster, checkModel, digits, renderCheck } from './check.ts';
import { fitCluster, fitServer, lineThrough } from './fit.ts';
import { bytesText } from './quantities.ts';
import { capacityOf, ceilingsOf, firstSaturated, sizeFor } from './sizing.ts';

it('takes two windows apart into what a call costs and what a trip costs', () => {
  expect(lineThrough([3, 1.6], [1, 0.8])).toEqual({
    slope: expect.closeTo(0.4),
    atZero: expect.closeTo(0.4),
  });
  // Noise may say that the busier window costs more, or that nothing is left for the call.
  expect(lineThrough([3, 0.5], [1, 0.8])).toEqual({ slope: 0, atZero: 0.8 });
  expect(lineThrough([3, 9], [1, 0.6])).toEqual({ slope: 0.6, atZero: 0 });
});

it('finds the costs that the windows were made of', () => {
  const { node, redis, postgres } = fitServer(exampleCosts());
  expect(node.callMs).toBeCloseTo(0.2);
  expect(node.turnMs).toBeCloseTo(0.2);
  expect(node.tripMs).toBeCloseTo(0.1);
  expect(node.eventMs).toBeCloseTo(0.02);
  expect(redis.callMs).toBeCloseTo(0.15);
  expect(redis.tripMs).toBeCloseTo(0.1);
  expect(postgres.callMs).toBeCloseTo(0.05);
  expect(postgres.batchMs).toBeCloseTo(6);
});

it('takes what a trip costs Redis on a cluster from the cluster', () => {
  const { redis } = fitCluster(exampleCosts());
  expect(redis.callMs).toBeCloseTo(0.15);
  expect(redis.tripMs).toBeCloseTo(0.05);
});

it('puts what it predicts beside what was measured, window by window', () => {
  const checked = checkModel(exampleCosts(), 1);
  expect(checked.map(({ window }) => window.ratePerSecond)).toEqual([300, 1200]);
  expect(checkCluster(exampleCosts(), 1)).toHaveLength(1);
  const text = renderCheck(checked);
  expect(text.match(/taken from here/g)).toHaveLength(3);
  expect(text).toContain('p90, ms');
  expect([0, 0.00123, 1.234, 12.34, 1234].map(digits)).toEqual(['0', '0.0012', '1.23', '12.3', '1234']);
});

it('plans no part busier than it may be, and a node more than needed', () => {
  const costs = fitCluster(exampleCosts());
  const capacity = capacityOf(costs);
  expect(capacity.outcomes.busiest.node).toBeLessThanOrEqual(0.6);
  expect(firstSaturated(capacity.outcomes)).toBeUndefined();
  const { nodes, shards } = sizeFor(10_000, capacity);
  expect((nodes - 1) * capacity.ratePerSecond).toBeGreaterThanOrEqual(10_000);
  expect((10_000 * capacity.outcomes.callMs.redis) / 1000 / shards).toBeLessThanOrEqual(0.6);
  const { accountPerSecond, credentialPerSecond } = ceilingsOf(costs);
  expect(credentialPerSecond).toBeGreaterThan(accountPerSecond);
});

it('writes bytes so that a person can read them', () => {
  expect([0, 999, 1500, 2.5e9, 1.7e12].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1.5 KB',
    '2.5 GB',
    '1.7 TB',
  ]);
});
