import type OpenAI from 'openai';
import type { Response as OpenaiResponse } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';
import { loggedCall } from '../logged-call.ts';
import { clientOf, failureOf } from './openai-client.ts';

const CHAT_ONLY = `
  - model_id: chat-only
    prices: { input: "10", output: "30" }
    max_output_tokens: 16000
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }]
policies:`;

let world: World;
let client: OpenAI;
let stranger: OpenAI;

beforeAll(async () => {
  world = await startWorld({ catalog: STANDARD_CATALOG.replace('\npolicies:', CHAT_ONLY) });
  client = clientOf(world.url, world.key);
  stranger = clientOf(world.url, await world.newKey('poor@example.com'));
});
afterAll(() => world.close());

async function ended(id: string): Promise<OpenaiResponse> {
  const isOver = async () => (await client.responses.retrieve(id)).status !== 'in_progress';
  await expect.poll(isOver).toBe(true);
  return client.responses.retrieve(id);
}

/** The request id is that of the call. */
async function begin(model: string, input: string) {
  const { data, response } = await client.responses.create({ model, input, background: true }).withResponse();
  return { data, callId: response.headers.get('x-request-id') };
}

describe.each(['gpt-5', 'chat-only'])('%s', (model) => {
  it('answers at once, goes on alone, and is charged once', async () => {
    const tag = `slow-${model}`;
    const { data, callId } = await begin(model, `My name is Ada. [[sim tag=${tag} tokens=7 delay=1500]]`);
    expect(data).toMatchObject({ object: 'response', status: 'queued', background: true, output: [] });
    expect(await client.responses.retrieve(data.id)).toMatchObject({ id: data.id, status: 'in_progress' });
    expect(await failureOf(stranger.responses.retrieve(data.id))).toMatchObject({ status: 404 });
    const answer = await ended(data.id);
    expect(answer).toMatchObject({ id: data.id, status: 'completed', model });
    expect(answer.usage?.output_tokens).toBe(7);
    const row = await loggedCall(world, callId);
    expect(row).toMatchObject({ status: 200, verdict: 'complete', output_text: 7n });
    expect(world.simulator.truth.find(tag)).toMatchObject({ outputTokens: 7 });

    const next = await client.responses.create({
      ...{ model, previous_response_id: data.id, input: `Who am I? [[sim tag=${tag}-next tokens=3]]` },
    });
    expect(next.status).toBe('completed');
    const call = world.simulator.truth.find(`${tag}-next`);
    expect(call && world.simulator.truth.body(call)?.toString('utf8')).toContain('My name is Ada.');
  });
});

it('is complete at once where the vendor is fast', async () => {
  const { data } = await begin('gpt-5', 'Hello [[sim tokens=3]]');
  expect(await ended(data.id)).toMatchObject({ status: 'completed', output_text: expect.any(String) });
});

it('can be cancelled, by its own account, and tells the vendor', async () => {
  const { data, callId } = await begin('gpt-5', 'Hello [[sim tag=cancelled tokens=9 delay=20000]]');
  expect(await failureOf(stranger.responses.cancel(data.id))).toMatchObject({ status: 404 });
  expect(await client.responses.cancel(data.id)).toMatchObject({ id: data.id, status: 'cancelled' });
  expect(await ended(data.id)).toMatchObject({ status: 'cancelled' });
  expect(await client.responses.cancel(data.id)).toMatchObject({ status: 'cancelled' });
  expect(await loggedCall(world, callId)).toMatchObject({ status: 499, verdict: 'cut-by-client' });
});

it('fails with the reason of its vendor', async () => {
  const { data } = await begin('gpt-5', 'Hello [[sim fault=status@500 delay=800]]');
  const failed = await ended(data.id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
  expect(failed.error?.message).not.toBe('');
});

it('is refused at once where any call would be', async () => {
  const input = 'Hello';
  const model = 'gpt-5';
  expect(
    await failureOf(client.responses.create({ model: 'nobody', input, background: true })),
  ).toMatchObject({
    status: 502,
  });
  for (const options of [{ stream: true as const }, { store: false }]) {
    const refused = client.responses.create({ model, input, background: true, ...options });
    expect(await failureOf(Promise.resolve(refused))).toMatchObject({ status: 400, code: '40004' });
  }
});
