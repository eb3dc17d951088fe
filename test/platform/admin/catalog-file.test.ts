import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
});
afterAll(() => world?.close());

interface Exported {
  readonly version: number;
  readonly text: string;
}
interface Compared extends Exported {
  readonly problems: { readonly path: string; readonly line: number | null; readonly message: string }[];
  readonly changes: { readonly kind: string; readonly key: string; readonly text: string }[];
  readonly hunks: { readonly where: string; readonly lines: readonly { readonly kind: string }[] }[];
  readonly effects: Record<string, unknown[]>;
}

const exported = () => operator.get<Exported>('/catalog');
const compare = (yaml: string, extent = 'whole') =>
  operator.write<Compared>('POST', '/catalog/diff', { yaml, extent });
const apply = (yaml: string, baseVersion: number, extent = 'whole') =>
  operator.ask('POST', '/catalog/apply', { yaml, extent, base_version: baseVersion });

describe('the catalogue as a file', () => {
  test('has no secret, and applied as it is changes nothing, not even the version', async () => {
    const { version, text } = await exported();
    expect(text).toContain('- model_id: gpt-5');
    expect(text).not.toContain('sk-sim');
    for (const extent of ['part', 'whole']) {
      expect(await compare(text, extent)).toMatchObject({ problems: [], changes: [], hunks: [], text });
      expect((await apply(text, version, extent)).body.data).toEqual({ version, changes: [] });
    }
    expect(await exported()).toEqual({ version, text });
  });

  test('tells problems with their lines, and what cannot go because it is in use', async () => {
    const { text } = await exported();
    const wrong = await compare(text.replace('- code: openai', '- code: openai\n    nonsense: 1'));
    expect(wrong).toMatchObject({ changes: [], hunks: [], text: '' });
    expect(wrong.problems).toMatchObject([
      { path: expect.stringContaining('nonsense'), line: expect.any(Number) },
    ]);
    expect((await compare('a: [')).problems[0]?.line).toBe(1);
    const reader = await compare(
      'vendors: [{ code: x, protocols: [chat], base_url: "$' + '{DATABASE_URL}" }]',
      'part',
    );
    expect(JSON.stringify(reader)).not.toContain('postgres');
    expect(reader.problems[0]?.message).toContain('DATABASE_URL is not set');
    await world.newKey('user@example.com', { policyId: 5 });
    const used = await compare(text.replace(/ {2}- id: 5\n(?: {4}.*\n)*/, ''));
    expect(used.problems).toMatchObject([{ line: null, message: 'policy 5 is in use by 1 keys' }]);
    const { version } = await exported();
    const refused = await apply(text.replace(/ {2}- id: 5\n(?: {4}.*\n)*/, ''), version);
    expect(refused.body).toMatchObject({ code: 1005, message: 'policy 5 is in use by 1 keys' });
  });

  test('is compared entry by entry, line by line and by its effects, then applied exactly so', async () => {
    const { version, text } = await exported();
    const yaml = text
      .replace('prices: { input: "20", output: "100"', 'prices: { input: "20", output: "110"')
      .replace('concurrency: 500', 'concurrency: 600')
      .replace(/ {2}- model_id: plan-only\n(?: {4}.*\n)*/, '')
      .replace('nodes: []', 'nodes: [{ name: far, base_url: "https://far.example" }]');
    const told = await compare(yaml);
    expect(told.changes.map(({ text: line }) => line)).toEqual([
      'updated policy 1: concurrency 500 → 600',
      'updated model claude-sonnet-5: prices.output 100 → 110',
      'created node far',
      'removed route plan-only via openai-main as gpt-4o',
      'removed model plan-only',
    ]);
    expect(told.hunks.map(({ where }) => where)).toEqual([
      ...['models / claude-sonnet-5', 'models / plan-only', 'policies / 1', 'nodes', 'nodes / far'],
    ]);
    expect(told.effects).toMatchObject({
      prices: [
        { model_id: 'claude-sonnet-5', price: 'output', before: '100', after: '110' },
        { model_id: 'claude-sonnet-5', price: 'cache_output', before: '100', after: '110' },
        { model_id: 'plan-only', price: 'input', before: '10', after: null },
        { model_id: 'plan-only', price: 'output' },
        ...[{ price: 'cache_input' }, { price: 'cache_output' }, { price: 'cache_write' }],
      ],
      limits: [{ policy_id: 1, limit: 'concurrency', before: '500', after: '600', accounts: 4, keys: 0 }],
    });
    // Nothing was done yet.
    expect(await exported()).toEqual({ version, text });

    const done = await apply(yaml, version);
    expect(done.body.data).toMatchObject({ version: version + 1, changes: told.changes });
    expect(await exported()).toEqual({ version: version + 1, text: told.text });
    expect(await operator.lastRecord()).toMatchObject({
      ...{ action: 'catalog.apply', actor_email: 'operator@example.com', entity: 'catalogue' },
      after: { changes: 5, lines: told.changes.map(({ text: line }) => line) },
    });
    const models = (await (await fetch(`${world.url}/v1/models`, { headers: world.headers() })).json()) as {
      data: { id: string }[];
    };
    expect(models.data.map(({ id }) => id)).not.toContain('plan-only');
    const back = await apply(text, version + 1);
    expect(back.body.code).toBe(0);
    expect((await exported()).text).toBe(text);
  });

  test('is not applied on another version than it was made from', async () => {
    const { version, text } = await exported();
    const yaml = text.replace('system_rate: "100"', 'system_rate: "101"');
    await operator.write('POST', '/policies', { name: 'meanwhile' });
    // A stale file is told that it is stale before anything else, whatever else is wrong with it.
    for (const wrong of [
      'a: [',
      'vendors: [{ code: openai, nonsense: 1 }]',
      'models: [{ model_id: x, routes: [{ vendor: gone }] }]',
    ]) {
      for (const extent of ['part', 'whole']) {
        const { status, body } = await apply(wrong, version, extent);
        expect([status, body.code, body.message]).toEqual([
          409,
          1005,
          expect.stringContaining('has version'),
        ]);
      }
    }
    const refused = await apply(yaml, version);
    expect(refused.body).toMatchObject({
      code: 1005,
      message: expect.stringContaining(`version ${version + 1}`),
    });
    expect((await exported()).text).toContain('system_rate: "100"');
    // Of two at once, one is applied.
    const now = (await exported()).version;
    const both = await Promise.all([
      apply('system_rate: 102', now, 'part'),
      apply('system_rate: 103', now, 'part'),
    ]);
    expect(both.map(({ body }) => body.code).sort()).toEqual([0, 1005]);
  });

  test('creates a vendor, a credential, a model and its route that serve the next call', async () => {
    const yaml = `
vendors: [{ code: fresh, protocols: [chat], base_url: "${world.simulator.url}/v1" }]
credentials: [{ name: fresh-main, vendor: fresh, secret: sk-sim-openai }]
models: [{ model_id: fresh-model, routes: [{ vendor: fresh, credential: fresh-main, forward_model_id: gpt-4o }] }]`;
    await operator.write('POST', '/catalog/apply', { yaml });
    const body = { model: 'fresh-model', max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] };
    expect((await world.post('/v1/chat/completions', body)).status).toBe(200);
    const { text } = await exported();
    expect(text).toContain('- name: fresh-main');
    expect(text).not.toContain('sk-sim');
  });
});

test('the presets of vendors are valid vendors of the catalogue, with prices by the rate that is given', async () => {
  const presets = await operator.get<
    {
      code: string;
      name: string;
      addresses: { protocols: string[]; base_url: string }[];
      cloud: object | null;
      models: { model_id: string; prices: { input: string | null }; list_prices: object | null }[];
    }[]
  >('/vendor-presets?rate=7&margin=1.1');
  expect(presets.length).toBeGreaterThanOrEqual(26);
  expect(presets.slice(0, 4).map(({ code }) => code)).toEqual(['openai', 'anthropic', 'google', 'azure']);
  const priced = presets.flatMap(({ models }) => models);
  const flash = priced.find((model) => model.model_id === 'deepseek-v4-flash');
  expect(flash).toMatchObject({
    prices: { input: '1.078' },
    list_prices: { currency: 'USD', input: '0.14' },
  });
  expect(priced.find((model) => model.model_id === 'hunyuan-lite')).toMatchObject({
    ...{ prices: { input: null }, list_prices: null },
  });
  await expect(operator.get('/vendor-presets?rate=x')).rejects.toThrow('1001 rate');
  for (const { code, addresses, cloud } of presets) {
    // The address of a cloud has fields that are asked for; presets.test.ts fills them in.
    for (const { protocols, base_url: address } of cloud === null ? addresses : []) {
      const yaml = `vendors: [{ code: preset-${code}, protocols: [${protocols}], base_url: "${address}" }]`;
      expect((await compare(yaml, 'part')).problems, code).toEqual([]);
    }
  }
});
