import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { costMicro } from '../../../src/catalog/price.ts';
import { formatMicro } from '../../../src/kernel/money.ts';
import { pricedCalls } from '../../../src/store/logs/priced-calls.ts';
import { startWorld, type World } from '../../support/world.ts';
import { accountIdOf, type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
  // The platform buys at 80 and sells at 150.
  await operator.write('PUT', '/vendors/openai', { rate: '80' });
  const id = await accountIdOf(operator, 'user@example.com');
  await operator.write('PUT', `/accounts/${id}`, { user_rate: '150' });
  for (const [model, times] of [
    ['gpt-5', 1],
    ['gpt-5', 37],
    ['gpt-5', 211],
    ['claude-sonnet-5', 53],
    // Below one Credit, so it is not charged.
    ['gpt-5', 0],
    ['no-such-model', 1],
  ] as const) {
    const content = `Hi${' tell me something long and interesting'.repeat(times)}`;
    await world.post('/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content }],
    });
  }
  await world.settled();
});
afterAll(() => world?.close());

interface Money {
  readonly revenue: string;
  readonly cost: string;
  readonly margin: string;
}
interface Compared {
  readonly calls: number;
  readonly was: Money;
  readonly would_be: Money;
  readonly difference: Money;
}
interface Answer {
  readonly truncated: boolean;
  readonly not_offered_calls: number;
  readonly rerouted_calls: number;
  readonly total: Compared;
  readonly models: (Compared & { readonly model_id: string })[];
  readonly vendors: (Compared & { readonly vendor: string })[];
}

const DEARER = 'input: "10", output: "33", cache_input: "1", cache_output: "33"';
const YEAR_START = `${new Date(Date.now() - 86_400_000).getUTCFullYear()}-01-01 00:00:00`;
const NOTHING = { revenue: '0', cost: '0', margin: '0' };
const whatIf = (yaml: string, extent = 'part') =>
  operator.write<Answer>('POST', '/catalog/what-if', {
    yaml,
    extent,
    from: YEAR_START,
  });
const exported = async () => (await operator.get<{ text: string }>('/catalog')).text;

describe('past calls priced with another catalogue', () => {
  test('differ by nothing if it is the same one', async () => {
    const same = await whatIf(await exported(), 'whole');
    expect(same).toMatchObject({ truncated: false, not_offered_calls: 0, rerouted_calls: 0 });
    expect(same.total).toMatchObject({ calls: 5, difference: NOTHING });
    for (const each of [...same.models, ...same.vendors]) expect(each.difference).toEqual(NOTHING);
    // The same figures as the overview, which sums what was settled.
    const { sales } = await operator.get<{ sales: Money }>('/overview');
    expect(same.total.was).toEqual({ revenue: sales.revenue, cost: sales.cost, margin: sales.margin });
    expect(Number(same.total.was.revenue)).toBeGreaterThan(0);
  });

  test('are charged exactly what a price that is a tenth higher would have charged them', async () => {
    // Some calls hit the vendor's cache, and their output has a price of its own.
    const yaml = (await exported()).replace(
      'input: "10", output: "30", cache_input: "1", cache_output: "30"',
      DEARER,
    );
    expect(yaml).toContain(DEARER);
    const dearer = await whatIf(yaml, 'whole');
    let expected = 0n;
    const all = { fromMs: 0, toMs: Date.now() + 60_000, pageRows: 2 };
    let calls = 0;
    for await (const page of pricedCalls(world.database, all)) {
      for (const call of page) {
        calls++;
        const isDearer = call.model === 'gpt-5';
        const prices = isDearer
          ? { ...call.price.prices, outputMicro: 33_000_000n, cacheOutputMicro: 33_000_000n }
          : call.price.prices;
        const amount = costMicro(call.usage, { ...call.price, prices });
        if (amount * 1000n >= 1_000_000n) expected += amount;
      }
    }
    expect(calls).toBe(5);
    expect(dearer.total.would_be.revenue).toBe(formatMicro(expected));
    expect(Number(dearer.total.difference.revenue)).toBeGreaterThan(0);
    const claude = dearer.models.find(({ model_id: id }) => id === 'claude-sonnet-5');
    expect(claude?.difference).toEqual(NOTHING);
  });

  test('follow the rates of system, vendor, credential and route', async () => {
    const double = await whatIf('system_rate: 200');
    expect(double.total.difference.cost).toBe('0');
    expect(Number(double.total.would_be.revenue)).toBeCloseTo(2 * Number(double.total.was.revenue), 2);
    const text = await exported();
    const cheap = await whatIf(text.replace('    rate: "80"', '    rate: "40"'), 'whole');
    const openai = cheap.vendors.find(({ vendor }) => vendor === 'openai');
    expect(Number(openai?.would_be.cost)).toBeCloseTo(Number(openai?.was.cost) / 2, 5);
    expect(cheap.vendors.find(({ vendor }) => vendor === 'anthropic')?.difference).toEqual(NOTHING);
  });

  test('of a model that is no longer offered bring nothing, and those of a closed route are counted', async () => {
    const text = await exported();
    const without = await whatIf(text.replace(/ {2}- model_id: claude-sonnet-5\n(?: {4}.*\n)*/, ''), 'whole');
    expect(without.not_offered_calls).toBe(1);
    const claude = without.models.find(({ model_id: id }) => id === 'claude-sonnet-5');
    expect(claude?.would_be).toEqual(NOTHING);
    const closed = await whatIf('credentials: [{ name: openai-main, vendor: openai, status: disabled }]');
    expect(closed).toMatchObject({ rerouted_calls: 4, total: { difference: NOTHING } });
  });

  test('are those of yesterday by default, and nothing is changed by the question', async () => {
    const before = await operator.get<{ version: number }>('/catalog');
    const yesterday = await operator.write<Answer>('POST', '/catalog/what-if', { yaml: 'system_rate: 200' });
    expect(yesterday.total).toEqual({ calls: 0, was: NOTHING, would_be: NOTHING, difference: NOTHING });
    expect(await operator.get('/catalog')).toEqual(before);
    const wrong = await operator.ask('POST', '/catalog/what-if', { yaml: 'nonsense: 1' });
    expect(wrong.body).toMatchObject({ code: 1001, message: expect.stringContaining('(line 1)') });
  });

  test('are computed one at a time', async () => {
    const asked = Array.from({ length: 6 }, () => operator.ask('POST', '/catalog/what-if', { yaml: '' }));
    const codes = (await Promise.all(asked)).map(({ body }) => body.code);
    expect(codes.filter((code) => code === 0).length).toBeGreaterThan(0);
    expect(codes.filter((code) => code !== 0 && code !== 1006)).toEqual([]);
  });
});
