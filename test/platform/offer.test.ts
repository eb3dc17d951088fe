import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLogin, updateAccount } from '../../src/store/accounts/accounts.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { startWorld, type World } from '../support/world.ts';

const CATALOG = `
system_rate: 95.5
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, name: OpenAI, protocols: [chat, responses, images], base_url: "\${SIM}/v1", rate: 90 }
  - { code: anthropic, name: Anthropic, protocols: [messages], base_url: "\${SIM}" }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-sim-openai, rate: 80 }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic }
models:
  - model_id: two-ways
    name: Two ways
    prices: { input: "10", output: "30.25", cache_input: "1.5" }
    routes:
      - { vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat], rate_multiplier: 1.25, priority: 1 }
      - { vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5, priority: 20 }
  - { model_id: for-plans, name: For plans, restriction: { kind: plan, level: 3 }, prices: { input: "1", output: "1" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }] }
  - { model_id: painter, name: Painter, support_features: [image], prices: { image: "0.3" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-image-1, protocols: [images] }] }
policies:
  - { id: 1, name: default, concurrency: 500, windows: [] }
  - { id: 2, name: pro, concurrency: 20, windows: [{ dimension: amount, seconds: 3600, limit: "5.5" }] }
  - { id: 3, name: slow, windows: [{ dimension: requests, seconds: 60, limit: 10 }] }
plans:
  - { code: PRO, name: Pro, level: 2, price: "199", policy: 2, covers: { models: [painter], windows: [{ seconds: 18000, amount: "60" }] } }
  - { code: PLUS, name: Plus, level: 1 }
nodes:
  - { name: local, base_url: "https://local.example.com", rate: 97.5 }
  - { name: away, base_url: "https://away.example.com" }
accounts:
  - { email: user@example.com, password: "a test password", credits: "50000", user_type: 1 }
`;

let world: World;
let token: string;

beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  token = await world.login('user@example.com');
  const login = await findLogin(world.database, 'user@example.com');
  await updateAccount(world.database, login?.accountId ?? 0, { userRateMicro: 87_500_000n });
  await announceAndWait(world.database);
});
afterAll(() => world.close());

async function call(model: string): Promise<void> {
  const messages = [{ role: 'user', content: 'say something [[sim tokens=60]]' }];
  const response = await world.post('/v1/chat/completions', { model, messages });
  await response.text();
  expect(response.status).toBe(200);
}

describe('the public data', () => {
  test('has the settings that a page needs before a login, and no others', async () => {
    const { body } = await world.api('GET', '/settings');
    expect(body.data).toEqual({
      version: expect.any(String),
      node: 'local',
      base_url: null,
      time_zone: 'UTC',
      now: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      credits_per_yuan: 1000,
      registration: 'open',
      operator_missing: true,
      can_mail: false,
      password_length: { min: expect.any(Number), max: expect.any(Number) },
      verification_grants: { personal: '0', enterprise: '0' },
    });
    await world.database.query("update platform_settings set registration = 'closed'");
    await updateAccount(world.database, 1, { role: 'operator' });
    const { body: later } = await world.api('GET', '/settings');
    expect(later.data).toMatchObject({ registration: 'closed', operator_missing: false });
    await updateAccount(world.database, 1, { role: 'user' });
    await world.database.query('update platform_settings set registration = null');
  });

  test('has the plans on offer, with their policies and coverage', async () => {
    const { body } = await world.api('GET', '/plans');
    expect(body.data).toEqual([
      {
        ...{ code: 'PLUS', name: 'Plus', level: 1, price: '0', days: 30, policy: null },
        coverage: { models: '*', windows: [] },
      },
      {
        ...{ code: 'PRO', name: 'Pro', level: 2, price: '199', days: 30 },
        policy: {
          ...{ id: 2, name: 'pro', concurrency: 20 },
          windows: [{ dimension: 'amount', seconds: 3_600, limit: '5.5' }],
        },
        coverage: { models: ['painter'], windows: [{ seconds: 18_000, amount: '60' }] },
      },
    ]);
  });

  test('has for a login the policies that a key may have', async () => {
    const { body } = await world.api('GET', '/api-key/policies', { token });
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['default', 'slow']);
    expect(body.data[1]).toEqual({
      ...{ id: 3, name: 'slow', concurrency: null },
      windows: [{ dimension: 'requests', seconds: 60, limit: '10' }],
    });
  });
});

describe('the quote of a call', () => {
  test('equals its receipt', async () => {
    await call('two-ways');
    await world.settled();
    const { body: log } = await world.api('GET', '/consumption-log/page?model=two-ways&size=1', { token });
    const { receipt } = log.data[0];
    const used = receipt.lines.map(
      ({ item, quantity }: { item: string; quantity: number }) => `${item}=${quantity}`,
    );
    const query = `model=two-ways&${used.join('&')}`;
    const { body } = await world.api('GET', `/pricing/quote?${query}`, { token });
    const [first, second] = body.data;
    expect([first.vendor_code, second.vendor_code]).toEqual(['openai', 'anthropic']);
    for (const name of ['lines', 'list_amount', 'product', 'cut', 'amount', 'amount_credits', 'credits']) {
      expect(first[name], name).toEqual(receipt[name]);
    }
    expect(first.rates).toMatchObject({ rate_multiplier: 1.25, user_rate: 87.5, node_rate: 97.5 });
    const { body: away } = await world.api('GET', `/pricing/quote?${query}&node=away`, { token });
    expect(away.data[0].rates.node_rate).toBe(100);
    // And the next call is charged as before: another node's price was only looked at.
    await call('two-ways');
    await world.settled();
    const { body: again } = await world.api('GET', '/call-log/page?model=two-ways&size=1', { token });
    expect(again.data[0].rates.node_rate).toBe(97.5);
  });

  test('below one Credit is zero', async () => {
    const { body } = await world.api('GET', '/pricing/quote?model=two-ways&input_tokens=10');
    expect(body.data[0]).toMatchObject({ amount: '0.000083', amount_credits: '0.083', credits: '0' });
  });

  test('is given for one model, with the reason why it may not be called', async () => {
    const { body } = await world.api('GET', '/pricing?model=for-plans', { token });
    expect(body.data.models).toMatchObject([
      {
        ...{ model_id: 'for-plans', restriction: 'plan', required_level: 3 },
        refusal: 'subscription to PROMAX required to use model for-plans',
      },
    ]);
    const unknown = await world.api('GET', '/pricing/quote?model=nobody');
    expect([unknown.status, unknown.body.code]).toEqual([404, 1004]);
    const nowhere = await world.api('GET', '/pricing?node=nowhere');
    expect(nowhere.body).toMatchObject({ code: 1001, message: 'node is not a node of the catalogue' });
  });
});

test('a node outside the catalogue is listed too, at list price', async () => {
  const catalog = CATALOG.replace(/^nodes:\n(?: {2}- .*\n)+/m, '');
  const environment = { TOLLGATE_PUBLIC_URL: 'https://gate.example.com' };
  const plain = await startWorld({ catalog, environment });
  try {
    const { body } = await plain.api('GET', '/gateway-nodes');
    expect(body.data).toEqual([
      {
        ...{ name: 'local', base_url: 'https://gate.example.com', region: 'default', rate: 100, alive: true },
        last_seen_at: expect.any(String),
      },
    ]);
  } finally {
    await plain.close();
  }
});
