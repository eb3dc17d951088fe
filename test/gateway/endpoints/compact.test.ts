import type OpenAI from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';
import { loggedCall } from '../logged-call.ts';
import { clientOf, failureOf } from './openai-client.ts';

/** One speaks another protocol; of the other a token costs more than `poor@example.com` has. */
const MODELS = `
  - model_id: chat-only
    prices: { input: "10", output: "30" }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }]
  - model_id: dear
    prices: { input: "1000000", output: "1000000" }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5 }]
policies:`;

let world: World;
let client: OpenAI;

beforeAll(async () => {
  world = await startWorld({ catalog: STANDARD_CATALOG.replace('\npolicies:', MODELS) });
  client = clientOf(world.url, world.key);
});
afterAll(() => world.close());

/** What the vendor was sent in the newest call with this tag. */
function heard(tag: string): Record<string, unknown> {
  const call = world.simulator.truth.find(tag);
  const body = call === undefined ? undefined : world.simulator.truth.body(call);
  return body === undefined
    ? expect.unreachable(`no vendor heard ${tag}`)
    : JSON.parse(body.toString('utf8'));
}

const toInput = (output: readonly unknown[]): ResponseInputItem[] => output as ResponseInputItem[];

it('passes a compaction through and charges what the vendor counted', async () => {
  const input = 'My name is Ada. [[sim tag=compact-1 tokens=9]]';
  const { data, response } = await client.responses.compact({ model: 'gpt-5', input }).withResponse();
  expect(data).toMatchObject({ object: 'response.compaction', usage: { output_tokens: 9 } });
  expect(data.output.at(-1)).toMatchObject({ type: 'compaction' });
  const row = await loggedCall(world, response.headers.get('x-request-id'));
  expect(row).toMatchObject({
    status: 200,
    verdict: 'complete',
    protocol_out: 'responses',
    model_used: 'gpt-5',
  });
  const [call] = world.simulator.truth.all().slice(-1);
  expect(call).toMatchObject({ path: '/v1/responses/compact', outputTokens: 9 });
  expect([row.input_fresh, row.output_text]).toEqual([BigInt(data.usage.input_tokens), 9n]);

  const next = [
    ...toInput(data.output),
    { role: 'user' as const, content: 'Who am I? [[sim tag=compact-2]]' },
  ];
  const answer = await client.responses.create({ model: 'gpt-5', input: next });
  expect(answer.status).toBe('completed');
  expect(heard('compact-2').input).toMatchObject([
    { role: 'user' },
    { type: 'compaction' },
    { role: 'user' },
  ]);
});

it('compacts a conversation that the gateway stores, and stores no compaction', async () => {
  const first = await client.responses.create({
    model: 'gpt-5',
    input: 'I live in Oslo. [[sim tag=kept-1]]',
  });
  const compacted = await client.responses.compact({
    ...{ model: 'gpt-5', previous_response_id: first.id, input: 'Go on. [[sim tag=kept-2]]' },
  });
  const sent = heard('kept-2');
  expect(sent.previous_response_id).toBeNull();
  expect(JSON.stringify(sent.input)).toContain('I live in Oslo.');
  expect(await failureOf(client.responses.retrieve(compacted.id))).toMatchObject({ status: 404 });
});

it('is refused where no vendor can do it, and where the Credits do not pay for all of it', async () => {
  const input = 'Hello';
  expect(await failureOf(client.responses.compact({ model: 'chat-only', input }))).toMatchObject({
    ...{ status: 400, code: '40004' },
    message: expect.stringContaining('compacts conversations'),
  });
  const poor = clientOf(world.url, await world.newKey('poor@example.com'));
  const calls = world.simulator.truth.all().length;
  expect(await failureOf(poor.responses.compact({ model: 'dear', input }))).toMatchObject({ status: 403 });
  expect(world.simulator.truth.all()).toHaveLength(calls);
});
