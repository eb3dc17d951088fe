import type OpenAI from 'openai';
import type { Response as OpenaiResponse, ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';
import { clientOf, failureOf } from './openai-client.ts';

const CHAT_ONLY = `
  - model_id: chat-only
    name: A vendor without Responses
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

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const TOOLS = [{ type: 'function' as const, name: 'weather', parameters: PARAMETERS, strict: true }];

/** What the vendor was sent in the newest call with this tag. */
function heard(tag: string): string {
  const call = world.simulator.truth.find(tag);
  const body = call === undefined ? undefined : world.simulator.truth.body(call);
  if (body === undefined) return expect.unreachable(`no vendor heard ${tag}`);
  return body.toString('utf8');
}

function inputOf(tag: string): Record<string, unknown>[] {
  return (JSON.parse(heard(tag)) as { input: Record<string, unknown>[] }).input;
}

function callOf({ output }: OpenaiResponse) {
  const call = output.find((item) => item.type === 'function_call');
  return call ?? expect.unreachable('no tool was called');
}

let count = 0;
/** A first turn that nobody else had. */
function ask(model: string, text = 'My name is Ada.', extra: object = {}): Promise<OpenaiResponse> {
  count += 1;
  return client.responses.create({ model, input: `${text} [[sim tag=first-${count} tokens=5]]`, ...extra });
}

describe.each([
  ['gpt-5', 'Responses'],
  ['chat-only', 'Chat Completions'],
  ['claude-sonnet-5', 'Messages'],
  ['gemini-3-pro', 'generateContent'],
])('a conversation with %s, whose vendor speaks %s', (model) => {
  it('is continued by the id of the last response, over a tool call and a stream', async () => {
    const input = `My name is Ada. [[sim tag=${model}-1 tool=weather]]`;
    const first = await client.responses.create({ model, input, tools: TOOLS, instructions: 'Be brief.' });
    const { call_id, arguments: given } = callOf(first);
    const second = await client.responses
      .stream({
        model,
        previous_response_id: first.id,
        input: [{ type: 'function_call_output', call_id, output: `sunny [[sim tag=${model}-2 tokens=5]]` }],
        tools: TOOLS,
      })
      .finalResponse();
    expect(second.output_text.split(' ')).toHaveLength(5);
    const third = await client.responses.create({
      model,
      previous_response_id: second.id,
      input: `What is my name? [[sim tag=${model}-3 tokens=4]]`,
    });
    expect(third.output_text.split(' ')).toHaveLength(4);

    const body = heard(`${model}-3`);
    const places = ['My name is Ada.', call_id, 'sunny', second.output_text, 'What is my name?'];
    const found = places.map((text) => body.indexOf(text));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    expect(body).toContain(JSON.parse(given).city);
    // Instructions are not inherited, and the vendor is asked to look nothing up.
    expect(body).not.toContain('Be brief.');
    expect(body).not.toContain(second.id);
    expect([...new Set([first.id, second.id, third.id])]).toHaveLength(3);
    if (model !== 'gpt-5') expect(third.previous_response_id).toBe(second.id);
  });

  it('can be read again as it was answered, plain and streamed', async () => {
    const plain = await ask(model);
    const streamed = await client.responses
      .stream({ model, input: `Hello [[sim tag=${model}-s tokens=6]]` })
      .finalResponse();
    const { _request_id, ...read } = (await client.responses.retrieve(plain.id)) as OpenaiResponse & {
      _request_id?: string;
    };
    expect(read).toEqual({ ...plain, _request_id: undefined });
    expect((await client.responses.retrieve(streamed.id)).output_text).toBe(streamed.output_text);
    expect(read.model).toBe(model);
  });

  it('accepts an item of an earlier answer by its id', async () => {
    const first = await ask(model);
    const [item] = first.output.filter(({ type }) => type === 'message');
    const input: ResponseInputItem[] = [
      { role: 'user', content: 'My name is Bob.' },
      { type: 'item_reference', id: item?.id ?? '' },
      { role: 'user', content: `And now? [[sim tag=${model}-ref tokens=3]]` },
    ];
    await client.responses.create({ model, input });
    const body = heard(`${model}-ref`);
    expect(body).toContain(first.output_text);
    expect(body).not.toContain('item_reference');
    expect(body.indexOf('Bob')).toBeLessThan(body.indexOf(first.output_text));
  });
});

describe('the vendor’s request of a continued conversation', () => {
  it('has no ids that it would look up, and everything else unchanged', async () => {
    const first = await ask('gpt-5');
    const body = {
      metadata: { large: '1', note: 'kept' },
      model: 'gpt-5',
      previous_response_id: first.id,
      input: [{ role: 'user' as const, content: 'Go on. [[sim tag=ids tokens=3]]' }],
      temperature: 1,
    };
    await client.responses.create(body);
    expect(inputOf('ids').map(({ type = 'message', role, id }) => ({ type, role, id }))).toEqual([
      { type: 'message', role: 'user', id: undefined },
      { type: 'message', role: 'assistant', id: undefined },
      { type: 'message', role: 'user', id: undefined },
    ]);
    expect(JSON.parse(heard('ids'))).toMatchObject({ metadata: body.metadata, previous_response_id: null });
  });

  it('keeps reasoning that was encrypted for the client, and drops what only the vendor could read', async () => {
    const thinking = '[[sim tag=think-1 thinking=8 tokens=3]]';
    const hidden = await client.responses.create({
      model: 'gpt-5',
      input: thinking,
      reasoning: { effort: 'high' },
    });
    await client.responses.create({
      model: 'gpt-5',
      previous_response_id: hidden.id,
      input: '[[sim tag=think-2 tokens=3]]',
    });
    expect(inputOf('think-2').map(({ type }) => type)).not.toContain('reasoning');

    const shown = await client.responses.create({
      model: 'gpt-5',
      input: thinking,
      reasoning: { effort: 'high' },
      include: ['reasoning.encrypted_content'],
    });
    await client.responses.create({
      model: 'gpt-5',
      previous_response_id: shown.id,
      input: '[[sim tag=think-3 tokens=3]]',
    });
    expect(inputOf('think-3').map(({ type = 'message' }) => type)).toEqual([
      'message',
      'reasoning',
      'message',
      'message',
    ]);
  });

  it.each(['claude-sonnet-5', 'gemini-3-pro'])('has the signatures that %s requires', async (model) => {
    const input = `[[sim tag=${model}-signed thinking=8 tool=weather]]`;
    const reasoning = { effort: 'high', summary: 'auto' } as const;
    const first = await client.responses.create({ model, input, tools: TOOLS, reasoning });
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [
        {
          type: 'function_call_output',
          call_id: callOf(first).call_id,
          output: `sunny [[sim tag=${model}-returned tokens=3]]`,
        },
      ],
      tools: TOOLS,
      reasoning,
    });
    expect(second.output_text.split(' ')).toHaveLength(3);
    expect(heard(`${model}-returned`)).toMatch(/"(signature|thoughtSignature)":"[^"]{20}/);
  });

  it('may go to another vendor, with the whole conversation', async () => {
    const first = await ask('gpt-5', 'My name is Eve.');
    const second = await client.responses.create({
      model: 'claude-sonnet-5',
      previous_response_id: first.id,
      input: '[[sim tag=moved tokens=3]]',
    });
    expect(heard('moved')).toContain('My name is Eve.');
    expect(heard('moved')).toContain(first.output_text);
    const third = await client.responses.create({
      model: 'gpt-5',
      previous_response_id: second.id,
      input: '[[sim tag=back tokens=3]]',
    });
    expect(heard('back')).toContain(second.output_text);
    expect(third.output_text).toBeTruthy();
  });

  it('is charged for the whole conversation', async () => {
    const first = await ask('gpt-5', 'word '.repeat(500));
    const second = await client.responses.create({
      model: 'gpt-5',
      previous_response_id: first.id,
      input: '[[sim tag=charged tokens=3]]',
    });
    expect(second.usage?.input_tokens).toBeGreaterThan(500);
    expect(second.usage?.input_tokens).toBe(world.simulator.truth.find('charged')?.inputTokens);
  });
});

describe('an unknown reference', () => {
  const unknownPrevious = (id: string) => ({
    status: 400,
    code: 'previous_response_not_found',
    type: 'invalid_request_error',
    param: 'previous_response_id',
    error: expect.objectContaining({ message: `Previous response with id '${id}' not found.` }),
  });

  it.each(['gpt-5', 'claude-sonnet-5'])('to a response id is refused (%s)', async (model) => {
    const call = client.responses.create({ model, previous_response_id: 'resp_nobody', input: 'Hello' });
    expect(await failureOf(call)).toMatchObject(unknownPrevious('resp_nobody'));
  });

  it('is also a response of another account: to continue, read, list and delete', async () => {
    const { id, output } = await ask('gpt-5');
    const item = output[0]?.id ?? '';
    const model = 'gpt-5';
    const failures = await Promise.all([
      failureOf(stranger.responses.create({ model, previous_response_id: id, input: 'Hello' })),
      failureOf(stranger.responses.create({ model, input: [{ type: 'item_reference', id: item }] })),
      failureOf(stranger.responses.retrieve(id)),
      failureOf(stranger.responses.inputItems.list(id)),
      failureOf(stranger.responses.delete(id)),
    ]);
    expect(failures.map(({ status }) => status)).toEqual([400, 400, 404, 404, 404]);
    expect(failures[0]).toMatchObject(unknownPrevious(id));
    expect(failures[1]?.message).toContain(`Item with id '${item}' not found.`);
    expect(await client.responses.retrieve(id)).toMatchObject({ id });
  });

  it.each([
    '{"id":"msg_x"}',
    '{"type":null,"id":"msg_x"}',
    '{"type":"item\\u005freference","id":"msg_x"}',
    '{"\\u0074ype":"item_reference","id":"msg_x"}',
    '{"type":"message","role":"user","content":"x","type":"item_reference","id":"msg_x"}',
  ])('reaches no vendor in any spelling: %s', async (item) => {
    const before = world.simulator.truth.size;
    const response = await world.post('/v1/responses', `{"model":"gpt-5","input":[${item}]}`);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string; param: string } };
    expect(error.message).toContain("Item with id 'msg_x' not found.");
    expect(error.param).toBe('input[0].id');
    expect(world.simulator.truth.size).toBe(before);
  });

  it('is also a response with store: false', async () => {
    for (const model of ['gpt-5', 'claude-sonnet-5']) {
      const plain = await ask(model, 'Hello', { store: false });
      const streamed = await client.responses
        .stream({ model, input: '[[sim tokens=3]]', store: false })
        .finalResponse();
      for (const { id } of [plain, streamed]) {
        expect(await failureOf(client.responses.retrieve(id))).toMatchObject({ status: 404 });
        const call = client.responses.create({ model, previous_response_id: id, input: 'Hello' });
        expect(await failureOf(call)).toMatchObject(unknownPrevious(id));
      }
    }
  });

  it.each([['prompt', { prompt: { id: 'pmpt_1' } }]])(
    'or an unsupported field is refused by name: %s',
    async (field, extra) => {
      const response = await world.post('/v1/responses', { model: 'gpt-5', input: 'Hello', ...extra });
      expect(response.status).toBe(400);
      const body = (await response.json()) as { code: number; message: string };
      expect(body.code).toBe(40_004);
      expect(body.message).toContain(`"${field}"`);
    },
  );

  it('is none when the field is null or false', async () => {
    const extra = { background: false, conversation: null, prompt: null, previous_response_id: null };
    const response = await world.post('/v1/responses', { model: 'gpt-5', input: 'Hello', ...extra });
    expect(response.status).toBe(200);
  });
});
