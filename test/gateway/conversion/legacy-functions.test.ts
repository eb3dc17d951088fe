import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini'] as const;
/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
const VENDORS = {
  chat: { model: 'gpt-4o', secret: 'sk-sim-openai', base: `${SIM}/v1` },
  responses: { model: 'gpt-4o', secret: 'sk-sim-openai', base: `${SIM}/v1` },
  messages: { model: 'claude-sonnet-5', secret: 'sk-sim-anthropic', base: SIM },
  gemini: { model: 'gemini-3-pro', secret: 'sk-sim-google', base: SIM },
};

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: UPSTREAMS.map((code) => ({ code, name: code, protocols: [code], base_url: VENDORS[code].base })),
  credentials: UPSTREAMS.map((code) => ({ name: code, vendor: code, secret: VENDORS[code].secret })),
  models: UPSTREAMS.map((code) => ({
    model_id: `to-${code}`,
    prices: { input: '10', output: '30', cache_input: '1' },
    max_output_tokens: 8000,
    routes: [{ vendor: code, credential: code, forward_model_id: VENDORS[code].model }],
  })),
  policies: [{ id: 1, name: 'default', concurrency: 100, windows: [] }],
  accounts: [{ email: 'user@example.com', password: 'user-password', user_type: 1, credits: '50000' }],
});

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
});
afterAll(() => world.close());

interface Message {
  readonly content: string | null;
  readonly function_call?: { readonly name: string; readonly arguments: string };
  readonly tool_calls?: unknown;
}
interface Answer {
  readonly message: Message;
  readonly finish: string;
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const functions = [{ name: 'look', description: 'looks', parameters }];

/** Asks plainly or as a stream, and puts the chunks together as an old SDK does. */
async function ask(model: string, body: object, stream: boolean): Promise<Answer> {
  const response = await world.post('/v1/chat/completions', { model, stream, functions, ...body });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  if (!stream) {
    const [choice] = JSON.parse(text).choices;
    return { message: choice.message, finish: choice.finish_reason };
  }
  expect(text).toContain('data: [DONE]');
  let [content, name, args, finish] = ['', '', '', ''];
  for (const line of text.split('\n').filter((one) => one.startsWith('data: {'))) {
    const [choice] = JSON.parse(line.slice(6)).choices;
    if (choice === undefined) continue;
    expect(choice.delta.tool_calls).toBeUndefined();
    content += choice.delta.content ?? '';
    name += choice.delta.function_call?.name ?? '';
    args += choice.delta.function_call?.arguments ?? '';
    finish = choice.finish_reason ?? finish;
  }
  return {
    message: { content, ...(name === '' ? {} : { function_call: { name, arguments: args } }) },
    finish,
  };
}

describe.each(UPSTREAMS)('a client with legacy functions, at a vendor of %s', (upstream) => {
  test.each([false, true])(
    'gets function_call and sends its result in the role function (stream: %s)',
    async (stream) => {
      const model = `to-${upstream}`;
      const question = { role: 'user', content: 'weather? [[sim tool=look]]' };
      const called = await ask(model, { messages: [question] }, stream);
      expect(called.finish).toBe('function_call');
      expect(called.message.tool_calls).toBeUndefined();
      expect(called.message.function_call?.name).toBe('look');
      expect(JSON.parse(called.message.function_call?.arguments ?? '')).toHaveProperty('city');
      const history = [
        question,
        { role: 'assistant', content: null, function_call: called.message.function_call },
        { role: 'function', name: 'look', content: 'sunny' },
      ];
      const answered = await ask(model, { messages: history, function_call: 'none' }, stream);
      expect(answered.finish).toBe('stop');
      expect(answered.message.content).not.toBe('');
      expect(answered.message.function_call).toBeUndefined();
    },
  );
});
