import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import { type Commands, commandsWith } from '../support/commands.ts';
import { startWorld, type World } from '../support/world.ts';

const MODELS = ['deepseek-v4-flash', 'deepseek-v4-pro', 'deepseek-new'];
/** With what would be a variable in a catalogue file. */
const SECRET = ['sk-sim-openai-of-$', '{deepseek}'].join('');

let world: World;
let simulator: Simulator;
let folder: string;
let commands: Commands;
beforeAll(async () => {
  world = await startWorld();
  simulator = await startSimulator({ compatible: { models: MODELS, reasoning: 'reasoning_content' } });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-vendor-'));
  const { TOLLGATE_DATA = '', DATABASE_URL = '' } = world.config.environment;
  commands = await commandsWith({ TOLLGATE_DATA, DATABASE_URL, WRONG_KEY: 'sk-wrong-key' }, folder);
});
afterAll(async () => {
  await world?.close();
  await simulator?.close();
  await rm(folder, { recursive: true, force: true });
});

const add = (...options: readonly string[]) =>
  commands.typed(SECRET, 'vendor', 'add', 'deepseek', '--base-url', `${simulator.url}/v1`, ...options);
const exported = async () => (await commands.json<{ text: string }>('catalog', 'export')).text;

describe('tollgate vendor list', () => {
  test('shows every preset with what it was tried with, and one with its models and dates', async () => {
    const all = await commands.run('vendor', 'list');
    expect(all.stdout).toMatch(/^CODE +NAME +PROTOCOLS +MODELS +TRIED WITH +ADDRESS\nopenai /);
    expect(all.stdout).toMatch(
      /deepseek +DeepSeek +chat, messages +4 +recordings +https:\/\/api\.deepseek\.com\/v1/,
    );
    const one = await commands.run('vendor', 'list', 'deepseek', '--rate', '7');
    expect(one.stdout).toMatch(/refuses +developer_role\n/);
    expect(one.stdout).toMatch(/deepseek-v4-flash +1000000 +0\.14\/0\.28 USD +2026-08-05 +0\.98\/1\.96\n/);
    const unknown = await commands.run('vendor', 'list', 'tencent');
    expect(unknown.stdout).toMatch(/hunyuan-lite +- +- +no figure found +-\n/);
    expect(await commands.run('vendor', 'list', 'nobody')).toMatchObject({ code: 1 });
  });
});

describe('tollgate vendor add', () => {
  test.each([
    [['--all'], 2, '--rate is required: prices of DeepSeek are in dollars'],
    [[], 2, 'name the models with --models or --all'],
    [['--models', 'deepseek-new', '--rate', '7'], 2, 'no list price of deepseek-new is known'],
    [['--models', 'deepseek-new', '--price', 'deepseek-new=1'], 2, '--price must be MODEL=INPUT/OUTPUT'],
    [['--models', 'deepseek-v4-pro', '--rate', 'seven'], 2, '--rate must be a decimal such as 7.2'],
    [['--models', 'deepseek-v4-pro', '--protocol', 'gemini'], 2, 'deepseek has no such address'],
    [['--models', 'deepseek-chat', '--rate', '7'], 1, 'DeepSeek answered 404 to a call of deepseek-chat'],
    [['--all', '--rate', '7', '--key-variable', 'NO_SUCH_KEY'], 2, 'the variable NO_SUCH_KEY is not set'],
  ])('changes nothing with %j', async (options, code, why) => {
    const before = await exported();
    const refused = await add(...options);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(why);
    expect(refused.stderr).not.toContain('of-$');
    expect(await exported()).toBe(before);
  });

  test('changes nothing with a key that the vendor refuses, and does not repeat it', async () => {
    const before = await exported();
    const refused = await commands.run(
      ...['vendor', 'add', 'deepseek', '--base-url', `${simulator.url}/v1`],
      ...['--models', 'deepseek-v4-pro', '--rate', '7', '--key-variable', 'WRONG_KEY'],
    );
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('DeepSeek answered 401');
    expect(refused.stderr).not.toContain('sk-wrong-key');
    expect(await exported()).toBe(before);
  });

  test('reads the key from standard input, and stores vendor, key and models at list price × rate × margin', async () => {
    const options = ['--models', 'deepseek-v4-pro,deepseek-new', '--rate', '7.1853', '--margin', '1.25'];
    const added = await add(...options, '--price', 'deepseek-new=2/8.5');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/^the key works: DeepSeek answered in \d+ ms\nvendor deepseek added: http/);
    expect(added.stdout).toContain('model deepseek-v4-pro added: input ¥3.907007, output ¥7.814014');
    expect(added.stdout).not.toContain('tried against a simulator only');
    const text = await exported();
    expect(text).toContain('model_id: deepseek-new');
    expect(text).not.toContain('sk-sim-openai-of');
    const [call] = simulator.truth.all().filter(({ path }) => path.endsWith('/chat/completions'));
    expect(call?.key).toBe(SECRET);
    const listed = await commands.json<{ items: { entity: string }[] }>('audit', 'list');
    expect(JSON.stringify(listed)).toContain('deepseek-v4-pro');
    expect(JSON.stringify(listed)).not.toContain('sk-sim-openai-of');
  });

  test('leaves a vendor and a model that are there as they are, and adds a key and a route', async () => {
    const again = await add('--models', 'deepseek-v4-pro', '--rate', '9', '--json');
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(again.stdout)).toMatchObject({ credential: 'deepseek-2', routes: 1 });
    const { prices } = await commands.json<{ prices: object }>(
      'catalog',
      'show',
      'models',
      'deepseek-v4-pro',
    );
    expect(prices).toMatchObject({ input: '3.907007' });
    const { total } = await commands.json<{ total: number }>(
      'catalog',
      'list',
      'routes',
      '--search',
      'deepseek-v4-pro',
    );
    expect(total).toBe(2);
  });
});
