import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import type { Preset, Quirks } from '../../src/catalog/presets/preset.ts';
import { findPreset, vendorPresets } from '../../src/catalog/presets/presets.ts';

/** They have a protocol, and a simulator, of their own. */
const ORIGINALS = ['openai', 'anthropic', 'google'];
const IMITATORS = vendorPresets().filter(({ code }) => !ORIGINALS.includes(code));
const ASKED = { stream_options: { include_usage: true } };

/** What a refusal is about, in a request that OpenAI takes. */
const SAMPLES: Readonly<Record<string, object>> = {
  developer_role: { messages: [{ role: 'developer', content: 'Be short.' }] },
  unknown_fields: { service_tier: 'auto' },
  max_completion_tokens: { max_completion_tokens: 50 },
  logprobs: { logprobs: true },
  top_logprobs: { logprobs: true, top_logprobs: 2 },
  logit_bias: { logit_bias: { 50256: -100 } },
  frequency_penalty: { frequency_penalty: 0.5 },
  presence_penalty: { presence_penalty: 0.5 },
  service_tier: { service_tier: 'auto' },
};

/** What also a vendor with few fields knows. */
const WIDELY_KNOWN = ['developer_role', 'frequency_penalty', 'presence_penalty'];

async function ask(simulator: Simulator, fields: object): Promise<{ status: number; text: string }> {
  const messages = [{ role: 'user', content: '[[sim tokens=4 thinking=3]]' }];
  const answer = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-sim-openai', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'one', messages, ...fields }),
  });
  return { status: answer.status, text: await answer.text() };
}

interface Event {
  readonly usage?: object | null;
  readonly choices: readonly {
    readonly usage?: object;
    readonly delta: Readonly<Record<string, unknown>>;
  }[];
}

function eventsIn(text: string): readonly Event[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Event);
}

/** The quirks of a stream, by its bytes alone: without `stream_options`, and with them. */
function seenIn(unasked: string, asked: string): Omit<Quirks, 'refuses'> {
  const events = eventsIn(unasked);
  const deltas = events.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const hasField = (field: string): boolean => deltas.some((delta) => typeof delta[field] === 'string');
  const said = deltas.map(({ content }) => (typeof content === 'string' ? content : '')).join('');
  return {
    streamUsage: usageIn(events, eventsIn(asked)),
    streamEnd: unasked.includes('data: [DONE]') ? 'done' : 'none',
    streamComments: /^:/m.test(unasked),
    reasoning: hasField('reasoning_content')
      ? 'reasoning_content'
      : hasField('reasoning')
        ? 'reasoning'
        : said.includes('<think>')
          ? 'think_tags'
          : 'none',
  };
}

function usageIn(unasked: readonly Event[], asked: readonly Event[]): Quirks['streamUsage'] {
  const last = unasked.at(-1);
  if (last?.choices.some(({ usage }) => usage !== undefined)) return 'choice';
  if (last?.usage) return 'always';
  return asked.at(-1)?.usage ? 'asked' : 'never';
}

describe('what an imitation of Chat Completions refuses', () => {
  let plain: Simulator;
  beforeAll(async () => {
    plain = await startSimulator({ compatible: { models: ['one'] } });
  });
  afterAll(() => plain?.close());

  it.each(Object.entries(SAMPLES))('%s is taken by one without quirks', async (_name, sample) => {
    expect((await ask(plain, sample)).status).toBe(200);
  });
});

describe.each(IMITATORS)('the quirks of $code', ({ quirks }: Preset) => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator({ compatible: { ...quirks, models: ['one'] } });
  });
  afterAll(() => simulator?.close());

  it('are refusals that the simulator makes, and no others', async () => {
    expect(quirks.refuses.filter((name) => SAMPLES[name] === undefined)).toEqual([]);
    expect((await ask(simulator, {})).status).toBe(200);
    for (const [name, sample] of Object.entries(SAMPLES)) {
      const fields = Object.keys(sample);
      const isRefused =
        quirks.refuses.includes(name) ||
        fields.some((field) => quirks.refuses.includes(field)) ||
        (quirks.refuses.includes('unknown_fields') && !WIDELY_KNOWN.includes(name));
      expect((await ask(simulator, sample)).status >= 400, name).toBe(isRefused);
    }
  });

  it('are what its streams look like', async () => {
    const [unasked, asked] = [
      await ask(simulator, { stream: true }),
      await ask(simulator, { stream: true, ...ASKED }),
    ];
    expect([unasked.status, asked.status]).toEqual([200, 200]);
    const { refuses: _refuses, ...expected } = quirks;
    expect(seenIn(unasked.text, asked.text)).toEqual(expected);
  });
});

describe('the quirks of vendors with a protocol of their own', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator?.close());

  const message = '[[sim tokens=4]]';
  it.each([
    {
      code: 'openai',
      path: '/v1/chat/completions',
      header: { authorization: 'Bearer sk-sim-openai' },
      body: { model: 'gpt-4o', stream: true, ...ASKED, messages: [{ role: 'user', content: message }] },
      usage: '"prompt_tokens"',
    },
    {
      code: 'anthropic',
      path: '/v1/messages',
      header: { 'x-api-key': 'sk-sim-anthropic', 'anthropic-version': '2023-06-01' },
      body: {
        ...{ model: 'claude-opus-5', stream: true, max_tokens: 50 },
        messages: [{ role: 'user', content: message }],
      },
      usage: '"output_tokens"',
    },
    {
      code: 'google',
      path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      header: { 'x-goog-api-key': 'sk-sim-google' },
      body: { contents: [{ role: 'user', parts: [{ text: message }] }] },
      usage: '"candidatesTokenCount"',
    },
  ])('are what the streams of $code look like', async ({ code, path, header, body, usage }) => {
    const answer = await fetch(`${simulator.url}${path}`, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', ...header } as Record<string, string>,
    });
    const text = await answer.text();
    const quirks = findPreset(code)?.quirks;
    expect(answer.status, text).toBe(200);
    expect(text).toContain(usage);
    expect(text.includes('[DONE]') ? 'done' : 'none').toBe(quirks?.streamEnd);
    expect([quirks?.refuses, quirks?.streamComments]).toEqual([[], false]);
  });
});
