import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../../sim/answer/tokens.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type LoggedCall, loggedCall, paidCredits } from '../logged-call.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
let world: World;
let openai: OpenAI;

interface Route {
  readonly vendor: string;
  readonly forward_model_id: string;
}

const INPUT_PRICE = 10n;
const UNIT_PRICE = 14_000n;

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: [
    { code: 'openai', name: 'OpenAI', protocols: ['chat', 'moderations'], base_url: `${SIM}/v1` },
    { code: 'jina', name: 'Jina', protocols: ['rerank'], base_url: `${SIM}/v1` },
    { code: 'cohere', name: 'Cohere', protocols: ['rerank'], base_url: `${SIM}/v2` },
  ],
  credentials: ['openai', 'jina', 'cohere'].map((name) => ({ name, vendor: name, secret: 'sk-sim-openai' })),
  models: [
    model('guard', { vendor: 'openai', forward_model_id: 'omni-moderation-latest' }, { input: '10' }),
    model('free-guard', { vendor: 'openai', forward_model_id: 'omni-moderation-latest' }, {}),
    model('by-tokens', { vendor: 'jina', forward_model_id: 'jina-reranker-v3' }, { input: '10' }),
    model('by-units', { vendor: 'cohere', forward_model_id: 'rerank-v3.5' }, { output: '14000' }),
  ],
  policies: [
    { id: 1, name: 'default', concurrency: 100, windows: [] },
    { id: 2, name: 'two', windows: [{ dimension: 'requests', seconds: 3600, limit: 2 }] },
    { id: 3, name: 'few tokens', windows: [{ dimension: 'tokens', seconds: 3600, limit: 50 }] },
  ],
  accounts: [
    { email: 'user@example.com', password: 'user-password', user_type: 1, credits: '50000' },
    { email: 'poor@example.com', password: 'user-password', user_type: 1, credits: '10' },
  ],
});

function model(model_id: string, route: Route, prices: object): object {
  return { model_id, prices, routes: [{ ...route, credential: route.vendor }] };
}

beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  openai = clientOf(world.key);
});
afterAll(() => world.close());

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey, maxRetries: 0 });
}

async function lastCall(): Promise<LoggedCall> {
  await world.settled();
  const [row] = await world.database.query<{ call_id: string }>(
    'select call_id from calls order by id desc limit 1',
  );
  return loggedCall(world, row?.call_id ?? null);
}

describe('moderations with the SDK of OpenAI', () => {
  const input = ['All is well in the harbour.', 'A story of violence. [[sim tag=moderated]]'];
  // They are counted as one text.
  const tokens = countTokens(input.join(''));

  it('pass through, are counted, and cost what the counted input costs', async () => {
    const answer = await openai.moderations.create({ model: 'guard', input });
    expect(answer.model).toBe('guard');
    expect(answer.results.map(({ flagged }) => flagged)).toEqual([false, true]);
    expect(answer.results[1]?.categories.violence).toBe(true);
    const row = await lastCall();
    expect(row).toMatchObject({
      ...{ status: 200, verdict: 'complete', protocol_in: 'moderations', protocol_out: 'moderations' },
      ...{ estimated: true, input_fresh: BigInt(tokens), output_text: 0n },
      amount_micro: BigInt(tokens) * INPUT_PRICE,
    });
    expect(row.held_micro).toBeGreaterThanOrEqual(BigInt(tokens) * INPUT_PRICE * 1000n);
    const [call] = world.simulator.truth.list('moderated');
    expect(call).toMatchObject({ path: '/v1/moderations', model: 'omni-moderation-latest' });
    expect(Math.abs((call?.inputTokens ?? 0) - tokens)).toBeLessThanOrEqual(1);
  });

  it('of parts count the texts, and pictures by their size', async () => {
    const text = { type: 'text' as const, text: 'What is on this picture?' };
    await openai.moderations.create({ model: 'guard', input: [text] });
    expect(await lastCall()).toMatchObject({ input_fresh: BigInt(countTokens(text.text)) });
    const picture = { type: 'image_url' as const, image_url: { url: 'https://pictures.invalid/a.png' } };
    await openai.moderations.create({ model: 'guard', input: [text, picture] });
    expect((await lastCall()).input_fresh).toBeGreaterThan(BigInt(countTokens(text.text)) + 100n);
  });

  it('are free of charge where the model has no price, and still a call', async () => {
    const key = await world.newKey('user@example.com', { policyId: 2 });
    const limited = clientOf(key);
    for (let count = 0; count < 2; count++) await limited.moderations.create({ model: 'free-guard', input });
    const row = await lastCall();
    expect(row).toMatchObject({ input_fresh: BigInt(tokens), amount_micro: 0n, status: 200 });
    expect(await paidCredits(world, String(row.call_id))).toBe(0n);
    const third = limited.moderations.create({ model: 'free-guard', input });
    await expect(third).rejects.toMatchObject({ status: 429, code: '42902' });
  });

  it('count in the window of tokens', async () => {
    const limited = clientOf(await world.newKey('user@example.com', { policyId: 3 }));
    const long = 'many words '.repeat(40);
    await limited.moderations.create({ model: 'free-guard', input: long });
    const refused = limited.moderations.create({ model: 'free-guard', input: long });
    await expect(refused).rejects.toMatchObject({ status: 429, code: '42903' });
  });

  it('are charged by the input when the client leaves while the vendor is at work', async () => {
    const left = new AbortController();
    const text = 'Nobody waits for this. [[sim delay=5000 tag=left]]';
    const call = openai.moderations.create({ model: 'guard', input: text }, { signal: left.signal });
    await expect.poll(() => world.simulator.truth.list('left').length).toBe(1);
    left.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(async () => (await lastCall()).verdict).toBe('cut-by-client');
    expect(await lastCall()).toMatchObject({ estimated: true, input_fresh: BigInt(countTokens(text)) });
  });

  it('without a model use the default of the catalogue, which log, charge and vendor name', async () => {
    const tagged = 'A harbour without a model. [[sim tag=default]]';
    const answer = await openai.moderations.create({ input: tagged });
    // Neither is called omni-moderation-latest, so it is the first by its id.
    expect(answer.model).toBe('free-guard');
    expect(await lastCall()).toMatchObject({
      model_asked: 'free-guard',
      model_used: 'free-guard',
      status: 200,
      amount_micro: 0n,
    });
    const [call] = world.simulator.truth.list('default');
    expect(call).toMatchObject({ path: '/v1/moderations', model: 'omni-moderation-latest' });
    const given = await world.post('/v1/moderations', { input: tagged });
    expect(given.headers.get('x-tollgate-model')).toBe('free-guard');
  });

  it.each([null, '', 5, ['guard']])('with %j as their model are refused', async (model) => {
    const answer = await world.post('/v1/moderations', { model, input });
    expect(await answer.json()).toMatchObject({ code: 40003, error: { type: 'gateway_error' } });
  });

  it('are not served by a model that makes none, and errors have the form of OpenAI', async () => {
    const wrong = openai.moderations.create({ model: 'by-tokens', input });
    await expect(wrong).rejects.toMatchObject({ error: { type: 'gateway_error' } });
    const list = openai.moderations.create({ model: 'guard', input: [] });
    await expect(list).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
  });
});

interface Ranked {
  readonly model?: string;
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
  readonly usage?: { readonly total_tokens: number };
  readonly meta?: { readonly billed_units?: { readonly search_units: number } };
}

const query = 'Where do the boats land?';

async function rank(path: string, body: object): Promise<{ readonly status: number; readonly told: Ranked }> {
  const response = await world.post(path, body);
  return { status: response.status, told: (await response.json()) as Ranked };
}

describe('reranking', () => {
  const documents = ['The harbour is in the north.', 'Boats land at the pier.', 'Bread is baked at four.'];
  const tokens = documents.reduce((sum, each) => sum + countTokens(query) + countTokens(each), 0);

  it('in the form of Jina passes through, and is charged by the reported tokens', async () => {
    const { status, told } = await rank('/v1/rerank', { model: 'by-tokens', query, documents, top_n: 2 });
    expect(status).toBe(200);
    expect(told).toMatchObject({ model: 'by-tokens', usage: { total_tokens: tokens } });
    expect(told.results).toHaveLength(2);
    const row = await lastCall();
    expect(row).toMatchObject({
      ...{
        status: 200,
        verdict: 'complete',
        estimated: false,
        protocol_in: 'rerank',
        protocol_out: 'rerank',
      },
      ...{ input_fresh: BigInt(tokens), output_text: 0n, amount_micro: BigInt(tokens) * INPUT_PRICE },
    });
    expect(row.held_micro).toBeGreaterThanOrEqual(BigInt(tokens) * INPUT_PRICE * 1000n);
  });

  it.each([1, 100, 101, 250])(
    'in the form of Cohere is charged by search units: %i documents',
    async (count) => {
      const many = Array.from({ length: count }, (_, index) => `Document ${index} is about boats.`);
      for (const path of ['/v2/rerank', '/v1/rerank']) {
        const { told } = await rank(path, { model: 'by-units', query, documents: many });
        const units = Math.ceil(count / 100);
        expect(told.meta?.billed_units).toEqual({ search_units: units });
        expect(told.results).toHaveLength(count);
        const row = await lastCall();
        const costMicro = BigInt(units) * UNIT_PRICE;
        expect(row).toMatchObject({
          ...{ estimated: false, input_fresh: 0n, output_text: BigInt(units), amount_micro: costMicro },
        });
        expect(row.held_micro).toBeGreaterThanOrEqual(costMicro * 1000n);
        expect(row.held_micro).toBeLessThanOrEqual(costMicro * 1000n * 2n);
      }
    },
  );

  it('of long documents holds what their pieces may cost', async () => {
    const long = Array.from({ length: 60 }, (_, index) => `${index} ${'boats and piers '.repeat(500)}`);
    const { told } = await rank('/v1/rerank', { model: 'by-units', query, documents: long });
    const units = told.meta?.billed_units?.search_units ?? 0;
    expect(units).toBeGreaterThan(1);
    const row = await lastCall();
    expect(row).toMatchObject({ output_text: BigInt(units), amount_micro: BigInt(units) * UNIT_PRICE });
    expect(row.held_micro).toBeGreaterThanOrEqual(BigInt(units) * UNIT_PRICE * 1000n);
  });

  it('takes documents as objects, and returns them', async () => {
    const objects = documents.map((text) => ({ text }));
    const { told } = await rank('/v1/rerank', {
      ...{ model: 'by-tokens', query, documents: objects, return_documents: true },
    });
    expect(told.results[0]).toMatchObject({ document: { text: expect.any(String) } });
    expect(await lastCall()).toMatchObject({ input_fresh: BigInt(tokens), estimated: false });
  });

  it('without a report is charged by the counted texts, and says so', async () => {
    const asked = `${query} [[sim usage=none]]`;
    const counted = [asked, ...documents].reduce((sum, each) => sum + countTokens(each), 0);
    // Units are counted only where nothing else has a price.
    for (const [name, units] of [
      ['by-tokens', 0],
      ['by-units', 1],
    ] as const) {
      await rank('/v1/rerank', { model: name, query: asked, documents });
      expect(await lastCall()).toMatchObject({
        ...{ estimated: true, input_fresh: BigInt(counted), output_text: BigInt(units) },
        amount_micro: units === 0 ? BigInt(counted) * INPUT_PRICE : UNIT_PRICE,
      });
    }
  });

  it.each([
    [40, 1],
    [101, 2],
  ])(
    'of %i documents that the client leaves while the vendor is at work owes %i search units',
    async (count, units) => {
      const tag = `left-${count}`;
      const many = Array.from({ length: count }, () => `Boats. [[sim delay=20000 tag=${tag}]]`);
      const left = new AbortController();
      const call = fetch(`${world.url}/v2/rerank`, {
        ...{ method: 'POST', headers: world.headers(), signal: left.signal },
        body: JSON.stringify({ model: 'by-units', query, documents: many }),
      });
      await expect.poll(() => world.simulator.truth.list(tag).length).toBe(1);
      left.abort();
      await expect(call).rejects.toThrow();
      await expect.poll(async () => (await lastCall()).verdict).toBe('cut-by-client');
      const row = await lastCall();
      expect(row).toMatchObject({ estimated: true, output_text: BigInt(units) });
      expect(row.amount_micro).toBe(BigInt(units) * UNIT_PRICE);
      expect(row.amount_micro as bigint).toBeLessThanOrEqual((row.held_micro as bigint) / 1000n);
    },
  );

  it('that costs more than there is is refused before the vendor hears of it', async () => {
    const key = await world.newKey('poor@example.com');
    const many = Array.from({ length: 250 }, () => 'A document. [[sim tag=unpaid]]');
    const response = await world.post(
      '/v1/rerank',
      { model: 'by-units', query, documents: many },
      world.headers(key),
    );
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 40201, error: { type: 'gateway_error' } });
    expect(world.simulator.truth.list('unpaid')).toEqual([]);
  });

  it('gets the errors of the vendor as they are', async () => {
    const response = await world.post('/v1/rerank', { model: 'by-units', query, documents: [] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('documents') });
  });
});

it('the list of models has all of them', async () => {
  const names = (await openai.models.list()).data.map(({ id }) => id);
  expect(names).toEqual(expect.arrayContaining(['guard', 'free-guard', 'by-tokens', 'by-units']));
});
