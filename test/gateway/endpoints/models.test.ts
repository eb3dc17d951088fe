import Anthropic, { NotFoundError as AnthropicNotFound } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

/** Models that may be listed, and one of every kind that may not. */
const CATALOG = `
vendors:
  - { code: openai, name: OpenAI, icon: o, protocols: [chat, responses, images], base_url: "\${SIM}/v1" }
  - { code: anthropic, name: Anthropic, icon: a, protocols: [messages], base_url: "\${SIM}" }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-sim-openai }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic }
models:
  - model_id: zeta
    name: The last one
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }]
  - model_id: claude-sonnet-5
    name: Claude Sonnet 5
    context_window: 1000000
    max_output_tokens: 64000
    routes: [{ vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5 }]
  - model_id: acme/模型
    name: Acme
    restriction: { kind: verification, level: 1 }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5 }]
  - model_id: gpt-image-1
    name: GPT Image 1
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-image-1, protocols: [images] }]
  - model_id: enterprise-only
    name: For enterprises
    restriction: { kind: verification, level: 2 }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5 }]
  - model_id: plan-only
    name: For subscribers
    restriction: { kind: plan, level: 2 }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5 }]
  - model_id: hidden
    name: Hidden
    client_visible: false
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5 }]
  - model_id: disabled
    name: Disabled
    status: disabled
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5 }]
  - model_id: no-route
    name: Without a route
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5, status: disabled }]
plans:
  - { code: PRO, level: 2, name: Pro, price: "199", days: 30 }
accounts:
  - { email: user@example.com, password: "a test password", user_type: 1 }
  - { email: new@example.com, password: "a test password", user_type: 0 }
  - { email: pro@example.com, password: "a test password", user_type: 2, subscription: { plan: PRO, days: 30 } }
`;

const TEXT_MODELS = ['acme/模型', 'claude-sonnet-5', 'zeta'];
const UNLISTED = ['enterprise-only', 'plan-only', 'hidden', 'disabled', 'no-route', 'unheard-of'];

const TEXT_ENDPOINTS = ['/v1/chat/completions', '/v1/messages', '/v1/responses'];

const endpointsIn = (model: object): unknown =>
  'supported_endpoints' in model ? model.supported_endpoints : null;

let world: World;
let newcomer: string;
let subscriber: string;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  newcomer = await world.newKey('new@example.com');
  subscriber = await world.newKey('pro@example.com');
});
afterAll(() => world.close());

const openai = (apiKey = world.key): OpenAI =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey, maxRetries: 0 });
const anthropic = (apiKey = world.key): Anthropic =>
  new Anthropic({ baseURL: world.url, apiKey, maxRetries: 0 });
const google = (key = world.key, baseUrl = world.url): GoogleGenAI => {
  const headers = { Authorization: `Bearer ${key}` };
  return new GoogleGenAI({ apiKey: 'unused', httpOptions: { baseUrl, headers } });
};

async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(world.url + path, { method, headers: { authorization: `Bearer ${world.key}`, ...headers } });
}

describe('the OpenAI SDK', () => {
  it('lists the models the account can call, in the order of their ids', async () => {
    const models = await gather(openai().models.list());
    expect(models.map(({ id }) => id)).toEqual(['acme/模型', 'claude-sonnet-5', 'gpt-image-1', 'zeta']);
    expect(models[1]).toEqual({
      id: 'claude-sonnet-5',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'anthropic',
      supported_endpoints: TEXT_ENDPOINTS,
    });
  });

  it('shows when a model entered the catalogue, in whole seconds', async () => {
    const [row] = await world.database.query<{ seconds: bigint }>(
      `select extract(epoch from created_at)::bigint as seconds from models where model_id = 'zeta'`,
    );
    const { created } = await openai().models.retrieve('zeta');
    expect(Number.isInteger(created)).toBe(true);
    expect(Math.abs(created - Number(row?.seconds))).toBeLessThanOrEqual(1);
    expect(created).toBeGreaterThan(1_700_000_000);
  });

  it('shows by which endpoints a model is called', async () => {
    const listed = await gather(openai().models.list());
    const endpoints = Object.fromEntries(listed.map((model) => [model.id, endpointsIn(model)]));
    expect(endpoints).toEqual({
      'acme/模型': [...TEXT_ENDPOINTS, '/v1/images/generations'].sort(),
      'claude-sonnet-5': TEXT_ENDPOINTS,
      'gpt-image-1': ['/v1/images/generations'],
      zeta: TEXT_ENDPOINTS,
    });
    expect(endpointsIn(await openai().models.retrieve('gpt-image-1'))).toEqual(['/v1/images/generations']);
  });

  it('shows one model of any name', async () => {
    for (const id of TEXT_MODELS) expect(await openai().models.retrieve(id)).toMatchObject({ id });
  });

  it('finds no model that is not listed', async () => {
    for (const id of UNLISTED) {
      const error = await failureOf(openai().models.retrieve(id));
      expect(error, id).toBeInstanceOf(NotFoundError);
      expect((error as NotFoundError).message).toContain(`The model "${id}" does not exist`);
    }
  });
});

describe('the Anthropic SDK', () => {
  it('lists models that can be called with Messages', async () => {
    const models = await gather(anthropic().models.list());
    expect(models.map(({ id }) => id)).toEqual(TEXT_MODELS);
    expect(models[1]).toMatchObject({
      type: 'model',
      display_name: 'Claude Sonnet 5',
      created_at: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      max_input_tokens: 1_000_000,
      max_tokens: 64_000,
    });
  });

  it('turns the pages in both directions', async () => {
    const forward = await gather(anthropic().models.list({ limit: 1 }));
    expect(forward.map(({ id }) => id)).toEqual(TEXT_MODELS);
    const backward = await gather(anthropic().models.list({ limit: 1, before_id: 'zeta' }));
    expect(backward.map(({ id }) => id)).toEqual(['claude-sonnet-5', 'acme/模型']);
  });

  it('shows one model, and finds none that is not listed', async () => {
    expect(await anthropic().models.retrieve('acme/模型')).toMatchObject({
      type: 'model',
      display_name: 'Acme',
    });
    for (const id of [...UNLISTED, 'gpt-image-1']) {
      const error = await failureOf(anthropic().models.retrieve(id));
      expect(error, id).toBeInstanceOf(AnthropicNotFound);
      expect((error as AnthropicNotFound).requestID).toMatch(/^req_/);
    }
  });
});

describe('the Google SDK', () => {
  it('lists models that can be called with generateContent, page by page', async () => {
    for (const baseUrl of [world.url, `${world.url}/v1`]) {
      const pager = await google(world.key, baseUrl).models.list({ config: { pageSize: 2 } });
      const models = await gather(pager);
      expect(models.map(({ name }) => name)).toEqual(TEXT_MODELS.map((id) => `models/${id}`));
      expect(models[1]).toMatchObject({
        displayName: 'Claude Sonnet 5',
        inputTokenLimit: 1_000_000,
        outputTokenLimit: 64_000,
      });
      expect(models[1]?.supportedActions).toContain('countTokens');
    }
  });

  it('gets its own list also under /v1', async () => {
    const httpOptions = {
      baseUrl: world.url,
      apiVersion: 'v1',
      headers: { Authorization: `Bearer ${world.key}` },
    };
    const client = new GoogleGenAI({ apiKey: 'unused', httpOptions });
    expect(await gather(await client.models.list())).toHaveLength(TEXT_MODELS.length);
  });

  it('shows one model, and finds none that is not listed', async () => {
    const model = await google().models.get({ model: 'claude-sonnet-5' });
    expect(model).toMatchObject({ name: 'models/claude-sonnet-5', displayName: 'Claude Sonnet 5' });
    for (const id of UNLISTED) {
      const error = await failureOf(google().models.get({ model: id }));
      expect(error).toMatchObject({ status: 404, message: expect.stringContaining('NOT_FOUND') });
    }
  });
});

describe('the list of models', () => {
  it('leaves out models above the account’s verification', async () => {
    const models = await gather(openai(newcomer).models.list());
    expect(models.map(({ id }) => id)).toEqual(['claude-sonnet-5', 'gpt-image-1', 'zeta']);
    expect(await failureOf(openai(newcomer).models.retrieve('acme/模型'))).toBeInstanceOf(NotFoundError);
  });

  it('contains models of a higher level and of a plan', async () => {
    const models = await gather(anthropic(subscriber).models.list());
    expect(models.map(({ id }) => id)).toEqual([
      'acme/模型',
      'claude-sonnet-5',
      'enterprise-only',
      'plan-only',
      'zeta',
    ]);
  });
});

describe('a list over plain HTTP', () => {
  it('is what Claude Code reads its models from', async () => {
    const response = await get('/v1/models?limit=1000', { 'anthropic-version': '2023-06-01' });
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
    const body = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(['data', 'has_more', 'first_id', 'last_id']);
    expect(body).toMatchObject({ has_more: false, first_id: 'acme/模型', last_id: 'zeta' });
  });

  it('has the format of the client', async () => {
    const keysOf = async (path: string, headers: Record<string, string>): Promise<string[]> =>
      Object.keys((await (await get(path, headers)).json()) as object);
    expect(await keysOf('/v1/models', {})).toEqual(['object', 'data']);
    expect(await keysOf('/v1/models', { 'x-goog-api-key': 'k' })).toEqual(['models']);
    expect(await keysOf('/v1beta/models', { 'anthropic-version': '2023-06-01' })).toEqual(['models']);
    expect(await keysOf('/v1/v1beta/models?pageSize=1', {})).toEqual(['models', 'nextPageToken']);
  });

  it('needs a key, and is refused in the client’s format', async () => {
    for (const path of ['/v1/models', '/v1/models/zeta', '/v1beta/models']) {
      const nobody = await fetch(world.url + path, { headers: { 'x-api-key': world.key } });
      expect([path, nobody.status, await nobody.json()]).toMatchObject([path, 400, { code: 40001 }]);
      const stranger = await get(path, { authorization: 'Bearer sk-garbage' });
      expect([path, stranger.status]).toEqual([path, 401]);
    }
    const headers = { 'anthropic-version': '2023-06-01', authorization: 'Bearer sk-garbage' };
    expect(await (await get('/v1/models', headers)).json()).toMatchObject({ type: 'error', code: 40101 });
  });

  it('answers HEAD without a body, and no other method', async () => {
    const head = await get('/v1/models', {}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await get('/v1/models', {}, 'POST');
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const remove = await get('/v1/models/zeta', {}, 'DELETE');
    expect([remove.status, remove.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('contains a model under its plain and its encoded name', async () => {
    for (const name of ['acme/%E6%A8%A1%E5%9E%8B', encodeURIComponent('acme/模型')]) {
      expect(await (await get(`/v1/models/${name}`)).json()).toMatchObject({ id: 'acme/模型' });
    }
  });
});

describe('a request for models', () => {
  it('is not a call: it leaves no row', async () => {
    await openai().models.list();
    await world.settled();
    expect(await world.database.query('select call_id from calls')).toEqual([]);
  });
});
