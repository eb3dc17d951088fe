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
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
      required: ['city'],
    },
  },
};

describe('Chat Completions, through the official SDK', () => {
  it('answers plainly with the requested number of tokens, and reports the truth', async () => {
    const answer = await client.chat.completions.create({
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'hello [[sim tag=plain tokens=17 thinking=5 cached=4]]' }],
    });
    const truth = simulator.truth.find('plain');
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(countTokens(answer.choices[0]?.message.content ?? '')).toBe(17);
    expect(answer.model).toBe('gpt-5-2026-08-01');
    expect(answer.usage).toMatchObject({
      prompt_tokens: truth?.inputTokens,
      completion_tokens: 22,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 5 },
    });
    expect(truth).toMatchObject({ outputTokens: 22, reasoningTokens: 5, status: 200, finished: 'complete' });
    expect(truth?.responseId).toBe(answer.id);
  });

  it('streams one token an event, usage last, and the same text for the same seed', async () => {
    const ask = (): Promise<readonly OpenAI.ChatCompletionChunk[]> =>
      collect('gpt-4o', 'hi [[sim tag=stream tokens=12 seed=3]]');
    const chunks = await ask();
    const text = textOf(chunks);
    expect(countTokens(text)).toBe(12);
    expect(textOf(await ask())).toBe(text);
    expect(chunks.filter((chunk) => chunk.choices[0]?.delta.content).length).toBe(12);
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 12 } });
    expect(chunks.every((chunk) => 'obfuscation' in chunk)).toBe(true);
    expect(simulator.truth.find('stream')).toMatchObject({ outputTokens: 12, plannedOutputTokens: 12 });
  });

  it('streams the arguments of a tool in fragments, then answers its result in text', async () => {
    const stream = client.chat.completions.stream({
      model: 'gpt-4o',
      tools: [weather],
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'weather? [[sim tag=tool tool=get_weather]]' }],
    });
    const answer = await stream.finalChatCompletion();
    const call = answer.choices[0]?.message.tool_calls?.[0];
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
    if (call?.type !== 'function') throw new Error('no call');
    expect(JSON.parse(call.function.arguments)).toMatchObject({ city: expect.any(String) });
    const spent = countTokens('get_weather') + countTokens(call.function.arguments);
    expect(answer.usage?.completion_tokens).toBe(spent);
    const second = await client.chat.completions.create({
      model: 'gpt-4o',
      tools: [weather],
      messages: [
        { role: 'user', content: 'weather? [[sim tool=get_weather tokens=6]]' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'sunny' },
      ],
    });
    expect(countTokens(second.choices[0]?.message.content ?? '')).toBe(6);
  });

  it('calls several tools at once, and none when the request forbids it', async () => {
    const ask = (choice: 'auto' | 'none'): Promise<OpenAI.ChatCompletion> =>
      client.chat.completions.create({
        model: 'gpt-4o',
        tools: [weather, { ...weather, function: { ...weather.function, name: 'get_time' } }],
        tool_choice: choice,
        messages: [{ role: 'user', content: '[[sim tool=get_weather,get_time]]' }],
      });
    expect((await ask('auto')).choices[0]?.message.tool_calls?.length).toBe(2);
    expect((await ask('none')).choices[0]?.message.tool_calls).toBeUndefined();
  });

  it('stops at the limit, at a stop sequence, by refusal and by filter', async () => {
    const ask = async (prompt: string, more: object = {}): Promise<OpenAI.ChatCompletion.Choice> => {
      const messages = [{ role: 'user' as const, content: prompt }];
      const answer = await client.chat.completions.create({ model: 'gpt-4o', messages, ...more });
      return answer.choices[0] as OpenAI.ChatCompletion.Choice;
    };
    const cut = await ask('[[sim tokens=50]]', { max_tokens: 9 });
    expect([cut.finish_reason, countTokens(cut.message.content ?? '')]).toEqual(['length', 9]);
    const whole = await ask('[[sim tokens=20 seed=1]]');
    const word = whole.message.content?.split(' ')[10] as string;
    const stopped = await ask('[[sim tokens=20 seed=1]]', { stop: [` ${word}`] });
    expect(whole.message.content?.startsWith(stopped.message.content ?? 'x')).toBe(true);
    expect(stopped.message.content).not.toContain(` ${word}`);
    const refused = await ask('[[sim refuse]]');
    expect([refused.message.content, typeof refused.message.refusal]).toEqual([null, 'string']);
    expect((await ask('[[sim filter]]')).finish_reason).toBe('content_filter');
  });

  it('follows a JSON schema', async () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'age'],
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
    };
    const answer = await client.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'who?' }],
      response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } },
    });
    const made = JSON.parse(answer.choices[0]?.message.content ?? '') as Record<string, unknown>;
    expect([typeof made.name, Number.isInteger(made.age)]).toEqual(['string', true]);
  });

  it('lists its models and checks its key', async () => {
    const names: string[] = [];
    for await (const model of client.models.list()) names.push(model.id);
    expect(names).toContain('gpt-5-2026-08-01');
    const stranger = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'sk-wrong', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
  });
});

async function collect(model: string, prompt: string): Promise<readonly OpenAI.ChatCompletionChunk[]> {
  const stream = await client.chat.completions.create({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: prompt }],
  });
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function textOf(chunks: readonly OpenAI.ChatCompletionChunk[]): string {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
}
