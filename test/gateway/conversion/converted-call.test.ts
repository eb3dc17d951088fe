import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

/** One model for each protocol a vendor can speak, and no other way to reach it. */
const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini'] as const;
/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
const VENDORS = {
  chat: { model: 'gpt-4o', secret: 'sk-sim-openai', base: `${SIM}/v1` },
  responses: { model: 'gpt-4o', secret: 'sk-sim-openai', base: `${SIM}/v1` },
  messages: { model: 'claude-sonnet-5', secret: 'sk-sim-anthropic', base: SIM },
  gemini: { model: 'gemini-2.5-flash', secret: 'sk-sim-google', base: SIM },
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

interface Client {
  ask(model: string, prompt: string, stream: boolean): { readonly path: string; readonly body: unknown };
  /** Text of a plain answer, or of the events of a stream. */
  text(answers: readonly Record<string, never>[]): string;
  readonly terminator: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the four wire forms are read as they come
type Wire = any;

const CLIENTS: Readonly<Record<(typeof UPSTREAMS)[number], Client>> = {
  chat: {
    ask: (model, content, stream) => ({
      path: '/v1/chat/completions',
      body: { model, stream, messages: [{ role: 'user', content }] },
    }),
    text: (answers) =>
      answers.map(({ choices }: Wire) => (choices[0]?.message ?? choices[0]?.delta)?.content ?? '').join(''),
    terminator: 'data: [DONE]',
  },
  responses: {
    ask: (model, input, stream) => ({ path: '/v1/responses', body: { model, stream, input, store: false } }),
    text: (answers) =>
      answers
        .map(({ type, delta, output }: Wire) =>
          type === 'response.output_text.delta'
            ? delta
            : (output ?? []).map(({ content }: Wire) => content?.[0]?.text ?? '').join(''),
        )
        .join(''),
    terminator: 'event: response.completed',
  },
  messages: {
    ask: (model, content, stream) => ({
      path: '/v1/messages',
      body: { model, stream, max_tokens: 1000, messages: [{ role: 'user', content }] },
    }),
    text: (answers) =>
      answers
        .map(
          ({ delta, content }: Wire) => delta?.text ?? content?.map(({ text }: Wire) => text).join('') ?? '',
        )
        .join(''),
    terminator: 'event: message_stop',
  },
  gemini: {
    ask: (model, text, stream) => ({
      path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      body: { contents: [{ role: 'user', parts: [{ text }] }] },
    }),
    text: (answers) =>
      answers
        .map(({ candidates }: Wire) => candidates[0].content.parts.map((part: Wire) => part.text).join(''))
        .join(''),
    terminator: '"finishReason"',
  },
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
});
afterAll(() => world.close());

describe.each(UPSTREAMS)('a client of %s', (protocol) => {
  const client = CLIENTS[protocol];

  test.each(UPSTREAMS)(
    'reads the plain answer of a vendor that speaks %s, and is charged for it',
    async (upstream) => {
      const tag = `plain-${protocol}-${upstream}`;
      const { path, body } = client.ask(`to-${upstream}`, `hello [[sim tag=${tag} tokens=40]]`, false);
      const response = await world.post(path, body);
      const answer = await response.json();
      expect(response.status, JSON.stringify(answer)).toBe(200);
      const truth = world.simulator.truth.find(tag);
      expect(client.text([answer as never])).toBe(truth?.said?.text);
      await expectCharged(response, truth);
    },
  );

  test.each(UPSTREAMS)(
    'reads the stream of a vendor that speaks %s, and is charged for it',
    async (upstream) => {
      const tag = `stream-${protocol}-${upstream}`;
      const { path, body } = client.ask(`to-${upstream}`, `hello [[sim tag=${tag} tokens=40]]`, true);
      const response = await world.post(path, body);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      const events = text.split(/\r?\n/).filter((line) => line.startsWith('data: {'));
      const truth = world.simulator.truth.find(tag);
      expect(client.text(events.map((line) => JSON.parse(line.slice(6)) as never))).toBe(truth?.said?.text);
      expect(text).toContain(client.terminator);
      await expectCharged(response, truth);
    },
  );

  test('reads the stream of a Chat Completions vendor that leaves [DONE] out', async () => {
    const tag = `no-done-${protocol}`;
    const prompt = `hello [[sim tag=${tag} tokens=40 fault=no-terminator]]`;
    const { path, body } = client.ask('to-chat', prompt, true);
    const response = await world.post(path, body);
    const text = await response.text();
    const events = text.split(/\r?\n/).filter((line) => line.startsWith('data: {'));
    const truth = world.simulator.truth.find(tag);
    expect(client.text(events.map((line) => JSON.parse(line.slice(6)) as never))).toBe(truth?.said?.text);
    expect(text).toContain(client.terminator);
    await expectCharged(response, truth);
  });
});

async function expectCharged(
  response: Response,
  truth: { readonly inputTokens: number; readonly outputTokens: number } | undefined,
): Promise<void> {
  await world.settled();
  const [row] = await world.database.query<Record<string, unknown>>(
    'select verdict, estimated, amount_micro from calls where call_id = $1',
    [response.headers.get('x-request-id')],
  );
  const amount = BigInt((truth?.inputTokens ?? 0) * 10 + (truth?.outputTokens ?? 0) * 30);
  expect(row).toEqual({ verdict: 'complete', estimated: false, amount_micro: amount });
}
