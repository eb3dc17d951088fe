import { afterAll, beforeAll, expect, it } from 'vitest';
import { examine } from '../../../src/store/operations/doctor.ts';
import type { World } from '../../support/world.ts';
import { anthropicOf, costOf, creditsOf, endAll, rowOf, startBatchesWorld } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startBatchesWorld();
});
afterAll(async () => {
  expect(await examine(world.database)).toEqual([]);
  await world.close();
});

function create(key: string, words: string, maxTokens: number) {
  const content = `Say it. [[sim steps=100 ${words}]]`;
  const params = { model: 'sonnet', max_tokens: maxTokens, messages: [{ role: 'user' as const, content }] };
  const requests = [1, 2].map((at) => ({ custom_id: `item-${at}`, params }));
  return anthropicOf(world.url, key).messages.batches.create({ requests }).withResponse();
}

it('a batch counts as one request, and with the tokens that it may use at most', async () => {
  const key = await world.newKey('user@example.com', { policyId: 2 });
  const { data } = await create(key, 'tokens=5', 2_000);
  await expect(create(key, 'tokens=5', 2_000)).rejects.toMatchObject({ status: 429 });
  world.simulator.batches.end(data.id);
  await endAll(world);
  // What it did not use is not given back.
  await expect(create(key, 'tokens=5', 2_000)).rejects.toMatchObject({ status: 429 });
  const requests = await world.newKey('user@example.com', { policyId: 3 });
  await create(requests, 'tokens=5', 9);
  await expect(create(requests, 'tokens=5', 9)).rejects.toMatchObject({ status: 429 });
});

it('a batch that used more than was held is charged for it', async () => {
  await endAll(world);
  const before = await creditsOf(world, 'user@example.com');
  const { data, response } = await create(world.key, 'tokens=900 unbounded', 10);
  await endAll(world);
  const used = world.simulator.batches.used(data.id);
  const row = await rowOf(world, response.headers.get('x-request-id'));
  expect(used.output).toBe(1_800);
  expect(row?.charge_micro).toBe(costOf(used));
  expect(row?.charge_micro).toBeGreaterThan(BigInt(String(row?.held_micro)));
  expect(await creditsOf(world, 'user@example.com')).toBe(before - costOf(used));
});

it('batches that are created at the same moment never hold more than the account has', async () => {
  const key = await world.newKey('hasty@example.com');
  const asked = await Promise.allSettled(Array.from({ length: 16 }, () => create(key, 'tokens=40', 100)));
  const made = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value.data.id] : []));
  const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason.status] : []));
  // Each may cost some 400 Credits for its output alone.
  expect(made.length).toBeGreaterThanOrEqual(1);
  expect(made.length).toBeLessThanOrEqual(4);
  expect(new Set(refused)).toEqual(new Set([403]));
  await world.settled();
  expect(await creditsOf(world, 'hasty@example.com')).toBeGreaterThanOrEqual(0n);

  // Clients that read and delete, and the rounds of the server, find the end at the same moment.
  const client = anthropicOf(world.url, key).messages.batches;
  for (const id of made) world.simulator.batches.end(id);
  const costs = made.map((id) => costOf(world.simulator.batches.used(id)));
  await Promise.allSettled([
    ...made.flatMap((id) => [client.results(id), client.retrieve(id), client.delete(id), client.delete(id)]),
    endAll(world),
  ]);
  await endAll(world);
  const cost = costs.reduce((sum, each) => sum + each, 0n);
  expect(await creditsOf(world, 'hasty@example.com')).toBe(2_000_000_000n - cost);
});

it('a batch that used more than the account has leaves a shortfall', async () => {
  const key = await world.newKey('small@example.com');
  const { data, response } = await create(key, 'tokens=2000 unbounded', 10);
  await endAll(world);
  const row = await rowOf(world, response.headers.get('x-request-id'));
  expect(row?.charge_micro).toBe(costOf(world.simulator.batches.used(data.id)));
  expect(await creditsOf(world, 'small@example.com')).toBe(0n);
});
