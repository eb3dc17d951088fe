import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { type Operator, operatorOf } from './operator.ts';

/** Entries that name some of their fields, in files and in `PUT`: the others stay as they are stored. */
let world: World;
let operator: Operator;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
});
afterAll(() => world?.close());

type Entry = Readonly<Record<string, unknown>>;

const model = () => operator.get<Entry>('/models/gpt-5');
const routes = async (): Promise<readonly Entry[]> => operator.get('/routes?search=gpt-5&size=100');
const apply = (yaml: string, more: object = {}) => operator.ask('POST', '/catalog/apply', { yaml, ...more });
const FREE = { confirm_free: true };

describe('a catalogue file', () => {
  test('changes the fields that it names, and leaves the others of the entry', async () => {
    const [before, [route]] = [await model(), await routes()];
    const named = `models:
  - model_id: gpt-5
    prices: { input: "11" }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5-2026-08-01, priority: 7 }]
vendors: [{ code: openai, rate: 90 }]
credentials: [{ name: openai-main, vendor: openai, limits: { rpm: 600 } }]
policies: [{ id: 1, concurrency: 400 }]
defaults: { user_rate: 95 }`;
    expect((await apply(named)).body.code).toBe(0);
    expect(await model()).toEqual({ ...before, prices: { ...(before.prices as Entry), input: '11' } });
    expect(await routes()).toEqual([{ ...route, priority: 7 }]);
    expect(await operator.get('/vendors/openai')).toMatchObject({ rate: '90', byok: true, icon: 'openai' });
    expect(await operator.get('/policies/1')).toMatchObject({
      name: 'default',
      concurrency: 400,
      windows: [{ dimension: 'requests', seconds: 60, limit: '100000' }],
    });
    expect(await operator.get('/settings')).toMatchObject({ defaults: { policy: 1, user_rate: '95' } });
  });
});

describe('PUT of an entry', () => {
  test('merges objects member by member, and null removes a member', async () => {
    const before = await model();
    const changed = await operator.write<Entry>('PUT', '/models/gpt-5', {
      prices: { input: '5' },
      restriction: { level: 1 },
      capabilities: { prefill: true },
    });
    expect(changed).toEqual({
      ...before,
      prices: { ...(before.prices as Entry), input: '5' },
      restriction: { kind: 'none', level: 1 },
      capabilities: { prefill: true },
    });
    const more = { capabilities: { web_search: true }, restriction: null, context_window: null };
    expect(await operator.write('PUT', '/models/gpt-5', more)).toEqual({
      ...changed,
      restriction: { kind: 'none', level: 0 },
      capabilities: { prefill: true, web_search: true },
    });
    const gone = { capabilities: { prefill: null, web_search: null } };
    expect(await operator.write('PUT', '/models/gpt-5', gone)).toMatchObject({ capabilities: null });
    const [credential] = await operator.get<Entry[]>('/credentials?search=openai-main');
    const place = `/credentials/${credential?.id}`;
    await operator.write('PUT', place, { limits: { rpm: 60, tpm: 7 } });
    expect(await operator.write('PUT', place, { limits: { rpm: null } })).toMatchObject({
      limits: { concurrency: null, rpm: null, tpm: 7 },
    });
  });
});

/** Each way to a price or a rate of 0: what is written, and how the refusal names it. */
const FREED = [
  ['models/claude-sonnet-5', { prices: { output: '0' } }, 'model claude-sonnet-5: prices.output 100 → 0'],
  ['models/claude-sonnet-5', { prices: { input: null } }, 'prices.input 20 → 0'],
  ['models/claude-sonnet-5', { prices: { cache_write: null } }, 'prices.cache_write 25 → none'],
  ['models/claude-sonnet-5', { prices: { cache_output: '0' } }, 'prices.cache_output 100 → 0'],
  ['models/claude-sonnet-5', { prices: null }, 'prices.output 100 → 0'],
  ['models/claude-sonnet-5', { batch_rate: '0' }, 'model claude-sonnet-5: batch_rate 100 → 0'],
  ['models/gpt-image-1', { prices: { image: '0' } }, 'prices.image 0.3 → 0'],
  ['vendors/anthropic', { rate: '0' }, 'vendor anthropic: rate 100 → 0'],
  ['credentials/ID', { rate: '0' }, 'credential anthropic-main: rate 100 → 0'],
  ['routes/ID', { rate_multiplier: '0' }, 'rate_multiplier 1 → 0'],
  ['plans/GOLD', { price: '0' }, 'plan GOLD: price 99 → 0'],
  ['nodes/far', { rate: '0' }, 'node far: rate 100 → 0'],
  ['settings', { system_rate: '0' }, 'settings catalog: system_rate 100 → 0'],
  ['settings', { defaults: { user_rate: '0' } }, 'defaults.user_rate 95 → 0'],
] as const;

describe('a price that becomes 0 or is removed needs a yes', () => {
  beforeAll(async () => {
    await operator.write('POST', '/plans', { code: 'GOLD', level: 3, price: '99' });
    await operator.write('POST', '/nodes', { name: 'far', base_url: 'https://far.example.com' });
  });

  test.each(FREED)('PUT /%s %j', async (path, body, named) => {
    const [, kind = ''] = /^(\w+)\/ID$/.exec(path) ?? [];
    const search = kind === 'routes' ? 'claude-sonnet-5' : 'anthropic-main';
    const [found] = kind === '' ? [] : await operator.get<Entry[]>(`/${kind}?search=${search}`);
    const place = `/${path.replace('ID', String(found?.id))}`;
    const before = await operator.get<Entry>(place);
    const refused = (await operator.ask('PUT', place, body)).body;
    expect(refused).toMatchObject({
      code: 1001,
      message: expect.stringMatching(/^confirm_free must be true/),
    });
    expect(refused.message).toContain(named);
    expect((await operator.ask('PUT', place, { ...body, confirm_free: false })).body.code).toBe(1001);
    expect(await operator.get(place)).toEqual(before);
    expect((await operator.ask('PUT', place, { ...body, ...FREE })).body.code).toBe(0);
    // What is 0 already does not become 0.
    expect((await operator.ask('PUT', place, body)).body.code).toBe(0);
    const name = Object.keys(body)[0] ?? '';
    await operator.write('PUT', place, { [name]: before[name], ...FREE });
    expect(await operator.get(place)).toEqual(before);
  });

  test('in a part and in a whole file, which is compared with the prices named', async () => {
    const { text } = await operator.get<{ text: string }>('/catalog');
    const free = text.replace(/(model_id: claude-sonnet-5\n(?: {4}.*\n)*?) {4}prices: .*\n/, '$1');
    for (const [extent, yaml] of [
      ['whole', free],
      ['part', 'models: [{ model_id: claude-sonnet-5, prices: null }]'],
    ] as const) {
      const told = await operator.write<{ freed: Entry[] }>('POST', '/catalog/diff', { yaml, extent });
      expect(told.freed.map((each) => each.text)).toEqual([
        'model claude-sonnet-5: prices.input 20 → 0',
        'model claude-sonnet-5: prices.output 100 → 0',
        'model claude-sonnet-5: prices.cache_input 2 → none',
        'model claude-sonnet-5: prices.cache_write 25 → none',
      ]);
      const refused = await apply(yaml, { extent });
      expect(refused.body).toMatchObject({ code: 1001, message: expect.stringContaining('confirm_free') });
      expect((await operator.get<{ text: string }>('/catalog')).text).toBe(text);
      expect((await apply(yaml, { extent, ...FREE })).body.code).toBe(0);
      expect((await apply(text, { extent: 'whole' })).body.code).toBe(0);
    }
  });

  test('and an entry that is new or goes needs none', async () => {
    expect(
      (await operator.ask('POST', '/models', { model_id: 'gift', prices: { input: '0' } })).body.code,
    ).toBe(0);
    expect((await operator.ask('POST', '/models', { model_id: 'gift-2', ...FREE })).body.code).toBe(0);
    const { changes } = (await apply('models: [{ model_id: gift-3 }]')).body.data;
    expect(changes).toMatchObject([{ text: 'created model gift-3 (free of charge)' }]);
    const { text } = await operator.get<{ text: string }>('/catalog');
    const without = text.replace(/ {2}- model_id: plan-only\n(?: {4}.*\n)*/, '');
    expect((await apply(without, { extent: 'whole' })).body.code).toBe(0);
  });
});

test('a field that somebody changes while a file is applied keeps that change', async () => {
  const prices = ['31', '32', '33', '34'].map((output) => ({ output }));
  const answers = await Promise.all([
    ...prices.map((each) => operator.ask('PUT', '/models/gpt-5', { prices: each })),
    ...prices.map((_, at) => apply(`models: [{ model_id: gpt-5, max_output_tokens: ${at + 1} }]`)),
  ]);
  expect(answers.map(({ body }) => body.code)).toEqual(Array(8).fill(0));
  const lines = await operator.get<{ action: string; after: { lines?: string[] } }[]>('/audit?size=8');
  const files = lines
    .filter(({ action }) => action === 'catalog.apply')
    .flatMap(({ after }) => after.lines ?? []);
  expect(files).toHaveLength(4);
  for (const line of files) expect(line).toMatch(/^updated model gpt-5: max_output_tokens \d+ → \d+$/);
});
