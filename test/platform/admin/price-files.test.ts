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

interface ReadPrices {
  readonly version: number;
  readonly format: string;
  readonly yaml: string;
  readonly priced: { readonly model_id: string; readonly prices: Record<string, string | null> }[];
  readonly unpriced: string[];
  readonly unknown: { readonly model_id: string }[];
  readonly unknown_total: number;
  readonly below: { readonly model_id: string; readonly price: string }[];
}

const entry = (provider: string, input: number, output: number) => ({
  ...{ litellm_provider: provider, mode: 'chat' },
  ...{ input_cost_per_token: input, output_cost_per_token: output },
});
/** The form of LiteLLM's public price map; none of its figures. */
const MAP = JSON.stringify({
  'gpt-5-2026-08-01': entry('openai', 2e-6, 6e-6),
  'openai/gpt-99': entry('openai', 1e-6, 1e-6),
  'somewhere/else': entry('somewhere', 1e-6, 1e-6),
});
const read = (body: object) => operator.write<ReadPrices>('POST', '/catalog/prices', body);

describe('a file of prices', () => {
  test('is told what it would do, and changes nothing', async () => {
    const before = await operator.get<{ version: number }>('/catalog');
    const told = await read({ text: MAP, rate: '7', margin: '1.5' });
    expect(told).toMatchObject({
      ...{ version: before.version, format: 'litellm', unknown_total: 1, unknown: [{ model_id: 'gpt-99' }] },
      priced: [{ model_id: 'gpt-5', prices: { input: '21', output: '63' } }],
    });
    expect(told.unpriced).toContain('claude-sonnet-5');
    expect(told.below.filter(({ model_id: id }) => id === 'gpt-5')).toEqual([]);
    expect(await operator.get('/catalog')).toEqual(before);
  });

  test('is compared, priced and applied as the part of a catalogue that it is', async () => {
    const { yaml, version } = await read({ text: MAP, rate: '7', margin: '1.5' });
    const { changes } = await operator.write<{ changes: { text: string }[] }>('POST', '/catalog/diff', {
      yaml,
    });
    expect(changes).toHaveLength(1);
    expect(changes[0]?.text).toMatch(/^updated model gpt-5: prices\.input \d+ → 21, prices\.output \d+ → 63/);
    const ask = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hi '.repeat(500) }] };
    await world.post('/v1/chat/completions', ask);
    await world.settled();
    const from = `${new Date(Date.now() - 86_400_000).getUTCFullYear()}-01-01 00:00:00`;
    const whatIf = await operator.write<{ total: { calls: number; difference: { revenue: string } } }>(
      ...(['POST', '/catalog/what-if', { yaml, from }] as const),
    );
    expect(whatIf.total.calls).toBe(1);
    expect(Number(whatIf.total.difference.revenue)).toBeGreaterThan(0);
    await operator.write('POST', '/catalog/apply', { yaml, base_version: version });
    expect(await operator.lastRecord()).toMatchObject({
      ...{ action: 'catalog.apply', after: { changes: 1, lines: [changes[0]?.text] } },
    });
    expect((await read({ text: MAP, rate: '7', margin: '1.5' })).yaml).toBe(yaml);
    const again = await operator.write<{ changes: unknown[] }>('POST', '/catalog/diff', { yaml });
    expect(again.changes).toEqual([]);
  });

  test('warns of a price below what the vendor asks', async () => {
    const { below } = await read({ text: MAP, rate: '7', margin: '0.9', models: ['gpt-5'] });
    expect(below.filter(({ model_id: id }) => id === 'gpt-5')).toMatchObject([
      { vendor: 'openai', price: 'input', own: '12.6', asked: '14' },
      { vendor: 'openai', price: 'output', own: '37.8', asked: '42' },
    ]);
  });

  test('is refused without a rate for dollars, with a model that is not there, and as nonsense', async () => {
    await expect(read({ text: MAP })).rejects.toThrow('1001 rate is required');
    await expect(read({ text: MAP, rate: 'x' })).rejects.toThrow('1001 rate');
    await expect(read({ text: MAP, rate: '7', models: ['no'] })).rejects.toThrow('there is no model no');
    await expect(read({ text: 'models: 3' })).rejects.toThrow('1001 text: models: must be a list');
    const yuan = 'models: [{ model_id: gpt-5, input: "30", output: "90" }]';
    expect(await read({ text: yuan })).toMatchObject({ format: 'tollgate', priced: [{ vendor: null }] });
  });

  test('may be as large as the public one', async () => {
    const filler = Object.fromEntries(
      Array.from({ length: 7_000 }, (_, at) => [`somewhere/model-${at}`, entry('somewhere', 1e-6, 1e-6)]),
    );
    const text = JSON.stringify({ ...filler, 'gpt-5-2026-08-01': entry('openai', 1e-6, 1e-6) });
    expect(text.length).toBeGreaterThan(800_000);
    expect(await read({ text, rate: '7' })).toMatchObject({ priced: [{ model_id: 'gpt-5' }] });
  });
});
