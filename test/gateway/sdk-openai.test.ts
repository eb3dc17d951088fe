import OpenAI, { APIError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let client: OpenAI;
beforeAll(async () => {
  world = await startWorld({ environment: { TOLLGATE_KEEP_ALIVE_MS: '50' } });
  client = clientOf(world.key);
});
afterAll(() => world.close());

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey, maxRetries: 0 });
}

const user = (content: string) => [{ role: 'user' as const, content }];
const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const TOOL = { type: 'function' as const, function: { name: 'weather', parameters: PARAMETERS } };
const RESPONSES_TOOL = { type: 'function' as const, name: 'weather', parameters: PARAMETERS, strict: true };

function pick({ name, arguments: text }: { name: string; arguments: string }) {
  return { name, arguments: text };
}

/** The error an SDK call ends with; the call must not succeed. */
async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
}

describe('Chat Completions with the OpenAI SDK', () => {
  it('a plain call has text, usage and the platform’s model', async () => {
    const answer = await client.chat.completions.create({
      model: 'gpt-5',
      messages: user('hello [[sim tag=o1 tokens=7]]'),
    });
    expect(answer.model).toBe('gpt-5');
    expect(answer.choices[0]?.message.content?.split(' ')).toHaveLength(7);
    const truth = world.simulator.truth.find('o1');
    expect(answer.usage).toMatchObject({ prompt_tokens: truth?.inputTokens, completion_tokens: 7 });
  });

  it('a stream is assembled, without usage that was not requested', async () => {
    const stream = client.chat.completions.stream({
      model: 'gpt-5',
      messages: user('[[sim tag=o2 tokens=9]]'),
    });
    const whole = await stream.finalChatCompletion();
    expect(whole.model).toBe('gpt-5');
    expect(whole.choices[0]?.finish_reason).toBe('stop');
    expect(whole.choices[0]?.message.content?.split(' ')).toHaveLength(9);
    expect(whole.usage ?? undefined).toBeUndefined();
  });

  it('requested usage arrives', async () => {
    const stream = await client.chat.completions.create({
      model: 'gpt-5',
      messages: user('[[sim tokens=9]]'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let output: number | undefined;
    for await (const chunk of stream) output = chunk.usage?.completion_tokens ?? output;
    expect(output).toBe(9);
  });

  it('tools are called in plain and streamed answers, and their results are accepted', async () => {
    const ask = { model: 'gpt-5', messages: user('[[sim tool=weather]]'), tools: [TOOL] };
    const plain = await client.chat.completions.create(ask);
    const streamed = await client.chat.completions.stream(ask).finalChatCompletion();
    for (const { choices } of [plain, streamed]) {
      const call = choices[0]?.message.tool_calls?.[0];
      if (call?.type !== 'function') return expect.unreachable('no tool call');
      expect(call.function.name).toBe('weather');
      expect(JSON.parse(call.function.arguments)).toHaveProperty('city');
      const next = await client.chat.completions.create({
        ...ask,
        messages: [
          ...ask.messages,
          // The SDK's own copy of a streamed call has members that the vendor does not know.
          {
            role: 'assistant',
            tool_calls: [{ id: call.id, type: 'function', function: pick(call.function) }],
          },
          { role: 'tool', tool_call_id: call.id, content: 'sunny' },
        ],
      });
      expect(next.choices[0]?.message.content).toBeTruthy();
    }
  });
});

describe('Responses with the OpenAI SDK', () => {
  it('a plain call and a stream have text, usage and the platform’s model', async () => {
    const plain = await client.responses.create({ model: 'gpt-5', input: '[[sim tokens=6]]' });
    const streamed = await client.responses
      .stream({ model: 'gpt-5', input: '[[sim tokens=6]]' })
      .finalResponse();
    for (const answer of [plain, streamed]) {
      expect(answer.model).toBe('gpt-5');
      expect(answer.status).toBe('completed');
      expect(answer.output_text.split(' ')).toHaveLength(6);
      expect(answer.usage?.output_tokens).toBe(6);
    }
  });

  it('tools are called in plain and streamed answers', async () => {
    const ask = { model: 'gpt-5', input: '[[sim tool=weather]]', tools: [RESPONSES_TOOL] };
    const plain = await client.responses.create(ask);
    const streamed = await client.responses.stream(ask).finalResponse();
    for (const { output } of [plain, streamed]) {
      const call = output.find(({ type }) => type === 'function_call');
      if (call?.type !== 'function_call') return expect.unreachable('no tool call');
      expect(JSON.parse(call.arguments)).toHaveProperty('city');
    }
  });
});

describe('Images with the OpenAI SDK', () => {
  it('images are made, edited and streamed', async () => {
    const made = await client.images.generate({ model: 'gpt-image-1', prompt: 'a cat', n: 2 });
    expect(made.data).toHaveLength(2);
    const [first] = made.data ?? [];
    const picture = Buffer.from(first?.b64_json ?? '', 'base64');
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    const image = await toFile(picture, 'cat.png', { type: 'image/png' });
    const edited = await client.images.edit({ model: 'gpt-image-1', prompt: 'with a hat', image });
    expect(edited.data).toHaveLength(1);
    const stream = await client.images.generate({
      model: 'gpt-image-1',
      prompt: 'a cat',
      stream: true,
      partial_images: 2,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
  });
});

describe('errors in the OpenAI SDK', () => {
  it('an error of the gateway is raised with its message and code', async () => {
    const call = client.chat.completions.create({ model: 'plan-only', messages: user('hello') });
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({
      status: 403,
      code: '40203',
      type: 'gateway_error',
      message: '403 subscription to PRO required to use model plan-only',
    });
    expect((error as APIError).requestID).toMatch(/^req_/);
  });

  it('an error of the vendor is raised unchanged', async () => {
    const call = client.chat.completions.create({
      model: 'gpt-5',
      messages: user('hello'),
      temperature: 0.5,
    });
    expect(await failureOf(call)).toMatchObject({
      status: 400,
      code: 'unsupported_value',
      param: 'temperature',
    });
  });

  it('a limit is raised with its status and our code', async () => {
    const key = await world.newKey('user@example.com', { policyId: 3 });
    const limited = clientOf(key);
    const ask = { model: 'gpt-5', messages: user('[[sim tokens=1]]') };
    await limited.chat.completions.create(ask);
    await limited.chat.completions.create(ask);
    expect(await failureOf(limited.chat.completions.create(ask))).toMatchObject({
      status: 429,
      code: '42902',
    });
  });
});

const CUTS = ['reset@6', 'fin@6', 'error-event@6'] as const;

describe('a cut stream raises in the OpenAI SDK', () => {
  for (const fault of CUTS) {
    it(`Chat Completions, after ${fault}`, async () => {
      const content = `[[sim tokens=30 fault=${fault}]]`;
      const stream = await client.chat.completions.create({
        model: 'gpt-5',
        messages: user(content),
        stream: true,
      });
      let chunks = 0;
      const reading = (async () => {
        for await (const _ of stream) chunks++;
      })();
      expect(await failureOf(reading)).toBeInstanceOf(Error);
      expect(chunks).toBeGreaterThan(2);
    });

    it(`Responses, after ${fault}`, async () => {
      const input = `[[sim tokens=30 fault=${fault}]]`;
      const stream = client.responses.stream({ model: 'gpt-5', input });
      expect(await failureOf(stream.finalResponse())).toBeInstanceOf(Error);
    });
  }
});

it('the error of a cut Responses stream carries the number after the last event', async () => {
  const body = { model: 'gpt-5', input: '[[sim tokens=30 fault=fin@6]]', stream: true };
  const response = await world.post('/v1/responses', body);
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })();
  await failureOf(reading);
  const data = text.trimEnd().split('\n').at(-1)?.slice('data: '.length) ?? '';
  expect(JSON.parse(data)).toMatchObject({ type: 'error', code: '50202', sequence_number: 6 });
});

describe('a silent vendor', () => {
  it('is bridged by signs of life that the OpenAI SDK ignores', async () => {
    const content = '[[sim tokens=8 fault=pause@4:2300]]';
    const chat = client.chat.completions.stream({ model: 'gpt-5', messages: user(content) });
    const responses = client.responses.stream({ model: 'gpt-5', input: content });
    const [first, second] = await Promise.all([chat.finalChatCompletion(), responses.finalResponse()]);
    expect(first.choices[0]?.message.content?.split(' ')).toHaveLength(8);
    expect(second.output_text.split(' ')).toHaveLength(8);
  });

  it('is bridged on the wire', async () => {
    const body = { model: 'gpt-5', stream: true, messages: user('[[sim tokens=4 fault=pause@2:1500]]') };
    const response = await world.post('/v1/chat/completions', body);
    expect(await response.text()).toContain('\n\n: keep-alive\n\n');
  });
});

it('an unknown model is requested once by an SDK that would try three times', async () => {
  const stubborn = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key });
  const error = await failureOf(
    stubborn.chat.completions.create({ model: 'gpt-misspelt', messages: user('hi') }),
  );
  expect(error).toMatchObject({ status: 502, message: expect.stringContaining('"gpt-misspelt"') });
  await world.settled();
  const rows = await world.database.query('select 1 from calls where model_asked = $1', ['gpt-misspelt']);
  expect(rows).toHaveLength(1);
});
