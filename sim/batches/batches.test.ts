import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';

let simulator: Simulator;
let client: OpenAI;
let other: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  simulator = await startSimulator();
  const baseURL = `${simulator.url}/v1`;
  client = new OpenAI({ baseURL, apiKey: 'sk-sim-openai', maxRetries: 0 });
  other = new OpenAI({ baseURL, apiKey: 'sk-sim-openai-other', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: simulator.url, apiKey: 'sk-sim-anthropic', maxRetries: 0 });
});
afterAll(() => simulator.close());

const CHAT = '/v1/chat/completions';

function line(id: string, rest: object = {}, body: object = {}): string {
  const messages = [{ role: 'user', content: `Say ${id}. [[sim tokens=7 steps=3]]` }];
  const request = { model: 'gpt-4o', max_tokens: 50, messages, ...body };
  return JSON.stringify({ custom_id: id, method: 'POST', url: CHAT, body: request, ...rest });
}

async function run(lines: readonly string[]) {
  const file = await toFile(Buffer.from(lines.join('\n')), 'a.jsonl');
  const { id } = await client.files.create({ file, purpose: 'batch' });
  return client.batches.create({ input_file_id: id, endpoint: CHAT, completion_window: '24h' });
}

describe('batches of OpenAI, through the official SDK', () => {
  it('go through their states, and have results in another order', async () => {
    const made = await run([line('a'), line('b'), line('c', {}, { temperature: 9 })]);
    const states = [made.status];
    for (let read = 0; read < 3; read++) states.push((await client.batches.retrieve(made.id)).status);
    expect(states).toEqual(['validating', 'in_progress', 'finalizing', 'completed']);
    const ended = await client.batches.retrieve(made.id);
    expect(ended.request_counts).toEqual({ total: 3, completed: 2, failed: 1 });
    const results = await (await client.files.content(ended.output_file_id ?? '')).text();
    const ids = results.trim().split('\n');
    expect(ids.map((each) => JSON.parse(each).custom_id)).toEqual(['b', 'a']);
    expect(simulator.batches.used(made.id).output).toBe(14);
    await expect(other.batches.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(other.files.retrieve(ended.output_file_id ?? '')).rejects.toMatchObject({ status: 404 });
  });

  it('fail as a whole if their file is wrong', async () => {
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [[line('a'), line('a')], 'duplicate_custom_id'],
      [[line('a'), '{"half":'], 'invalid_json_line'],
      [[line('a', { url: '/v1/embeddings' })], 'mismatched_endpoint'],
      [[line('a', { method: 'GET' })], 'invalid_method'],
      [[line('a'), line('b', {}, { model: 'gpt-5' })], 'mismatched_model'],
      [[line('a', {}, { stream: true })], 'invalid_value'],
      [[''], 'empty_file'],
    ];
    for (const [lines, code] of wrong) {
      const batch = await run(lines);
      expect([batch.status, batch.errors?.data?.[0]?.code]).toEqual(['failed', code]);
    }
    const absent = { input_file_id: 'file-x', endpoint: CHAT, completion_window: '24h' } as const;
    await expect(client.batches.create(absent)).rejects.toMatchObject({ status: 400 });
    const text = await toFile(Buffer.from(line('a')), 'a.txt');
    await expect(client.files.create({ file: text, purpose: 'batch' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('are cancelled half done', async () => {
    const made = await run(['a', 'b', 'c', 'd'].map((id) => line(id)));
    expect((await client.batches.cancel(made.id)).status).toBe('cancelling');
    const ended = await client.batches.retrieve(made.id);
    expect([ended.status, ended.request_counts?.completed]).toEqual(['cancelled', 2]);
  });
});

describe('batches of Anthropic, through the official SDK', () => {
  const request = (id: string, params: object = {}) => {
    const messages = [{ role: 'user' as const, content: '[[sim tokens=7 steps=1]]' }];
    return { custom_id: id, params: { model: 'claude-sonnet-4-5', max_tokens: 50, messages, ...params } };
  };

  it('have results when they have ended, with an error for each request that is wrong', async () => {
    const { batches } = anthropic.messages;
    const made = await batches.create({ requests: [request('a'), request('b', { max_tokens: -1 })] });
    await expect(batches.delete(made.id)).rejects.toMatchObject({ status: 400 });
    const early = await fetch(`${simulator.url}/v1/messages/batches/${made.id}/results`, {
      headers: { 'x-api-key': 'sk-sim-anthropic', 'anthropic-version': '2023-06-01' },
    });
    expect(early.status).toBe(404);
    const { request_counts: counts } = await batches.retrieve(made.id);
    expect(counts).toMatchObject({ succeeded: 1, errored: 1, processing: 0 });
    expect(simulator.batches.used(made.id).output).toBe(7);
    expect(await batches.delete(made.id)).toMatchObject({ type: 'message_batch_deleted' });
  });

  it('are refused with ids that are odd or not unique', async () => {
    for (const requests of [[request('a b')], [request('a'), request('a')], []]) {
      await expect(anthropic.messages.batches.create({ requests })).rejects.toMatchObject({ status: 400 });
    }
  });
});
