import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../../sim/answer/tokens.ts';
import { vectorOf } from '../../../sim/answer/vector.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
let world: World;
let openai: OpenAI;
let google: GoogleGenAI;

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: [
    { code: 'openai', name: 'OpenAI', protocols: ['chat', 'embeddings'], base_url: `${SIM}/v1` },
    { code: 'google', name: 'Google', protocols: ['gemini', 'gemini-embeddings'], base_url: SIM },
  ],
  credentials: [
    { name: 'openai', vendor: 'openai', secret: 'sk-sim-openai' },
    { name: 'google', vendor: 'google', secret: 'sk-sim-google' },
  ],
  models: [
    model('small', { vendor: 'openai', forward_model_id: 'text-embedding-3-small' }),
    model('ada', { vendor: 'openai', forward_model_id: 'text-embedding-ada-002' }),
    model('gemini', { vendor: 'google', forward_model_id: 'gemini-embedding-001' }),
  ],
  policies: [{ id: 1, name: 'default', concurrency: 100, windows: [] }],
  accounts: [
    { email: 'user@example.com', password: 'user-password', user_type: 1, credits: '50000' },
    { email: 'poor@example.com', password: 'user-password', user_type: 1, credits: '0.5' },
  ],
});

function model(
  model_id: string,
  route: { readonly vendor: string; readonly forward_model_id: string },
): object {
  return { model_id, prices: { input: '10' }, routes: [{ ...route, credential: route.vendor }] };
}

beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key, maxRetries: 0 });
  const headers = { Authorization: `Bearer ${world.key}` };
  google = new GoogleGenAI({ apiKey: 'never-forwarded', httpOptions: { baseUrl: world.url, headers } });
});
afterAll(() => world.close());

async function lastCall(): Promise<Record<string, unknown> | undefined> {
  await world.settled();
  const [row] = await world.database.query<Record<string, unknown>>(
    `select status, verdict, estimated, protocol_in, protocol_out, input_fresh, output_text, amount_micro,
            dropped_fields
       from calls order by id desc limit 1`,
  );
  return row;
}

function close(got: readonly number[] | undefined, wanted: readonly number[]): void {
  expect(got?.length).toBe(wanted.length);
  for (const [index, number] of wanted.entries()) expect(got?.[index]).toBeCloseTo(number, 5);
}

describe('with the SDK of OpenAI', () => {
  it.each(['small', 'gemini'])('texts become vectors of %s, as numbers and as base64', async (name) => {
    const input = ['The first text.', 'Another one, longer than the first. [[sim tag=texts]]'];
    const size = name === 'small' ? 1536 : 3072;
    for (const encoding_format of ['float', 'base64', undefined] as const) {
      const answer = await openai.embeddings.create({
        ...{ model: name, input },
        ...(encoding_format !== undefined && { encoding_format }),
      });
      expect(answer.model).toBe(name);
      const tokens = input.reduce((sum, text) => sum + countTokens(text), 0);
      expect(answer.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
      expect(answer.data.map(({ index }) => index)).toEqual([0, 1]);
      for (const [index, text] of input.entries()) {
        const { embedding } = answer.data[index] ?? {};
        const numbers =
          typeof embedding === 'string'
            ? [...new Float32Array(new Uint8Array(Buffer.from(embedding, 'base64')).buffer)]
            : embedding;
        close(numbers, vectorOf(text, size));
      }
      expect(await lastCall()).toMatchObject({
        status: 200,
        verdict: 'complete',
        estimated: false,
        protocol_in: 'embeddings',
        protocol_out: name === 'small' ? 'embeddings' : 'gemini-embeddings',
        input_fresh: BigInt(tokens),
        output_text: 0n,
        amount_micro: BigInt(tokens * 10),
      });
    }
  });

  it('fewer dimensions are asked of the vendor', async () => {
    for (const name of ['small', 'gemini']) {
      const answer = await openai.embeddings.create({ model: name, input: 'x', dimensions: 64 });
      expect(answer.data[0]?.embedding).toHaveLength(64);
    }
    const refused = openai.embeddings.create({ model: 'ada', input: 'x', dimensions: 64 });
    await expect(refused).rejects.toMatchObject({ status: 400 });
  });

  it('ids of tokens are counted as tokens, and cannot be sent to Google', async () => {
    const input = [
      [1, 2, 3],
      [40_000, 5],
    ];
    const answer = await openai.embeddings.create({ model: 'small', input });
    expect(answer.usage.prompt_tokens).toBe(5);
    expect(await lastCall()).toMatchObject({ input_fresh: 5n });
    const refused = openai.embeddings.create({ model: 'gemini', input });
    await expect(refused).rejects.toMatchObject({ status: 400, code: '40004' });
  });

  it('2,048 inputs pass', async () => {
    const input = Array.from({ length: 2048 }, (_, index) => `text ${index}`);
    const short = { dimensions: 128, encoding_format: 'float' } as const;
    const answer = await openai.embeddings.create({ model: 'small', input, ...short });
    expect(answer.data).toHaveLength(2048);
    close(answer.data[2047]?.embedding, vectorOf('text 2047', 128));
  });

  it('a vendor that reports no usage is counted, and says so', async () => {
    const input = 'A text that nobody counts. [[sim usage=none]]';
    const answer = await openai.embeddings.create({ model: 'gemini', input });
    expect(answer.usage.prompt_tokens).toBe(countTokens(input));
    expect(await lastCall()).toMatchObject({ estimated: true, input_fresh: BigInt(countTokens(input)) });
  });

  it('a call that costs more than there is is refused before the vendor hears of it', async () => {
    const key = await world.newKey('poor@example.com');
    const poor = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: key, maxRetries: 0 });
    const input = Array.from({ length: 100 }, () =>
      'many words that cost more than half a Credit '.repeat(20),
    );
    const refused = poor.embeddings.create({ model: 'small', input });
    await expect(refused).rejects.toMatchObject({ status: 403 });
    await expect(refused).rejects.toThrow('Its input alone costs more than that.');
  });

  it('the list of models has them', async () => {
    const names = (await openai.models.list()).data.map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(['small', 'gemini']));
  });
});

describe('with the SDK of Google', () => {
  it.each(['gemini', 'small'])('contents become vectors of %s', async (name) => {
    const contents = ['One content.', 'Another content. [[sim tag=contents]]'];
    const answer = await google.models.embedContent({ model: name, contents });
    expect(answer.embeddings).toHaveLength(2);
    for (const [index, text] of contents.entries()) {
      close(answer.embeddings?.[index]?.values, vectorOf(text, name === 'small' ? 1536 : 3072));
    }
    const tokens = contents.reduce((sum, text) => sum + countTokens(text), 0);
    expect(await lastCall()).toMatchObject({
      status: 200,
      verdict: 'complete',
      protocol_in: 'gemini-embeddings',
      protocol_out: name === 'small' ? 'embeddings' : 'gemini-embeddings',
      input_fresh: BigInt(tokens),
      amount_micro: BigInt(tokens * 10),
    });
  });

  it('what the other form has no place for is told', async () => {
    const config = { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 32 };
    const answer = await google.models.embedContent({ model: 'small', contents: 'x', config });
    expect(answer.embeddings?.[0]?.values).toHaveLength(32);
    expect((await lastCall())?.dropped_fields).toEqual(['taskType']);
  });

  it('one content by its own method', async () => {
    const body = { content: { parts: [{ text: 'alone' }] }, model: 'models/gemini' };
    for (const name of ['gemini', 'small']) {
      const own = { ...body, model: `models/${name}` };
      const response = await world.post(`/v1beta/models/${name}:embedContent`, own);
      expect(response.status).toBe(200);
      const { embedding } = (await response.json()) as { embedding: { values: number[] } };
      close(embedding.values, vectorOf('alone', name === 'small' ? 1536 : 3072));
    }
  });

  it('a body that names another model is refused in the form of Google', async () => {
    const requests = [{ model: 'models/other', content: { parts: [{ text: 'x' }] } }];
    const response = await world.post('/v1beta/models/gemini:batchEmbedContents', { requests });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
  });
});
