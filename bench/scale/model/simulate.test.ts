import { expect, it } from 'vitest';
import type { Costs } from './costs.ts';
import { tripsOf } from './event-loop.ts';
import { type Installation, type Load, simulate } from './simulate.ts';

const COSTS: Costs = {
  node: { callMs: 0.4, turnMs: 0.06, tripMs: 0.04, eventMs: 0.02 },
  redis: { callMs: 0.2, tripMs: 0.05 },
  postgres: { callMs: 0.05, batchMs: 5 },
  harness: { vendorMs: 0.05, clientMs: 0.05 },
};
const APART: Installation = {
  nodes: 1,
  gate: 'server',
  shards: 1,
  postgresCores: 1,
  placement: 'apart',
  accounts: 1_000,
  credentials: 4,
  networkMs: 0,
};
const VENDOR = { medianMs: 50, spread: 0.5, failureShare: 0, retriesMax: 2, events: 0 };
const LOAD: Load = {
  ratePerSecond: 200,
  arrivals: 'random',
  vendor: VENDOR,
  warmMs: 1_000,
  measureMs: 5_000,
  seed: 11,
};

it('finds the same with the same seed, and something else with another', () => {
  const first = simulate(APART, LOAD, COSTS);
  expect(simulate(APART, LOAD, COSTS)).toEqual(first);
  expect(simulate(APART, { ...LOAD, seed: 12 }, COSTS)).not.toEqual(first);
});

it('spends what the costs say, and settles all calls', () => {
  const { callMs, tripsPerCall, servedPerSecond, unsettled, addedMs } = simulate(APART, LOAD, COSTS);
  expect(servedPerSecond / 200).toBeCloseTo(1, 1);
  expect(callMs.node).toBeCloseTo(0.4 + 0.1 * tripsPerCall, 1);
  expect(callMs.redis).toBeCloseTo(0.2 + 0.05 * tripsPerCall, 1);
  expect(unsettled).toBeLessThan(200);
  // Two trips and two thirds of the work of a call come before its answer.
  expect(addedMs.p50).toBeGreaterThan(0.6);
  expect(addedMs.p50).toBeLessThan(1.5);
});

it('makes fewer trips for a call the more calls there are, and no more than the operations need', () => {
  const trips = [50, 500, 1_200, 3_000].map(
    (ratePerSecond) => simulate(APART, { ...LOAD, ratePerSecond }, COSTS).tripsPerCall,
  );
  expect(trips).toEqual([...trips].sort((left, right) => right - left));
  expect(trips[0]).toBeLessThanOrEqual(4);
  // Five operations for a call, sixteen for a trip.
  expect(trips.at(-1)).toBeGreaterThan(0.31);
});

it('needs more trips on a cluster, where accounts do not share them', () => {
  const load = { ...LOAD, ratePerSecond: 1_000 };
  const cluster = simulate({ ...APART, gate: 'cluster', shards: 2 }, load, COSTS);
  expect(cluster.tripsPerCall).toBeGreaterThan(simulate(APART, load, COSTS).tripsPerCall);
});

it.each([
  ['node', { ...COSTS, node: { ...COSTS.node, callMs: 2 } }],
  ['redis', { ...COSTS, redis: { ...COSTS.redis, callMs: 2 } }],
  ['postgres', { ...COSTS, postgres: { callMs: 2, batchMs: 5 } }],
] as const)('finds that %s is saturated when it is what costs most', (part, costs) => {
  const outcomes = simulate(APART, { ...LOAD, ratePerSecond: 1_000, warmMs: 5_000 }, costs);
  expect(outcomes.busiest[part]).toBeGreaterThan(0.95);
  for (const other of ['node', 'redis', 'postgres'] as const) {
    if (other !== part) expect(outcomes.busiest[other]).toBeLessThan(0.95);
  }
  // What waits behind the gate is calls; what waits behind PostgreSQL is their settlement.
  if (part === 'postgres') expect(outcomes.unsettled).toBeGreaterThan(1_000);
  else expect(outcomes.servedPerSecond).toBeLessThan(800);
});

it('serves less on one core than on one for each part', () => {
  const load = { ...LOAD, ratePerSecond: 900, vendor: { ...VENDOR, medianMs: 0, spread: 0 } };
  const apart = simulate(APART, load, COSTS);
  const together = simulate({ ...APART, placement: 'one core' }, load, COSTS);
  expect(together.addedMs.p50).toBeGreaterThan(apart.addedMs.p50);
});

it('makes failed attempts again, and gives up after the last', () => {
  const often = { ...VENDOR, failureShare: 0.5 };
  const { failed, servedPerSecond } = simulate(APART, { ...LOAD, vendor: often }, COSTS);
  // Three attempts, half of which fail: one call in eight.
  expect(failed / (failed + servedPerSecond * 5)).toBeCloseTo(0.125, 1);
  expect(simulate(APART, LOAD, COSTS).failed).toBe(0);
});

it('passes the events of streams on, and adds little to their time', () => {
  const { callMs, addedMs } = simulate(APART, { ...LOAD, vendor: { ...VENDOR, events: 20 } }, COSTS);
  expect(callMs.node).toBeGreaterThan(0.4 + 20 * 0.02);
  expect(addedMs.p90).toBeLessThan(20);
});

it('joins the operations of a turn into trips: of all for one server, of each key for a cluster', () => {
  const operations = [1, 2, 1, 3].map((key) => ({ key, workMs: 0, done: () => {} }));
  const lengths = (kind: 'server' | 'cluster', shards: number): readonly number[] =>
    tripsOf(operations, { kind, shards: { length: shards } }).map((trip) => trip.operations.length);
  expect(lengths('server', 1)).toEqual([4]);
  expect(lengths('cluster', 2)).toEqual([2, 1, 1]);
  const many = Array.from({ length: 40 }, () => ({ key: 1, workMs: 0, done: () => {} }));
  expect(tripsOf(many, { kind: 'server', shards: { length: 1 } })).toHaveLength(3);
});
