import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let client: Anthropic;
beforeAll(async () => {
  world = await startWorld({ environment: { TOLLGATE_KEEP_ALIVE_MS: '50' } });
  client = new Anthropic({ baseURL: world.url, apiKey: world.key, maxRetries: 0 });
});
afterAll(() => world.close());

const MODEL = 'claude-sonnet-5';
const TOOL = {
  name: 'weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};

const ask = (content: string) => ({
  model: MODEL,
  max_tokens: 2_000,
  messages: [{ role: 'user' as const, content }],
});

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
}

describe('Messages with the Anthropic SDK', () => {
  it('a plain call has text, usage, the platform’s model and the gateway’s request id', async () => {
    const { data, request_id } = await client.messages
      .create(ask('hello [[sim tag=a1 tokens=7]]'))
      .withResponse();
    expect(data.model).toBe(MODEL);
    expect(data.content).toMatchObject([{ type: 'text' }]);
    const truth = world.simulator.truth.find('a1');
    expect(data.usage).toMatchObject({ input_tokens: truth?.inputTokens, output_tokens: 7 });
    expect(request_id).toMatch(/^req_/);
    // The version of the SDK goes to the vendor, not one of ours.
    expect(truth?.headers['anthropic-version']).toBe('2026-10-21');
  });

  it('a stream is assembled', async () => {
    const message = await client.messages.stream(ask('[[sim tokens=9]]')).finalMessage();
    expect(message.stop_reason).toBe('end_turn');
    expect(message.usage.output_tokens).toBe(9);
    const [block] = message.content;
    expect(block?.type === 'text' && block.text.split(' ')).toHaveLength(9);
  });

  it('thinking and its signature pass in both directions', async () => {
    const thoughtful = { ...ask('[[sim thinking=12 tokens=5]]'), thinking: { type: 'adaptive' as const } };
    const first = await client.messages.stream(thoughtful).finalMessage();
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    const second = await client.messages.create({
      ...thoughtful,
      messages: [
        ...thoughtful.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: 'and now? [[sim tokens=5]]' },
      ],
    });
    expect(second.stop_reason).toBe('end_turn');
  });

  it('tools are called in plain and streamed answers, and their results are accepted', async () => {
    const asked = { ...ask('[[sim tool=weather]]'), tools: [TOOL] };
    const plain = await client.messages.create(asked);
    const streamed = await client.messages.stream(asked).finalMessage();
    for (const message of [plain, streamed]) {
      expect(message.stop_reason).toBe('tool_use');
      const call = message.content.find(({ type }) => type === 'tool_use');
      if (call?.type !== 'tool_use') return expect.unreachable('no tool call');
      expect(call.input).toHaveProperty('city');
      const result = { type: 'tool_result' as const, tool_use_id: call.id, content: 'sunny' };
      const next = await client.messages.create({
        ...asked,
        messages: [
          ...asked.messages,
          { role: 'assistant', content: message.content },
          { role: 'user', content: [result] },
        ],
      });
      expect(next.stop_reason).toBe('end_turn');
    }
  });

  it('a picture reaches the model', async () => {
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data };
    const message = await client.messages.create({
      ...ask(''),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source },
            { type: 'text', text: '[[sim tag=a2]]' },
          ],
        },
      ],
    });
    expect(message.usage.input_tokens).toBe(world.simulator.truth.find('a2')?.inputTokens);
    expect(message.usage.input_tokens).toBeGreaterThan(700);
  });
});

describe('errors in the Anthropic SDK', () => {
  it('an error of the gateway is raised with its message', async () => {
    const stranger = new Anthropic({ baseURL: world.url, apiKey: 'sk-garbage', maxRetries: 0 });
    const error = await failureOf(stranger.messages.create(ask('hello')));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 401, error: { code: 40101, error: { code: '40101' } } });
    expect((error as APIError).message).toContain('The API key is invalid, deleted, disabled or expired');
    expect((error as APIError).requestID).toMatch(/^req_/);
  });

  it('an error of the vendor is raised unchanged', async () => {
    const error = await failureOf(client.messages.create({ ...ask('hello'), max_tokens: -1 }));
    expect(error).toMatchObject({ status: 400, error: { error: { type: 'invalid_request_error' } } });
  });

  it('a key in x-api-key is refused with a hint at the bearer header', async () => {
    const { model, max_tokens, messages } = ask('hello');
    const response = await fetch(`${world.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': world.key, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens, messages }),
    });
    expect(await response.json()).toMatchObject({
      type: 'error',
      code: 40001,
      error: { type: 'gateway_error' },
    });
  });
});

describe('a cut stream raises in the Anthropic SDK', () => {
  for (const fault of ['reset@6', 'fin@6', 'error-event@6']) {
    it(`after ${fault}`, async () => {
      const stream = client.messages.stream(ask(`[[sim tokens=30 fault=${fault}]]`));
      let texts = 0;
      stream.on('text', () => texts++);
      expect(await failureOf(stream.finalMessage())).toBeInstanceOf(Error);
      expect(texts).toBeGreaterThan(0);
    });
  }
});

describe('a silent vendor', () => {
  it('is bridged by pings that the Anthropic SDK accepts', async () => {
    const stream = client.messages.stream(ask('[[sim tokens=8 fault=pause@5:2300]]'));
    const message = await stream.finalMessage();
    const [block] = message.content;
    expect(block?.type === 'text' && block.text.split(' ')).toHaveLength(8);
  });

  it('is bridged on the wire', async () => {
    const body = { ...ask('[[sim tokens=4 fault=pause@4:1500]]'), stream: true };
    const response = await world.post('/v1/messages', body, { 'anthropic-version': '2023-06-01' });
    expect(await response.text()).toContain('\n\nevent: ping\ndata: {"type":"ping"}\n\n');
  });
});
