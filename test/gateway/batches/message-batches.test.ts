import type Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '../../../src/store/operations/doctor.ts';
import type { World } from '../../support/world.ts';
import { anthropicOf, costOf, creditsOf, endAll, rowOf, startBatchesWorld } from './world.ts';

let world: World;
let client: Anthropic;
let other: Anthropic;

beforeAll(async () => {
  world = await startBatchesWorld();
  client = anthropicOf(world.url, world.key);
  other = anthropicOf(world.url, await world.newKey('other@example.com'));
});
afterAll(async () => {
  expect(await examine(world.database)).toEqual([]);
  await world.close();
});

/** Rounds come every few seconds. */
const SOON = { timeout: 20_000, interval: 200 };
const USER = 'user@example.com';

function requestsOf(words: string, count = 3, model = 'sonnet') {
  return Array.from({ length: count }, (_, at) => ({
    custom_id: `item-${at}`,
    params: {
      model,
      max_tokens: 200,
      messages: [{ role: 'user' as const, content: `Say ${at}. [[sim tokens=${10 + at} ${words}]]` }],
    },
  }));
}

async function create(words = 'steps=100', { from = client, count = 3, model = 'sonnet' } = {}) {
  const asked = from.messages.batches.create({ requests: requestsOf(words, count, model) });
  const { data, response } = await asked.withResponse();
  return { batch: data, requestId: response.headers.get('x-request-id') };
}

async function settledRow(requestId: string | null) {
  await expect.poll(() => rowOf(world, requestId), SOON).toBeDefined();
  return rowOf(world, requestId);
}

async function readAll(batch: string, from = client) {
  const lines: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const line of await from.messages.batches.results(batch)) lines.push(line);
  return lines;
}

describe('batches with the SDK of Anthropic', () => {
  it('are created, read, and their results have the name of the platform', async () => {
    const { batch, requestId } = await create('steps=100');
    expect(batch).toMatchObject({ type: 'message_batch', processing_status: 'in_progress' });
    expect(world.simulator.batches.find('sk-sim-anthropic', batch.id)?.items).toHaveLength(3);
    expect((await client.messages.batches.list()).data.map(({ id }) => id)).toContain(batch.id);
    await expect(readAll(batch.id)).rejects.toThrow();
    world.simulator.batches.end(batch.id);
    const read = await client.messages.batches.retrieve(batch.id);
    expect(read.processing_status).toBe('ended');
    expect(read.results_url).toBe(`${world.url}/v1/messages/batches/${batch.id}/results`);
    const results = await fetch(read.results_url ?? '', { headers: world.headers() });
    await results.arrayBuffer();
    expect(Object.fromEntries(results.headers)).toMatchObject({
      'content-disposition': 'attachment',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    const lines = await readAll(batch.id);
    expect(lines.map(({ custom_id: id }) => id)).toEqual(['item-2', 'item-1', 'item-0']);
    const models = lines.map(({ result }) =>
      result.type === 'succeeded' ? result.message.model : result.type,
    );
    expect(models).toEqual(['sonnet', 'sonnet', 'sonnet']);
    await settledRow(requestId);
    const deleted = await client.messages.batches.delete(batch.id);
    expect(deleted).toEqual({ id: batch.id, type: 'message_batch_deleted' });
    await expect(client.messages.batches.retrieve(batch.id)).rejects.toMatchObject({ status: 404 });
  });

  it('belong to their account alone', async () => {
    const { batch } = await create('steps=1');
    const asked = [
      () => other.messages.batches.retrieve(batch.id),
      () => other.messages.batches.cancel(batch.id),
      () => other.messages.batches.delete(batch.id),
      () => readAll(batch.id, other),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ status: 404 });
    expect((await other.messages.batches.list()).data).toEqual([]);
  });

  it('are listed from both ends', async () => {
    const made = [await create(), await create(), await create()].map(({ batch }) => batch.id);
    const [oldest = '', , newest = ''] = made;
    const ids = async (query: Anthropic.Messages.BatchListParams) =>
      (await client.messages.batches.list(query)).data.map(({ id }) => id);
    expect(await ids({ limit: 2, after_id: newest })).toEqual([made[1], oldest]);
    expect(await ids({ limit: 2, before_id: oldest })).toEqual([newest, made[1]]);
  });
});

describe('what a batch costs', () => {
  beforeEach(() => endAll(world));

  it('is held at its creation, and charged exactly by what its items used', async () => {
    const before = await creditsOf(world, USER);
    const { batch, requestId } = await create('steps=100 cached=2');
    await expect.poll(() => creditsOf(world, USER)).toBeLessThan(before);
    expect(await rowOf(world, requestId)).toBeUndefined();
    world.simulator.batches.end(batch.id);
    const row = await settledRow(requestId);
    const used = world.simulator.batches.used(batch.id);
    expect(row).toMatchObject({ verdict: 'complete', payer: 'credits', estimated: false });
    expect([row?.output_text, row?.charge_micro]).toEqual([BigInt(used.output), costOf(used)]);
    expect(await creditsOf(world, USER)).toBe(before - costOf(used));
  });

  it('is that of the items that were done when it is cancelled', async () => {
    const before = await creditsOf(world, USER);
    const { batch, requestId } = await create('steps=100', { count: 4 });
    expect((await client.messages.batches.cancel(batch.id)).processing_status).toBe('canceling');
    const row = await settledRow(requestId);
    const used = world.simulator.batches.used(batch.id);
    expect(used.output).toBe(10 + 11);
    expect(row?.charge_micro).toBe(costOf(used));
    expect(await creditsOf(world, USER)).toBe(before - costOf(used));
  });

  it('is charged before the batch is deleted, and once', async () => {
    const before = await creditsOf(world, USER);
    const { batch, requestId } = await create('steps=100');
    await expect(client.messages.batches.delete(batch.id)).rejects.toMatchObject({ status: 400 });
    world.simulator.batches.end(batch.id);
    const used = world.simulator.batches.used(batch.id);
    await client.messages.batches.delete(batch.id);
    expect((await settledRow(requestId))?.charge_micro).toBe(costOf(used));
    expect(await creditsOf(world, USER)).toBe(before - costOf(used));
  });

  it('is refused to who cannot pay the most that it may cost', async () => {
    const poor = anthropicOf(world.url, await world.newKey('poor@example.com'));
    const before = world.simulator.batches.list('sk-sim-anthropic', 'message-batch').length;
    await expect(create('', { from: poor })).rejects.toMatchObject({ status: 403 });
    expect(world.simulator.batches.list('sk-sim-anthropic', 'message-batch')).toHaveLength(before);
  });

  it('is none of ours with a credential of the account', async () => {
    const token = await world.login('other@example.com');
    const body = { vendor_code: 'anthropic', name: 'mine', secret: 'sk-sim-anthropic-mine' };
    expect((await world.api('POST', '/credential', { token, body })).body.code).toBe(0);
    const owner = anthropicOf(world.url, await world.newKey('other@example.com'));
    const { batch, requestId } = await create('steps=1', { from: owner });
    expect(world.simulator.batches.find('sk-sim-anthropic-mine', batch.id)).toBeDefined();
    expect(await settledRow(requestId)).toMatchObject({ payer: 'byok', charge_micro: 0n });
  });
});

describe('a batch is refused', () => {
  const refused = async (requests: unknown) => {
    const response = await world.post('/v1/messages/batches', { requests });
    return [response.status, ((await response.json()) as { message: string }).message];
  };

  it('with more than one model, a stream, or no limit', async () => {
    const [one, two] = [requestsOf('', 1, 'sonnet'), requestsOf('', 1, 'gpt')];
    expect(await refused([...one, ...two])).toEqual([
      400,
      'requests[1]: All requests of a batch name the same model, not "sonnet" and "gpt"',
    ]);
    const change = (params: object) => [{ custom_id: 'a', params: { ...one[0]?.params, ...params } }];
    expect((await refused(change({ stream: true })))[1]).toMatch(/not streamed/);
    expect((await refused(change({ max_tokens: null })))[1]).toMatch(/max_tokens/);
    expect(await refused([])).toMatchObject([400, expect.any(String)]);
    expect(await refused('x')).toMatchObject([400, expect.any(String)]);
  });

  it('by models whose vendors speak another protocol', async () => {
    expect((await refused(requestsOf('', 1, 'gpt')))[1]).toMatch(/takes batches in this protocol/);
  });
});
