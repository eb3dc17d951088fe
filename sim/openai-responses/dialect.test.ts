import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../answer/tokens.ts';
import { type Simulator, startSimulator } from '../server.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'sk-sim-openai', maxRetries: 0 });
});
afterAll(() => simulator.close());

const weather = {
  type: 'function' as const,
  name: 'get_weather',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('Responses, through the official SDK', () => {
  it('answers plainly, echoes the request and reports the truth', async () => {
    const answer = await client.responses.create({
      model: 'gpt-5',
      instructions: 'be brief',
      input: 'hello [[sim tag=r1 tokens=9 thinking=4]]',
      max_output_tokens: 100,
    });
    expect(countTokens(answer.output_text)).toBe(9);
    expect(answer).toMatchObject({ status: 'completed', instructions: 'be brief', max_output_tokens: 100 });
    expect(answer.usage).toMatchObject({
      input_tokens: simulator.truth.find('r1')?.inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 13,
      output_tokens_details: { reasoning_tokens: 4 },
    });
    expect(simulator.truth.find('r1')).toMatchObject({ outputTokens: 13, reasoningTokens: 4 });
  });

  it('streams reasoning summaries, text and the whole response at the end', async () => {
    const types: string[] = [];
    const numbers: number[] = [];
    const stream = client.responses.stream({
      model: 'gpt-5',
      input: 'hello [[sim tag=r2 tokens=6 thinking=3]]',
      reasoning: { summary: 'auto', effort: 'low' },
      include: ['reasoning.encrypted_content'],
    });
    stream.on('event', (event) => {
      types.push(event.type);
      numbers.push(event.sequence_number);
    });
    const answer = await stream.finalResponse();
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(types.filter((type) => type === 'response.reasoning_summary_text.delta').length).toBe(3);
    expect(types.filter((type) => type === 'response.output_text.delta').length).toBe(6);
    expect(types.at(-1)).toBe('response.completed');
    expect(answer.output.map((item) => item.type)).toEqual(['reasoning', 'message']);
    expect(simulator.truth.find('r2')).toMatchObject({ outputTokens: 9, reasoningTokens: 3 });
  });

  it('takes a call, its output and its encrypted reasoning back, bound to item and owner', async () => {
    const ask = {
      model: 'gpt-5',
      store: false,
      tools: [weather],
      include: ['reasoning.encrypted_content' as const],
    };
    const question = {
      role: 'user' as const,
      content: 'weather? [[sim tool=get_weather thinking=3 tokens=5]]',
    };
    const first = await client.responses.create({ ...ask, input: [question] });
    const [reasoning, call] = first.output;
    if (reasoning?.type !== 'reasoning' || call?.type !== 'function_call') throw new Error('no call');
    const output = { type: 'function_call_output' as const, call_id: call.call_id, output: 'sunny' };
    const second = await client.responses.create({ ...ask, input: [question, reasoning, call, output] });
    expect(countTokens(second.output_text)).toBe(5);
    const { id: _, ...nameless } = reasoning;
    const third = [question, nameless, call, output] as OpenAI.Responses.ResponseInput;
    expect((await client.responses.create({ ...ask, input: third })).status).toBe('completed');
    const renamed = { ...reasoning, id: 'rs_0000' };
    await expect(
      client.responses.create({ ...ask, input: [question, renamed, call, output] }),
    ).rejects.toMatchObject({
      status: 400,
      code: 'invalid_encrypted_content',
    });
    const other = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'sk-sim-openai-two', maxRetries: 0 });
    await expect(
      other.responses.create({ ...ask, input: [question, reasoning, call, output] }),
    ).rejects.toMatchObject({
      code: 'invalid_encrypted_content',
    });
  });

  it('continues a stored response and finds no other', async () => {
    const first = await client.responses.create({
      model: 'gpt-5',
      input: 'one [[sim tool=get_weather]]',
      tools: [weather],
    });
    const call = first.output[0];
    if (call?.type !== 'function_call') throw new Error('no call');
    const second = await client.responses.create({
      model: 'gpt-5',
      tools: [weather],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'rain' }],
    });
    expect(second.output[0]?.type).toBe('message');
    await expect(
      client.responses.create({ model: 'gpt-5', previous_response_id: 'resp_no', input: 'x' }),
    ).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
  });

  it('streams calls with ids of their own, custom tools as free text, and ends incomplete at the limit', async () => {
    const custom = { type: 'custom' as const, name: 'run' };
    const stream = client.responses.stream({
      model: 'gpt-5',
      input: '[[sim tool=run,get_weather]]',
      tools: [custom, weather],
    });
    const answer = await stream.finalResponse();
    expect(answer.output.map((item) => item.type)).toEqual(['custom_tool_call', 'function_call']);
    expect(answer.output.map((item) => item.id?.split('_')[0])).toEqual(['ctc', 'fc']);
    const cut = client.responses.stream({
      model: 'gpt-5',
      input: '[[sim tokens=90]]',
      max_output_tokens: 16,
    });
    const ended = await cut.finalResponse();
    expect([ended.status, ended.incomplete_details?.reason]).toEqual(['incomplete', 'max_output_tokens']);
    expect(countTokens(ended.output_text)).toBe(16);
  });

  it('puts a refusal into a part of its own', async () => {
    const answer = await client.responses.stream({ model: 'gpt-5', input: '[[sim refuse]]' }).finalResponse();
    expect(answer.output[0]).toMatchObject({ type: 'message', content: [{ type: 'refusal' }] });
  });

  it('counts what it would charge, and takes no option there that only an answer needs', async () => {
    const asked = { model: 'gpt-5', instructions: 'be brief', input: 'how many?', tools: [weather] };
    const counted = await client.responses.inputTokens.count(asked);
    const answered = await client.responses.create(asked);
    expect(counted).toEqual({
      object: 'response.input_tokens',
      input_tokens: answered.usage?.input_tokens,
    });
    const more = { ...asked, max_output_tokens: 20 };
    await expect(client.responses.inputTokens.count(more)).rejects.toMatchObject({
      status: 400,
      code: 'unknown_parameter',
    });
    await expect(client.responses.inputTokens.count({ ...asked, model: 'gpt-0' })).rejects.toMatchObject({
      status: 400,
      code: 'model_not_found',
    });
  });

  it('calls a tool of a namespace that the conversation declares as an item', async () => {
    const run = { type: 'custom', name: 'run', description: 'Runs a program.' };
    const given = {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'machine', description: '', tools: [weather, run] }],
    };
    const question = { role: 'user', content: '[[sim tool=get_weather,run args=a%20program]]' };
    // The SDK has no type for the item yet.
    const input = [given, question] as unknown as OpenAI.Responses.ResponseInput;
    const { output } = await client.responses.create({ model: 'gpt-4o', input });
    expect(output).toMatchObject([
      { type: 'function_call', namespace: 'machine', name: 'get_weather', arguments: '{"city":"a program"}' },
      { type: 'custom_tool_call', namespace: 'machine', name: 'run', input: 'a program' },
    ]);
  });
});
