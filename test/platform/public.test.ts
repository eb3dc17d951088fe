import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLogin, updateAccount } from '../../src/store/accounts/accounts.ts';
import { startWorld, type World } from '../support/world.ts';
import { operatorOf } from './admin/operator.ts';

const CATALOG = `
system_rate: 95.5
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, name: OpenAI, icon: openai-icon, protocols: [chat, responses, images], base_url: "\${SIM}/v1", rate: 90 }
  - { code: anthropic, name: Anthropic, icon: a, protocols: [messages], base_url: "\${SIM}" }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-sim-openai, rate: 80 }
  - { name: openai-off, vendor: openai, secret: sk-sim-openai, status: disabled }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic }
models:
  - model_id: two-ways
    name: Two ways
    support_features: [text, image]
    prices: { input: "10", output: "30.25", cache_input: "1.5" }
    routes:
      - { vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat], rate_multiplier: 1.25, priority: 1 }
      - { vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5, priority: 20 }
      - { vendor: openai, credential: openai-main, forward_model_id: gpt-4.1, protocols: [chat], status: disabled }
      - { vendor: openai, credential: openai-off, forward_model_id: gpt-4.1, protocols: [chat] }
  - { model_id: secret-model, name: Hidden, client_visible: false, prices: { input: "1", output: "1" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }] }
  - { model_id: asleep, name: Asleep, status: disabled, prices: { input: "1", output: "1" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }] }
  - { model_id: for-plans, name: For plans, restriction: { kind: plan, level: 3 }, prices: { input: "1", output: "1" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }] }
  - { model_id: painter, name: Painter, support_features: [image], prices: { image: "0.3" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-image-1, protocols: [images] }] }
policies: [{ id: 1, name: default, concurrency: 500, windows: [] }]
nodes:
  - { name: local, base_url: "https://local.example.com", region: here, rate: 97.5 }
  - { name: away, base_url: "https://away.example.com", region: there }
announcements:
  - { id: 1, title: Now, body: valid now, starts_at: "2020-01-01 00:00:00", ends_at: "2999-01-01 00:00:00" }
  - { id: 2, title: Over, body: long over, starts_at: "2020-01-01 00:00:00", ends_at: "2021-01-01 00:00:00" }
  - { id: 3, title: Later, body: not yet, starts_at: "2998-01-01 00:00:00", ends_at: "2999-01-01 00:00:00" }
accounts:
  - { email: user@example.com, password: "a test password", credits: "50000", user_type: 1 }
  - { email: other@example.com, password: "a test password", credits: "50000", user_type: 1 }
  - { email: operator@example.com, password: "a test password", role: operator }
`;

let world: World;
let token: string;

beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG, environment: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' } });
  token = await world.login('user@example.com');
});
afterAll(() => world.close());

async function call(model: string, options: { readonly key?: string; readonly stream?: boolean } = {}) {
  const { key = world.key, stream = false } = options;
  const content = 'say something [[sim tokens=60 pace=2]]';
  const body = { model, stream, messages: [{ role: 'user', content }], ...(stream && STREAM_OPTIONS) };
  const response = await world.post('/v1/chat/completions', body, world.headers(key));
  await response.text();
  expect(response.status).toBe(200);
}
const STREAM_OPTIONS = { stream_options: { include_usage: true } };

const MODEL_KEYS = [
  ...['id', 'model_id', 'name', 'status', 'client_visible', 'rate_multiplier'],
  ...['vendor_code', 'vendor_name', 'forward_model_id'],
];

describe('rule I-49: the envelope', () => {
  test('has code 0 and message ok on success', async () => {
    const { body } = await world.api('GET', '/models');
    expect([body.code, body.message, Array.isArray(body.data)]).toEqual([0, 'ok', true]);
    expect(Object.keys(body).toSorted()).toEqual(['code', 'data', 'message']);
  });

  test('has total, page and size for a page', async () => {
    const { body } = await world.api('GET', '/call-log/page?page=2&size=7', { token });
    expect([body.page, body.size]).toEqual([2, 7]);
    expect(body.total).toBeTypeOf('number');
  });

  test.each([
    ['/call-log/page?page=0', /page/],
    ['/call-log/page?size=101', /size/],
    ['/call-log/page?size=1e1', /size/],
    ['/call-log/page?from=yesterday', /from/],
    ['/call-log/page?to=2026-02-30%2000:00:00', /to/],
    ['/call-log/page?from=2026-02-02%2000:00:00&to=2026-02-02%2000:00:00', /from/],
    ['/call-log/page?status=fine', /status/],
    ['/call-log/page?protocol=smoke', /protocol/],
    ['/call-log/page?key_id=-1', /key_id/],
    ['/consumption-log/page?status=ok', /status/],
    ['/stats/trend?granularity=year', /granularity/],
    ['/stats/trend?from=2020-01-01%2000:00:00', /from/],
    ['/call-log/export?from=2020-01-01%2000:00:00', /from/],
    ['/call-log/export?format=xml', /format/],
    ['/call-log/detail/1e3', /id/],
    ['/model-rank/list?by=beauty', /by/],
  ])('has 1001 and the parameter for %s', async (path, name) => {
    const { status, body } = await world.api('GET', path, { token });
    expect([status, body.code]).toEqual([400, 1001]);
    expect(body.message).toMatch(name);
  });
});

describe('rule I-59: the model list', () => {
  test('returns only models that are enabled and client-visible, with exactly these fields', async () => {
    const { body } = await world.api('GET', '/models');
    const rows = body.data as Record<string, unknown>[];
    expect(new Set(rows.map(({ model_id }) => model_id))).toEqual(
      new Set(['two-ways', 'for-plans', 'painter']),
    );
    for (const row of rows) {
      expect(Object.keys(row).toSorted()).toEqual(MODEL_KEYS.toSorted());
      expect([row.status, row.client_visible]).toEqual(['enabled', true]);
    }
  });

  test('can have the same model_id in several rows; each row is one usable route', async () => {
    const { body } = await world.api('GET', '/models');
    const rows = body.data.filter(({ model_id }: { model_id: string }) => model_id === 'two-ways');
    expect(rows).toMatchObject([
      {
        name: 'Two ways',
        rate_multiplier: 1.25,
        vendor_code: 'openai',
        vendor_name: 'OpenAI',
        forward_model_id: 'gpt-4o',
      },
      {
        rate_multiplier: 1,
        vendor_code: 'anthropic',
        vendor_name: 'Anthropic',
        forward_model_id: 'claude-sonnet-5',
      },
    ]);
    expect(new Set(body.data.map(({ id }: { id: number }) => id)).size).toBe(body.data.length);
  });

  test('has no filter by the caller’s level: being listed does not mean being callable', async () => {
    const { body } = await world.api('GET', '/models', { token });
    expect(body.data.map(({ model_id }: { model_id: string }) => model_id)).toContain('for-plans');
    const refused = await world.post('/v1/chat/completions', { model: 'for-plans', messages: [] });
    expect(refused.status).toBe(403);
  });

  test('leaves out hidden models, which stay callable by their id', () => call('secret-model'));
});

describe('rule I-60: pricing', () => {
  test('has the rates and, for each usable route, every field with prices as decimal strings', async () => {
    const { body } = await world.api('GET', '/pricing');
    expect(body.data).toMatchObject({ system_rate: 95.5, user_rate: 100, node: 'local', node_rate: 97.5 });
    expect(body.data.models).toHaveLength(4);
    const rows = body.data.models as Record<string, unknown>[];
    expect(rows.find(({ model_id }) => model_id === 'two-ways')).toEqual({
      route_id: expect.any(Number),
      rate_multiplier: 1.25,
      // 1.25 × 0.955 × 1 × 0.9 × 0.8 × 0.975
      factor: '0.8380125',
      batch_rate: 100,
      priority: 1,
      protocols: ['chat'],
      context_window: null,
      max_output_tokens: null,
      restriction: 'none',
      required_level: 0,
      refusal: null,
      cache_write_price: '10',
      own: {
        input_price: '8.380125',
        output_price: '25.349878125',
        cache_input_price: '1.25701875',
        cache_output_price: '25.349878125',
        cache_write_price: '8.380125',
        image_price: '0',
        video_price: '0',
      },
      model_id: 'two-ways',
      name: 'Two ways',
      vendor_code: 'openai',
      vendor_name: 'OpenAI',
      vendor_icon: 'openai-icon',
      vendor_rate: 90,
      credential_rate: 80,
      forward_model_id: 'gpt-4o',
      support_features: ['text', 'image'],
      input_price: '10',
      output_price: '30.25',
      cache_input_price: '1.5',
      // Not set: what a cached call's output costs is the output price.
      cache_output_price: '30.25',
      billing_modes: 1,
      image_price: '0',
      video_price: '0',
    });
    expect(rows.find(({ model_id }) => model_id === 'painter')).toMatchObject({
      model_id: 'painter',
      image_price: '0.3',
      billing_modes: 2,
    });
  });

  test('has the personal user_rate with a valid login token', async () => {
    const login = await findLogin(world.database, 'user@example.com');
    await updateAccount(world.database, login?.accountId ?? 0, { userRateMicro: 87_500_000n });
    const { body } = await world.api('GET', '/pricing', { token });
    expect(body.data.user_rate).toBe(87.5);
  });

  test('has user_rate 100 for anonymous callers or an invalid token, which is not an error', async () => {
    for (const bad of [undefined, 'garbage', world.key, `${token}x`]) {
      const { status, body } = await world.api('GET', '/pricing', bad === undefined ? {} : { token: bad });
      expect([status, body.code, body.data.user_rate]).toEqual([200, 0, 100]);
    }
  });
});

describe('rule I-62, rule I-63, rule I-64: public endpoints', () => {
  test('list gateway nodes and their rates, with whether each is alive', async () => {
    const { body } = await world.api('GET', '/gateway-nodes');
    expect(body.data).toMatchObject([
      {
        name: 'away',
        base_url: 'https://away.example.com',
        region: 'there',
        rate: 100,
        alive: false,
        last_seen_at: null,
      },
      { name: 'local', base_url: 'https://local.example.com', region: 'here', rate: 97.5, alive: true },
    ]);
  });

  test('list currently valid announcements, and no others', async () => {
    const { body } = await world.api('GET', '/announcement/active');
    expect(body.data).toEqual([
      {
        id: 1,
        title: 'Now',
        body: 'valid now',
        starts_at: '2020-01-01 00:00:00',
        ends_at: '2999-01-01 00:00:00',
      },
    ]);
  });

  test('rank real calls, by calls, tokens or users, without hidden models', async () => {
    const other = await world.newKey('other@example.com');
    await call('two-ways', { stream: true });
    await call('two-ways', { key: other, stream: true });
    await call('secret-model');
    await world.settled();
    const { body } = await world.api('GET', '/model-rank/list?by=users&period=day');
    expect(body.data.models).toEqual([
      { rank: 1, model_id: 'two-ways', name: 'Two ways', calls: 2, tokens: expect.any(Number), users: 2 },
    ]);
    const logged = await world.database.query<{ tokens: bigint }>(
      `select sum(input_fresh + cache_read + cache_write + output_text + output_reasoning)::bigint as tokens
       from calls where model_used = 'two-ways' and price is not null`,
    );
    expect(BigInt(body.data.models[0].tokens)).toBe(logged[0]?.tokens);
    for (const by of ['calls', 'tokens', 'users']) {
      const { body: again } = await world.api('GET', `/model-rank/list?by=${by}&period=month`);
      expect(again.data.models).toMatchObject([{ rank: 1, model_id: 'two-ways', calls: 2, users: 2 }]);
    }
  });

  test('rank speed with time to the first token and tokens per second with their samples', async () => {
    const { body } = await world.api('GET', '/model-rank/speed?period=day');
    const [row, ...others] = body.data.models;
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      rank: 1,
      model_id: 'two-ways',
      ttft_samples: 2,
      tokens_per_second_samples: 2,
    });
    const [real] = await world.database.query<{ ttft: number; speed: number }>(
      `select avg(ttfb_ms)::float8 as ttft,
         sum(output_text + output_reasoning)::float8 * 1000 / sum(duration_ms - ttfb_ms) as speed
       from calls where model_used = 'two-ways' and stream`,
    );
    expect(row.ttft_ms).toBeCloseTo(real?.ttft ?? -1, 0);
    expect(row.tokens_per_second).toBeCloseTo(real?.speed ?? -1, 0);
  });
});

describe('rule I-65: feedback', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const send = (address: string, body: unknown = { content: 'hello' }) =>
    world.api('POST', '/feedback', { body, headers: from(address) });

  test('is possible anonymously, and names its sender with a login', async () => {
    expect(
      (await send('192.0.2.10', { content: 'anonymous 你好', contact: 'me@example.com' })).body.code,
    ).toBe(0);
    const body = { content: 'from a user' };
    expect((await world.api('POST', '/feedback', { token, body, headers: from('192.0.2.11') })).status).toBe(
      200,
    );
    const kept = await world.database.query('select account_id, content, contact from feedback order by id');
    const login = await findLogin(world.database, 'user@example.com');
    expect(kept).toEqual([
      { account_id: null, content: 'anonymous 你好', contact: 'me@example.com' },
      { account_id: BigInt(login?.accountId ?? 0), content: 'from a user', contact: null },
    ]);
  });

  test('its author reads what an operator answers, nobody else does, and blank is no answer', async () => {
    const body = { content: 'why so slow?' };
    await world.api('POST', '/feedback', { token, body, headers: from('192.0.2.12') });
    const own = async () => (await world.api('GET', '/feedback', { token })).body;
    const [sent] = (await own()).data;
    expect(sent).toMatchObject({ ...body, status: 'open', answer: null, answered_at: null });
    const operator = await operatorOf(world);
    for (const answer of ['', '  ', 'x\u0000', 7, 'x'.repeat(2_001)]) {
      expect((await operator.ask('PUT', `/feedback/${sent.id}`, { answer })).body.code).toBe(1001);
    }
    await operator.write('PUT', `/feedback/${sent.id}`, { status: 'done', answer: 'A vendor was down.' });
    const [read] = (await own()).data;
    expect(read).toMatchObject({ id: sent.id, status: 'done', answer: 'A vendor was down.' });
    expect(read.answered_at).not.toBeNull();
    const other = await world.login('other@example.com');
    expect((await world.api('GET', '/feedback', { token: other })).body.data).toEqual([]);
    expect((await world.api('GET', '/feedback')).status).toBe(401);
  });

  test('is limited to one per 60 seconds per IP, also of many at once, with the wait', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => send('192.0.2.20')));
    expect(answers.filter(({ body }) => body.code === 0)).toHaveLength(1);
    const refused = answers.filter(({ body }) => body.code !== 0);
    for (const { status, body, headers } of refused) {
      expect([status, body.code]).toEqual([429, 1006]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expect((await send('192.0.2.21')).status).toBe(200);
  });

  test('counts the address that a trusted proxy names last, not what a client wrote before it', async () => {
    expect((await send('198.51.100.1, 192.0.2.30')).status).toBe(200);
    expect((await send('198.51.100.2, 192.0.2.30')).status).toBe(429);
  });

  test.each([
    ['no content', {}],
    ['empty content', { content: '' }],
    ['blank content', { content: ' \n ' }],
    ['too long', { content: 'x'.repeat(2_001) }],
    ['no text', { content: 1 }],
    ['too long a contact', { content: 'x', contact: 'y'.repeat(201) }],
  ])('with %s is 1001, and does not count', async (_name, body) => {
    expect((await send('192.0.2.40', body)).body.code).toBe(1001);
  });

  test('may have 2000 characters of any script', async () => {
    expect((await send('192.0.2.40', { content: '🦀'.repeat(2_000) })).status).toBe(200);
  });
});
