import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

/** What the call log tells of one call (rule I-94) and of a refused one (rule I-95). */
const CATALOG = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: dead, name: Dead, protocols: [messages], base_url: "http://127.0.0.1:1" }
  - { code: anthropic, name: Anthropic, protocols: [messages], base_url: "\${SIM}" }
credentials:
  - { name: dead-main, vendor: dead, secret: sk-sim-anthropic-dead }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic, rate: 50 }
models:
  - model_id: claude
    name: Claude
    prices: { input: "20", output: "100" }
    max_output_tokens: 4000
    routes:
      - { vendor: dead, credential: dead-main, forward_model_id: claude-sonnet-5, priority: 1 }
      - { vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5, priority: 2 }
policies:
  - { id: 1, name: default, concurrency: 500, windows: [] }
  - { id: 2, name: one-a-minute, windows: [{ dimension: requests, seconds: 60, limit: 1 }] }
  - { id: 3, name: few-tokens, windows: [{ dimension: tokens, seconds: 3600, limit: 20 }] }
  - { id: 4, name: small-change, windows: [{ dimension: amount, seconds: 3600, limit: "0.000001" }] }
  - { id: 5, name: none-at-once, concurrency: 0, windows: [] }
accounts:
  - { email: user@example.com, password: "a test password", user_type: 1, credits: "50000" }
  - { email: poor@example.com, password: "a test password", credits: "3" }
  - { email: operator@example.com, password: "a test password", role: operator }
`;

let world: World;
let token: string;
const operator = () => world.login('operator@example.com');

beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  token = await world.login('user@example.com');
});
afterAll(() => world.close());

async function call(key: string, more: object = {}): Promise<{ id: string; status: number }> {
  const messages = [{ role: 'user', content: 'hello [[sim tokens=60]]' }];
  const body = { model: 'claude', messages, max_tokens: 200, ...more };
  const response = await world.post('/v1/chat/completions', body, world.headers(key));
  await response.text();
  await world.settled();
  return { id: response.headers.get('x-request-id') ?? '', status: response.status };
}

async function detail(id: string, own = token) {
  const { status, body } = await world.api('GET', `/call-log/request/${id}`, { token: own });
  expect([status, body.code]).toEqual([200, 0]);
  return body.data;
}

describe('rule I-94: one call', () => {
  test('has its time line, what was dropped, its speed and its receipt, by number and by request id', async () => {
    // What comes at once has no speed.
    const messages = [{ role: 'user', content: 'hello [[sim tokens=60 chunk=10 pace=5]]' }];
    const { id } = await call(world.key, { messages, stream: true, logit_bias: { '1': 2 } });
    const shown = await detail(id);
    expect(shown).toMatchObject({
      ...{ request_id: id, verdict: 'complete', protocol: 'chat', upstream_protocol: 'messages' },
      ...{ stream: true, key_name: 'test', refusal: null, dropped_fields: ['logit_bias'] },
    });
    const [first, second] = shown.tries;
    expect(first).toMatchObject({ vendor: 'dead', outcome: 'connect', status: null, first_byte_ms: null });
    expect(second).toMatchObject({ vendor: 'anthropic', outcome: 'ok', status: 200 });
    const times = [
      shown.gate_ms,
      shown.admitted_ms,
      first.start_ms,
      first.start_ms + first.duration_ms,
      second.start_ms,
      second.first_byte_ms,
      shown.ttft_ms,
      shown.duration_ms,
    ];
    // Each is rounded for itself.
    for (const [at, time] of times.entries()) expect(time).toBeGreaterThanOrEqual((times[at - 1] ?? 0) - 1);
    expect(shown.tokens_per_second).toBeGreaterThan(0);
    expect(Number(shown.held)).toBeGreaterThan(0);
    expect(shown.receipt.credits).toBe(shown.credits);
    expect(JSON.stringify(shown)).not.toContain('anthropic-main');
    expect(shown).not.toHaveProperty('cost');
    const { body } = await world.api('GET', `/call-log/detail/${shown.id}`, { token });
    expect(body.data).toEqual(shown);
  });

  test('operators also see credentials and cost, of any account', async () => {
    const { id } = await call(world.key);
    const { body } = await world.api('GET', `/api/v1/admin/calls/${id}`, { token: await operator() });
    const { account_id, email, vendor, cost, ...shown } = body.data;
    expect([email, vendor]).toEqual(['user@example.com', 'anthropic']);
    expect(shown.tries.map(({ credential }: { credential: string }) => credential)).toEqual([
      'dead-main',
      'anthropic-main',
    ]);
    // The credential costs half of the list price, which the user pays at that rate, too.
    expect(cost).toBe(shown.amount);
    const path = `/api/v1/admin/accounts/${account_id}/call-log/request/${id}`;
    const same = await world.api('GET', path, { token: await operator() });
    const { tries, receipt, ...rest } = shown;
    expect(same.body.data).toMatchObject(rest);
    // Below the account it is read as the owner reads it.
    expect(JSON.stringify(same.body.data)).not.toContain('anthropic-main');
    expect([tries.length, receipt.credits]).toEqual([2, shown.credits]);
    expect((await world.api('GET', `/api/v1/admin/calls/${id}`, { token })).body.code).toBe(1003);
  });

  test('of another account, or absent, is 1004', async () => {
    const { id } = await call(world.key);
    const stranger = await world.login('poor@example.com');
    for (const one of [id, 'req_00000000000000000000000000', 'nonsense']) {
      const { status, body } = await world.api('GET', `/call-log/request/${one}`, { token: stranger });
      expect([status, body.code]).toEqual([404, 1004]);
    }
  });
});

interface Refused {
  readonly policyId: number;
  readonly limit: object;
}

describe('rule I-95: why a call was refused', () => {
  test.each<[number, Refused]>([
    [
      42902,
      {
        policyId: 2,
        limit: {
          ...{ dimension: 'requests', scope: 'key', policy: 'one-a-minute', unit: 'count', limit: '1' },
          ...{ used: '1', held: '0', needed: '1', seconds: 60 },
        },
      },
    ],
    [42903, { policyId: 3, limit: { dimension: 'tokens', scope: 'key', limit: '20', seconds: 3600 } }],
    [42902, { policyId: 4, limit: { dimension: 'amount', unit: 'yuan', limit: '0.000001', used: '0' } }],
    [42901, { policyId: 5, limit: { dimension: 'concurrency', limit: '0', used: '0', seconds: null } }],
  ])(
    '%i names the limit, whose it is, what was used and when it resets',
    async (code, { policyId, limit }) => {
      const key = await world.newKey('user@example.com', { policyId });
      let refused = await call(key);
      if (refused.status === 200) refused = await call(key);
      const shown = await detail(refused.id);
      expect(shown).toMatchObject({ error_code: code, verdict: 'refused', credits: '0', tries: [] });
      expect(shown.refusal.limit).toMatchObject(limit);
      expect(shown.refusal.limit.scope_id).toBe(shown.key_id);
      expect(shown.refusal.limit.resets_at > shown.created_at).toBe(true);
      expect(shown.refusal.retry_after).toBeGreaterThan(0);
      expect(shown.refusal.remedy).toContain('Retry-After');
    },
  );

  test('40201 names the money: what there is, what is held, what was needed', async () => {
    const { id } = await call(await world.newKey('poor@example.com'), { max_tokens: 4000 });
    const { refusal } = await detail(id, await world.login('poor@example.com'));
    expect(refusal.message).toContain('Insufficient Credits');
    expect(refusal.limit).toMatchObject({
      ...{ dimension: 'credits', scope: 'account', scope_id: null, unit: 'credits', limit: '3', used: '0' },
      ...{ held: '0', resets_at: null },
    });
    expect(Number(refusal.limit.needed)).toBeGreaterThan(3);
  });

  test('a refusal without a limit has its message and the remedy', async () => {
    const { id } = await call(world.key, { model: 'no-such-model' });
    const { refusal } = await detail(id);
    expect(refusal).toMatchObject({ retry_after: null, limit: null });
    expect(refusal.message).toContain('no-such-model');
    expect(refusal.remedy).toContain('model_id');
  });
});

describe('rule I-96: calls page by page', () => {
  const search = async (query: string) => {
    const { body } = await world.api('GET', `/call-log/search?${query}`, { token });
    expect(body.code).toBe(0);
    return body.data as { calls: Record<string, unknown>[]; next: string | null };
  };

  test('are found by verdict and error code, and several models', async () => {
    await call(world.key, { model: 'a,b' });
    const all = await search('size=100');
    expect(all.next).toBeNull();
    const codes = ['50201', '42901', '42902'];
    for (const code of codes) {
      const found = await search(`error_code=${code}`);
      expect(found.calls).toEqual(all.calls.filter(({ error_code }) => String(error_code) === code));
      expect(found.calls.length).toBeGreaterThan(0);
    }
    for (const verdict of ['complete', 'refused', 'failed']) {
      const found = await search(`verdict=${verdict}`);
      expect(found.calls).toEqual(all.calls.filter((one) => one.verdict === verdict));
    }
    for (const models of [['claude', 'no-such-model'], ['a,b']]) {
      const query = `model=${encodeURIComponent(models.join(','))}&size=100`;
      const some = all.calls.filter(({ model_used }) => models.includes(String(model_used)));
      expect((await search(query)).calls).toEqual(some);
      const { body } = await world.api('GET', `/call-log/page?${query}`, { token });
      expect([body.data, body.total]).toEqual([some, some.length]);
    }
    const single: unknown[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page = await search(`size=2${next === '' ? '' : `&cursor=${next}`}`);
      single.push(...page.calls);
      next = page.next;
    }
    expect(single).toEqual(all.calls);
  });

  test('are exported with the same filters, for operators those of all accounts or of one', async () => {
    const idsOf = (text: string) => text.match(/req_\w+/g) ?? [];
    const all = (await search('size=100')).calls;
    for (const filter of ['', 'verdict=refused', 'verdict=complete', 'error_code=42901', 'status=failed']) {
      const found = (await search(`${filter}&size=100`)).calls.map(({ request_id }) => request_id);
      const own = await world.api('GET', `/call-log/export?${filter}`, { token });
      expect(idsOf(own.body.data)).toEqual(found);
      const query = `${filter}&email=user@example.com`;
      const file = await world.api('GET', `/api/v1/admin/calls/export?${query}`, { token: await operator() });
      expect(file.headers.get('content-disposition')).toContain('filename="calls-');
      expect(idsOf(file.body.data)).toEqual(found);
    }
    const ask = async (query: string, of: string) =>
      (await world.api('GET', `/api/v1/admin/calls/export?${query}`, { token: of })).body;
    const everybody = (await ask('', await operator())).data;
    expect(everybody).toMatch(/^account_id,email,vendor,id,request_id,/);
    expect(idsOf(everybody).length).toBeGreaterThan(all.length);
    expect(everybody).toContain('poor@example.com');
    expect(idsOf((await ask('email=nobody@example.com', await operator())).data)).toEqual([]);
    expect((await ask('', token)).code).not.toBe(0);
  });

  test('are counted by minutes for the bars above them, narrowed alike', async () => {
    const trend = async (query: string) => {
      const { body } = await world.api('GET', `/stats/trend?granularity=minute${query}`, { token });
      const points = body.data as { calls: number; failed: number }[];
      const sum = (name: 'calls' | 'failed') => points.reduce((total, point) => total + point[name], 0);
      return { points: points.length, calls: sum('calls'), failed: sum('failed') };
    };
    const all = await search('size=100');
    const isFailed = ({ verdict }: Record<string, unknown>) => verdict !== 'complete';
    const failed = all.calls.filter(isFailed).length;
    expect(await trend('')).toEqual({ points: 60, calls: all.calls.length, failed });
    const claude = all.calls.filter(({ model_used }) => model_used === 'claude');
    const narrowed = { calls: claude.length, failed: claude.filter(isFailed).length };
    expect(await trend('&model=claude')).toEqual({ points: 60, ...narrowed });
    const { body } = await world.api(
      'GET',
      '/stats/trend?granularity=minute&from=2026-01-01%2000:00:00&to=2026-01-01%2003:00:01',
      { token },
    );
    expect(body.code).toBe(1001);
  });
});
