import type OpenAI from 'openai';
import { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '../../../src/store/operations/doctor.ts';
import type { World } from '../../support/world.ts';
import { costOf, creditsOf, endAll, openaiOf, rowOf, startBatchesWorld } from './world.ts';

let world: World;
let client: OpenAI;
let other: OpenAI;

beforeAll(async () => {
  world = await startBatchesWorld();
  client = openaiOf(world.url, world.key);
  other = openaiOf(world.url, await world.newKey('other@example.com'));
});
afterAll(async () => {
  expect(await examine(world.database)).toEqual([]);
  await world.close();
});

/** Rounds come every few seconds. */
const SOON = { timeout: 20_000, interval: 200 };
const USER = 'user@example.com';
const CHAT = '/v1/chat/completions';

interface Lines {
  readonly words?: string;
  readonly count?: number;
  readonly model?: string;
  readonly change?: object;
}

function linesOf({ words = '', count = 3, model = 'gpt', change = {} }: Lines = {}): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const content = `Say ${at}. [[sim tokens=${10 + at} ${words}]]`;
    const body = { model, max_completion_tokens: 200, messages: [{ role: 'user', content }], user: `u${at}` };
    return JSON.stringify({ custom_id: `item-${at}`, method: 'POST', url: CHAT, body, ...change });
  });
  return `${lines.join('\n')}\n`;
}

async function upload(text: string, from = client) {
  const file = await toFile(Buffer.from(text), 'requests.jsonl');
  return from.files.create({ file, purpose: 'batch' });
}

async function create(lines: Lines = {}, from = client) {
  const { id } = await upload(linesOf({ words: 'steps=100', ...lines }), from);
  const asked = from.batches.create({ input_file_id: id, endpoint: CHAT, completion_window: '24h' });
  const { data, response } = await asked.withResponse();
  return { batch: data, requestId: response.headers.get('x-request-id'), fileId: id };
}

async function settledRow(requestId: string | null) {
  await expect.poll(() => rowOf(world, requestId), SOON).toBeDefined();
  return rowOf(world, requestId);
}

async function readLines(fileId: string, from = client) {
  const text = await (await from.files.content(fileId)).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('files with the SDK of OpenAI', () => {
  it('go to the vendor of their model, and come back under the name of the platform', async () => {
    const text = linesOf();
    const file = await upload(text);
    expect(file).toMatchObject({ object: 'file', purpose: 'batch', filename: 'requests.jsonl' });
    const stored = world.simulator.batches.findFile('sk-sim-openai', file.id);
    expect(stored?.content.toString()).toBe(text.replaceAll('"model":"gpt"', '"model":"gpt-5"'));
    const content = await client.files.content(file.id);
    expect(await content.text()).toBe(text);
    expect(Object.fromEntries(content.headers)).toMatchObject({
      'content-disposition': 'attachment',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect((await client.files.retrieve(file.id)).id).toBe(file.id);
    expect((await client.files.list()).data.map(({ id }) => id)).toContain(file.id);
    expect((await client.files.list({ purpose: 'batch_output' })).data).toEqual([]);
    expect(await client.files.delete(file.id)).toMatchObject({ id: file.id, deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
    expect(world.simulator.batches.findFile('sk-sim-openai', file.id)).toBeUndefined();
  });

  it('belong to their account alone', async () => {
    const { id } = await upload(linesOf());
    const asked = [
      () => other.files.retrieve(id),
      () => other.files.content(id),
      () => other.files.delete(id),
      () => other.batches.create({ input_file_id: id, endpoint: CHAT, completion_window: '24h' }),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ status: 404 });
    expect((await other.files.list()).data).toEqual([]);
  });

  it('of many megabytes pass without being kept', async () => {
    const words = 'boat '.repeat(20_000);
    const text = linesOf({ words, count: 60 });
    const { id } = await upload(text);
    const stored = world.simulator.batches.findFile('sk-sim-openai', id);
    expect(stored?.content.length).toBe(text.length + 60 * 2);
    expect(await (await client.files.content(id)).text()).toBe(text);
  });

  it('are refused if they are no batch of one model', async () => {
    const count = world.simulator.batches.files('sk-sim-openai').length;
    const refused: readonly (readonly [string, RegExp])[] = [
      [linesOf({ model: 'absent' }), /model/],
      [linesOf({ model: 'sonnet' }), /takes batches in this protocol/],
      [linesOf() + linesOf({ model: 'other' }), /Line 4: All requests of a batch name the same model/],
      [linesOf({ change: { method: 'GET' } }), /"method"/],
      [linesOf({ change: { url: '/v1/images/generations' } }), /"url"/],
      [linesOf({ change: { body: undefined } }), /"body"/],
      [linesOf({ change: { body: { model: 'gpt', stream: true, messages: [] } } }), /not streamed/],
      ['no json\n', /Line 1/],
      ['\n', /one "file"/],
    ];
    for (const [text, why] of refused) await expect(upload(text)).rejects.toThrow(why);
    const file = await toFile(Buffer.from(linesOf()), 'a.jsonl');
    await expect(client.files.create({ file, purpose: 'vision' })).rejects.toThrow(/"purpose"/);
    expect(world.simulator.batches.files('sk-sim-openai')).toHaveLength(count);
    const form = await fetch(`${world.url}/v1/files`, {
      method: 'POST',
      headers: world.headers(),
      body: '{}',
    });
    expect(form.status).toBe(415);
  });
});

describe('batches with the SDK of OpenAI', () => {
  it('are created, read, listed, and their results have the name of the platform', async () => {
    const { batch, requestId, fileId } = await create();
    expect(batch).toMatchObject({ object: 'batch', status: 'validating', input_file_id: fileId });
    expect((await client.batches.list()).data.map(({ id }) => id)).toContain(batch.id);
    world.simulator.batches.end(batch.id);
    const read = await client.batches.retrieve(batch.id);
    expect(read).toMatchObject({
      status: 'completed',
      request_counts: { total: 3, completed: 3, failed: 0 },
    });
    const lines = await readLines(read.output_file_id ?? '');
    expect(lines.map((line) => line.custom_id)).toEqual(['item-2', 'item-1', 'item-0']);
    expect(lines.map((line) => line.response.body.model)).toEqual(['gpt', 'gpt', 'gpt']);
    await settledRow(requestId);
  });

  it('belong to their account alone, and so do their results', async () => {
    const { batch } = await create();
    world.simulator.batches.end(batch.id);
    const { output_file_id: results } = await client.batches.retrieve(batch.id);
    const asked = [
      () => other.batches.retrieve(batch.id),
      () => other.batches.cancel(batch.id),
      () => other.files.content(results ?? ''),
      () => other.files.delete(results ?? ''),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ status: 404 });
    expect((await other.batches.list()).data).toEqual([]);
  });

  it('speak the protocol of their lines', async () => {
    const body = { model: 'gpt', input: 'Say it. [[sim tokens=9 steps=1]]', max_output_tokens: 100 };
    const line = { custom_id: 'a', method: 'POST', url: '/v1/responses', body };
    const { id } = await upload(`${JSON.stringify(line)}\n`);
    const wrong = client.batches.create({ input_file_id: id, endpoint: CHAT, completion_window: '24h' });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'endpoint' });
    const asked = { input_file_id: id, endpoint: '/v1/responses', completion_window: '24h' } as const;
    const { data, response } = await client.batches.create(asked).withResponse();
    const row = await settledRow(response.headers.get('x-request-id'));
    const used = world.simulator.batches.used(data.id);
    expect(row).toMatchObject({ protocol_in: 'responses', charge_micro: costOf(used) });
  });
});

describe('what a batch costs', () => {
  beforeEach(() => endAll(world));

  it('is held at its creation, and charged exactly by what its items used, once', async () => {
    const before = await creditsOf(world, USER);
    const { batch, requestId } = await create();
    await expect.poll(() => creditsOf(world, USER)).toBeLessThan(before);
    expect(await rowOf(world, requestId)).toBeUndefined();
    world.simulator.batches.end(batch.id);
    await Promise.all([1, 2, 3].map(() => client.batches.retrieve(batch.id)));
    const row = await settledRow(requestId);
    const used = world.simulator.batches.used(batch.id);
    expect(row).toMatchObject({
      verdict: 'complete',
      payer: 'credits',
      estimated: false,
      protocol_in: 'chat',
    });
    expect([row?.input_fresh, row?.charge_micro]).toEqual([BigInt(used.input), costOf(used)]);
    expect(await creditsOf(world, USER)).toBe(before - costOf(used));
  });

  it('is nothing for items that failed, and for a batch that failed', async () => {
    const before = await creditsOf(world, USER);
    const bad = linesOf({ count: 1, change: { custom_id: 'bad', body: { model: 'gpt', messages: 7 } } });
    const { id } = await upload(linesOf({ words: 'steps=1', count: 2 }) + bad);
    const asked = { input_file_id: id, endpoint: CHAT, completion_window: '24h' } as const;
    const { data, response } = await client.batches.create(asked).withResponse();
    const row = await settledRow(response.headers.get('x-request-id'));
    const used = world.simulator.batches.used(data.id);
    expect([used.output, row?.charge_micro]).toEqual([10 + 11, costOf(used)]);
    const { error_file_id: errors } = await client.batches.retrieve(data.id);
    expect((await readLines(errors ?? '')).map((line) => line.custom_id)).toEqual(['bad']);
    const twice = await upload(linesOf() + linesOf());
    const failed = await client.batches.create({ ...asked, input_file_id: twice.id }).withResponse();
    expect(failed.data.status).toBe('failed');
    expect(await settledRow(failed.response.headers.get('x-request-id'))).toMatchObject({ charge_micro: 0n });
    expect(await creditsOf(world, USER)).toBe(before - costOf(used));
  });

  it('is that of the items that were done when it is cancelled', async () => {
    const { batch, requestId } = await create({ count: 4 });
    expect((await client.batches.cancel(batch.id)).status).toBe('cancelling');
    const row = await settledRow(requestId);
    const used = world.simulator.batches.used(batch.id);
    expect([used.output, row?.charge_micro]).toEqual([10 + 11, costOf(used)]);
  });

  it('is charged before its results can be deleted', async () => {
    const { batch, requestId } = await create();
    world.simulator.batches.end(batch.id);
    const { output_file_id: results } = await client.batches.retrieve(batch.id);
    await client.files.delete(results ?? '');
    const row = await settledRow(requestId);
    expect(row?.charge_micro).toBe(costOf(world.simulator.batches.used(batch.id)));
  });

  it('is refused to who cannot pay the most that it may cost', async () => {
    const poor = openaiOf(world.url, await world.newKey('poor@example.com'));
    const before = world.simulator.batches.list('sk-sim-openai', 'batch').length;
    await expect(create({}, poor)).rejects.toMatchObject({ status: 403, code: '40201' });
    expect(world.simulator.batches.list('sk-sim-openai', 'batch')).toHaveLength(before);
  });

  it('is none of ours with a credential of the account', async () => {
    const token = await world.login('other@example.com');
    const body = { vendor_code: 'openai', name: 'mine', secret: 'sk-sim-openai-mine' };
    expect((await world.api('POST', '/credential', { token, body })).body.code).toBe(0);
    const owner = openaiOf(world.url, await world.newKey('other@example.com'));
    const { batch, requestId } = await create({ words: 'steps=1' }, owner);
    expect(world.simulator.batches.find('sk-sim-openai-mine', batch.id)).toBeDefined();
    expect(await settledRow(requestId)).toMatchObject({ payer: 'byok', charge_micro: 0n });
  });
});
