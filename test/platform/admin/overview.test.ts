import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { accountIdOf, type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
  // The platform buys at 80 and sells at 150; so a margin is seventy parts in a hundred and fifty.
  await operator.write('PUT', '/vendors/openai', { rate: '80' });
  const id = await accountIdOf(operator, 'user@example.com');
  await operator.write('PUT', `/accounts/${id}`, { user_rate: '150' });
  await chat('gpt-5');
  await chat('gpt-5');
  await chat('no-such-model');
  await world.settled();
});
afterAll(() => world?.close());

const chat = (model: string) =>
  world.post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'tell me something long and interesting '.repeat(200) }],
  });

interface Sales {
  readonly calls: number;
  readonly amount: string;
  readonly revenue: string;
  readonly cost: string;
  readonly margin: string;
}

/** Decimal texts as whole micro-units: sums of money are compared exactly. */
const micro = (text: string | undefined) => Math.round(Number(text) * 1e6);

describe('the overview', () => {
  test('has traffic, errors, revenue and margin by vendor, and the open tasks', async () => {
    const overview = await operator.get<{ vendors: (Sales & { vendor: string })[]; sales: Sales }>(
      '/overview',
    );
    expect(overview).toMatchObject({
      traffic: { calls: 3, failed: 1, active_accounts: 1, byok_calls: 0, covered: '0' },
      errors: [{ calls: 1 }],
      accounts: { total: 4, new: 4 },
      waiting: { verifications: 0, feedback: 0 },
      vendors: [{ vendor: 'openai', calls: 2 }],
    });
    const [openai] = overview.vendors;
    expect(openai).toMatchObject(overview.sales);
    expect(micro(openai?.revenue)).toBeGreaterThan(0);
    expect(micro(openai?.revenue)).toBe(micro(openai?.amount));
    // Cut at six decimals once for each call, on each side.
    expect(Math.abs(micro(openai?.cost) * 1.5 - micro(openai?.revenue))).toBeLessThanOrEqual(4);
    expect(micro(openai?.margin)).toBe(micro(openai?.revenue) - micro(openai?.cost));
  });

  test('has the accounts that used most', async () => {
    const { accounts } = await operator.get<{
      accounts: { email: string; calls: number; credits: string }[];
    }>('/overview/accounts');
    expect(accounts).toMatchObject([{ email: 'user@example.com', calls: 3, failed: 1 }]);
    const { sales } = await operator.get<{ sales: Sales }>('/overview');
    expect(micro(accounts[0]?.credits)).toBe(micro(sales.revenue) * 1000);
  });

  test('of another period is separate', async () => {
    const query = 'from=2025-01-01%2000:00:00&to=2025-01-02%2000:00:00';
    expect(await operator.get(`/overview?${query}`)).toMatchObject({
      from: '2025-01-01 00:00:00',
      to: '2025-01-02 00:00:00',
      traffic: { calls: 0 },
      vendors: [],
      sales: { revenue: '0', margin: '0' },
      accounts: { total: 4, new: 0 },
    });
  });

  test.each([
    ['from=yesterday', 'from'],
    ['from=2026-02-30%2000:00:00', 'from'],
    ['from=2026-01-02%2000:00:00&to=2026-01-01%2000:00:00', 'from must be before to'],
    ['from=2020-01-01%2000:00:00&to=2026-01-01%2000:00:00', 'within a year'],
  ])('with %s is 1001', async (query, message) => {
    const { body } = await operator.ask('GET', `/overview?${query}`);
    expect(body).toMatchObject({ code: 1001, message: expect.stringContaining(message) });
  });

  test('of the credentials has calls, cost and health', async () => {
    const { credentials } = await operator.get<{ credentials: { name: string }[] }>('/overview/credentials');
    expect(credentials.map(({ name }) => name)).toEqual(['anthropic-main', 'google-main', 'openai-main']);
    expect(credentials.at(-1)).toMatchObject({
      vendor: 'openai',
      status: 'enabled',
      calls: 2,
      failed: 0,
      health: { active: 0, suspect: false, refusals: 0, routes: [{ state: 'closed', failures: 0 }] },
    });
    expect(JSON.stringify(credentials)).not.toContain('sk-sim');
  });

  test('of the nodes has which are alive', async () => {
    await operator.write('POST', '/nodes', { name: 'gone', base_url: 'http://gone.example.com' });
    expect(await operator.get('/overview/nodes')).toEqual({
      nodes: [
        {
          name: 'gone',
          base_url: 'http://gone.example.com',
          region: 'default',
          rate: '100',
          alive: false,
          processes: 0,
          active_calls: 0,
          last_seen_at: null,
        },
        // Without a row in the catalogue.
        {
          ...{ name: 'local', base_url: '', region: 'default', rate: '100', alive: true },
          ...{ processes: 1, active_calls: 0, last_seen_at: expect.any(String) },
        },
      ],
    });
  });

  test('reads the hours of the period and no others', async () => {
    await world.database.query(
      `insert into usage_hourly (account_id, hour, model_id, key_id, protocol, status, payer, credential, calls,
         failed, input_fresh, cache_read, cache_write, output_text, output_reasoning, images, videos,
         amount_micro, credits_micro)
       select account, date_trunc('hour', now(), 'UTC') - (2000 - hour) * interval '1 hour', 'm', 1, 'chat', 200,
         'credits', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
       from generate_series(1, 1900) hour, generate_series(1000, 1049) account order by hour, account`,
    );
    await world.database.query('analyze usage_hourly');
    const plan = await world.database.query(
      `explain select sum(calls) from usage_hourly where hour >= now() - interval '1 day' and hour < now()`,
    );
    // By the index of hours, or account by account when there are few: never by reading all.
    expect(JSON.stringify(plan)).toMatch(/Index Scan (on usage_hourly_hour|using usage_hourly_)/);
    expect(JSON.stringify(plan)).not.toContain('Seq Scan');
    expect(await operator.get('/overview')).toMatchObject({ traffic: { calls: 3 } });
  });
});
