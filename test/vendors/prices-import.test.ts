import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Commands, commandsWith } from '../support/commands.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let folder: string;
let commands: Commands;
let [map, own] = ['', ''];

beforeAll(async () => {
  world = await startWorld();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-prices-'));
  const { TOLLGATE_DATA = '', DATABASE_URL = '' } = world.config.environment;
  commands = await commandsWith({ TOLLGATE_DATA, DATABASE_URL }, folder);
  [map, own] = [join(folder, 'map.json'), join(folder, 'prices.yaml')];
  const entry = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 2e-6 };
  await writeFile(
    map,
    JSON.stringify({
      'gpt-5-2026-08-01': {
        ...entry,
        output_cost_per_token: 6e-6,
        input_cost_per_token_above_200k_tokens: 4e-6,
      },
      'gpt-99': { ...entry, output_cost_per_token: 8e-6 },
    }),
  );
  await writeFile(own, 'currency: CNY\nmodels: [{ model_id: gpt-5, input: "1", output: "2" }]\n');
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

const exported = async () => (await commands.json<{ text: string }>('catalog', 'export')).text;

describe('tollgate prices import', () => {
  test('shows what would change, what yesterday would have cost and what is new, and does nothing', async () => {
    const before = await exported();
    for (const options of [['--dry-run'], []]) {
      const told = await commands.run('prices', 'import', map, '--rate', '7', '--margin', '1.5', ...options);
      expect(told).toMatchObject({ code: 0, stderr: '' });
      expect(told.stdout).toMatch(/^1 models of the catalogue have a price in the file, \d+ have none\n/);
      expect(told.stdout).toMatch(/updated model gpt-5: prices\.input \d+ → 21, prices\.output \d+ → 63/);
      expect(told.stdout).toMatch(/calls from .* to .*\nMODEL +CALLS +REVENUE +WOULD BE/);
      expect(told.stdout).toContain('the vendor asks more for long prompts: gpt-5\n');
      expect(told.stdout).toMatch(/openai +gpt-99 +2\/8 USD\n/);
      expect(told.stdout).toMatch(/not applied: --yes applies it\n$/);
    }
    expect(await exported()).toBe(before);
  });

  test('applies on yes, once, and never adds a model', async () => {
    const apply = () => commands.run('prices', 'import', map, '--rate', '7', '--margin', '1.5', '--yes');
    expect((await apply()).stdout).toMatch(/\napplied\n$/);
    expect(await exported()).toMatch(
      /model_id: gpt-5\n(?: {4}.*\n)*? {4}prices: \{ input: "21", output: "63"/,
    );
    expect(await exported()).not.toContain('gpt-99');
    expect((await apply()).stdout).toMatch(/\nnothing to change\n$/);
    const { items } = await commands.json<{ items: { action: string }[] }>('audit', 'list');
    expect(items[0]).toMatchObject({ action: 'prices import' });
  });

  test('takes a file of ours, warns below the price of the vendor, and prints JSON', async () => {
    const told = await commands.json<{ applied: boolean; format: string; below: object[] }>(
      ...['prices', 'import', own, '--rate', '7', '--margin', '2', '--yes'],
    );
    expect(told).toMatchObject({ applied: true, format: 'tollgate' });
    expect(await exported()).toMatch(/prices: \{ input: "2", output: "4"/);
    const warned = await commands.run('prices', 'import', map, '--rate', '7', '--margin', '0.5');
    expect(warned.stdout).toContain('warning: input of gpt-5 is ¥7, and openai asks ¥14\n');
  });

  test.each([
    [['no-such-file'], 1, 'the file of prices no-such-file cannot be read'],
    [[], 2, 'FILE is required'],
    [['MAP'], 2, '--rate is required'],
    [['MAP', '--rate', '7', '--models', 'no'], 2, '--models: there is no model no'],
  ])('refuses %j', async (parameters, code, why) => {
    const refused = await commands.run(
      'prices',
      'import',
      ...parameters.map((one) => (one === 'MAP' ? map : one)),
    );
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(why);
  });
});
