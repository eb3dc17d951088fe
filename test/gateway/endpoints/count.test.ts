import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
let anthropic: Anthropic;
let openai: OpenAI;
let google: GoogleGenAI;
beforeAll(async () => {
  world = await startWorld();
  anthropic = new Anthropic({ baseURL: world.url, apiKey: world.key, maxRetries: 0 });
  openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key, maxRetries: 0 });
  const headers = { Authorization: `Bearer ${world.key}` };
  google = new GoogleGenAI({ apiKey: 'unused', httpOptions: { baseUrl: world.url, headers } });
});
afterAll(() => world.close());

const CLAUDE = 'claude-sonnet-5';
const GEMINI = 'gemini-3-pro';
const TEXT = 'The quick brown fox jumps over the lazy dog.';
const TOOL = { name: 'weather', input_schema: { type: 'object' as const, properties: {} } };
const messages = [{ role: 'user' as const, content: TEXT }];
const contents = [{ role: 'user', parts: [{ text: TEXT }] }];

interface GoogleCount {
  readonly totalTokens: number;
  readonly promptTokensDetails: readonly { readonly modality: string; readonly tokenCount: number }[];
}

async function countGemini(body: unknown, model = GEMINI): Promise<GoogleCount & { estimated: boolean }> {
  const response = await world.post(`/v1beta/models/${model}:countTokens`, body);
  const answer = (await response.json()) as GoogleCount;
  expect([response.status, answer]).toMatchObject([200, {}]);
  return { ...answer, estimated: response.headers.get('x-tollgate-estimated') === 'true' };
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
}

describe('a vendor of the client’s protocol counts', () => {
  it('Messages, and its count is what the call is charged for', async () => {
    const asked = { model: CLAUDE, messages, system: 'Be brief.', tools: [TOOL] };
    const { data, response, request_id } = await anthropic.messages.countTokens(asked).withResponse();
    const answered = await anthropic.messages.create({ ...asked, max_tokens: 100 });
    expect(data).toEqual({ input_tokens: answered.usage.input_tokens });
    expect(response.headers.get('x-tollgate-estimated')).toBeNull();
    expect(response.headers.get('x-tollgate-model')).toBe(CLAUDE);
    expect(request_id).toMatch(/^req_/);
  });

  it('Responses, under the vendor’s model name', async () => {
    const asked = { model: 'gpt-5', input: TEXT, instructions: 'Be brief.' };
    const { data, response } = await openai.responses.inputTokens.count(asked).withResponse();
    const answered = await openai.responses.create(asked);
    const object = 'response.input_tokens';
    expect(data).toMatchObject({ object, input_tokens: answered.usage?.input_tokens });
    expect(response.headers.get('x-tollgate-estimated')).toBeNull();
  });

  it('Responses that continue an answer, with the whole conversation', async () => {
    const first = await openai.responses.create({ model: 'gpt-5', input: `${TEXT} [[sim tokens=40]]` });
    const bare = await openai.responses.inputTokens.count({ model: 'gpt-5', input: 'And?' });
    const continued = await openai.responses.inputTokens.count({
      model: 'gpt-5',
      input: 'And?',
      previous_response_id: first.id,
    });
    expect(continued.input_tokens).toBeGreaterThan(bare.input_tokens + 45);
    const unknown = { model: 'gpt-5', input: 'And?', previous_response_id: 'resp_unknown' };
    expect(await failureOf(openai.responses.inputTokens.count(unknown))).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    });
  });

  it('generateContent', async () => {
    const counted = await google.models.countTokens({ model: GEMINI, contents });
    const answered = await google.models.generateContent({ model: GEMINI, contents });
    expect(counted.totalTokens).toBe(answered.usageMetadata?.promptTokenCount);
  });

  it('generateContent as a whole, in an envelope of either spelling or without one', async () => {
    const systemInstruction = { parts: [{ text: TEXT.repeat(5) }] };
    const bare = await countGemini({ contents });
    const whole = { contents, systemInstruction };
    const bodies = [
      { generateContentRequest: { model: `models/${GEMINI}`, ...whole } },
      { generateContentRequest: whole },
      { generate_content_request: { contents, system_instruction: systemInstruction } },
      whole,
      { contents, system_instruction: systemInstruction, model: `models/${GEMINI}` },
    ];
    const counts = await Promise.all(bodies.map((body) => countGemini(body)));
    expect(new Set(counts.map(({ totalTokens }) => totalTokens)).size).toBe(1);
    expect(counts.every(({ estimated }) => !estimated)).toBe(true);
    expect(counts[0]?.totalTokens).toBeGreaterThan(bare.totalTokens + 40);
  });

  it('a history with thoughts of another vendor', async () => {
    const question = { role: 'user' as const, content: `${TEXT} [[sim thinking=12 tokens=5]]` };
    const told = await anthropic.messages.create({
      model: 'gpt-5',
      max_tokens: 2_000,
      thinking: { type: 'adaptive' },
      messages: [question],
    });
    expect(told.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    const history = [question, { role: 'assistant' as const, content: told.content }, ...messages];
    const asked = { model: CLAUDE, messages: history };
    const { data, response } = await anthropic.messages.countTokens(asked).withResponse();
    expect(response.headers.get('x-tollgate-estimated')).toBeNull();
    expect(data.input_tokens).toBeGreaterThan(20);
  });

  it('and reports what is wrong with the request', async () => {
    const wrong = { model: CLAUDE, messages: [{ role: 'tool' as 'user', content: 'x' }] };
    expect(await failureOf(anthropic.messages.countTokens(wrong))).toMatchObject({
      status: 400,
      error: { error: { type: 'invalid_request_error' } },
    });
    const more = { model: 'gpt-5', input: 'x', max_output_tokens: 20 };
    expect(await failureOf(openai.responses.inputTokens.count(more))).toMatchObject({
      status: 400,
      code: 'unknown_parameter',
    });
  });
});

describe('the gateway counts without such a vendor', () => {
  it('for Messages clients of an OpenAI model', async () => {
    const { data, response } = await anthropic.messages
      .countTokens({ model: 'gpt-5', messages, tools: [TOOL] })
      .withResponse();
    expect(Object.keys(data)).toEqual(['input_tokens']);
    expect(data.input_tokens).toBeGreaterThan(20);
    expect(data.input_tokens).toBeLessThan(60);
    expect(response.headers.get('x-tollgate-estimated')).toBe('true');
  });

  it('for Responses clients of a Claude model', async () => {
    const counted = await openai.responses.inputTokens.count({ model: CLAUDE, input: TEXT });
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
    expect(counted.input_tokens).toBeGreaterThan(9);
    expect(counted.input_tokens).toBeLessThan(25);
  });

  it('for Google clients of a Claude model, with an envelope or not', async () => {
    const counts = [
      await countGemini({ contents }, CLAUDE),
      await countGemini({ generateContentRequest: { contents } }, CLAUDE),
    ];
    for (const { totalTokens, promptTokensDetails, estimated } of counts) {
      expect(estimated).toBe(true);
      expect(totalTokens).toBe(counts[0]?.totalTokens);
      expect(totalTokens).toBeGreaterThan(9);
      expect(promptTokensDetails).toEqual([{ modality: 'TEXT', tokenCount: totalTokens }]);
    }
    const counted = await google.models.countTokens({ model: CLAUDE, contents });
    expect(counted.totalTokens).toBe(counts[0]?.totalTokens);
  });
});

describe('a refused count', () => {
  const path = '/v1/messages/count_tokens';

  it.each([
    ['a model above the account’s level', { model: 'verified-only', messages }, 403, 40203],
    ['a model above the account’s plan', { model: 'plan-only', messages }, 403, 40203],
    ['an unknown model', { model: 'nobody', messages }, 502, 50201],
    ['a model that has no text', { model: 'gpt-image-1', messages }, 400, 40004],
    ['no model', { messages }, 400, 40003],
    ['no JSON', '{"model":', 400, 40002],
  ])('%s', async (_, body, status, code) => {
    const response = await world.post(path, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: 'error', code, error: { code: String(code) } });
  });

  it('without a key, or with another media type, has the error of a call', async () => {
    const stranger = await world.post(path, {}, { authorization: 'Bearer sk-garbage' });
    expect([stranger.status, await stranger.json()]).toMatchObject([401, { code: 40101 }]);
    const form = await world.post(path, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([form.status, await form.json()]).toMatchObject([415, { code: 41501 }]);
    const google = await world.post(`/v1beta/models/verified-only:countTokens`, { contents });
    expect(await google.json()).toMatchObject({ error: { code: '40203', status: 'PERMISSION_DENIED' } });
  });
});

describe('a count', () => {
  it('leaves no row and takes no Credits, also of an account without Credits', async () => {
    const key = await world.newKey('empty@example.com');
    await world.settled();
    const query =
      'select (select count(*) from calls)::int as calls, sum(credits_micro) as credits from accounts';
    const before = await world.database.query(query);
    for (const model of [CLAUDE, 'gpt-5']) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await world.post('/v1/messages/count_tokens', { model, messages }, headers);
      expect([model, response.status]).toEqual([model, 200]);
    }
    await world.settled();
    expect(await world.database.query(query)).toEqual(before);
  });

  it('has the limits of the key’s policy, in windows of its own', async () => {
    const headers = { authorization: `Bearer ${await world.newKey('user@example.com', { policyId: 3 })}` };
    const count = () => world.post('/v1/messages/count_tokens', { model: 'gpt-5', messages }, headers);
    const call = () => world.post('/v1/messages', { model: CLAUDE, max_tokens: 20, messages }, headers);
    expect([(await count()).status, (await count()).status]).toEqual([200, 200]);
    const refused = await count();
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 42902 }]);
    expect(refused.headers.get('x-tollgate-limit')).toMatch(/^requests; limit=2; used=2; window=60/);
    // Two a minute are still free for calls.
    expect([(await call()).status, (await call()).status, (await call()).status]).toEqual([200, 200, 429]);
  });
});
