import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectRoot } from '../house/tree.ts';
import { type Commands, commandsWith } from '../support/commands.ts';
import { startWorld, type World } from '../support/world.ts';

/** The steps of docs/operations.md for what goes wrong, as an operator types them beside a running server. */
const USER = ['--account', 'user@example.com'] as const;
/** What the simulated vendor takes as another key of the same customer. */
const NEW_KEY = 'sk-sim-anthropic-b';
let world: World;
let folder: string;
let commands: Commands;

beforeAll(async () => {
  world = await startWorld();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-runbooks-'));
  const { dataDirectory, databaseUrl = '' } = world.config;
  const environment = { TOLLGATE_DATA: dataDirectory, DATABASE_URL: databaseUrl, NEW_KEY };
  commands = await commandsWith(environment, folder);
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Answered {
  readonly status: number;
  readonly code: unknown;
  readonly id: string;
}

async function call(model: string, key = world.key): Promise<Answered> {
  const messages = [{ role: 'user', content: 'Tell me something long and interesting. '.repeat(40) }];
  const answer = await world.post('/v1/chat/completions', { model, messages }, world.headers(key));
  const { error } = (await answer.json()) as { error?: { code?: unknown } };
  return { status: answer.status, code: error?.code, id: answer.headers.get('x-request-id') ?? '' };
}

/** The `place`-th YAML file of a runbook, as the document has it. */
async function fileOf(runbook: string, place = 0): Promise<string> {
  const text = await readFile(join(projectRoot, 'docs/operations.md'), 'utf8');
  const from = text.indexOf(`\n### ${runbook}\n`);
  const section = text.slice(from, text.indexOf('\n### ', from + 1));
  const found = [...section.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gm)][place];
  if (from < 0 || found === undefined) throw new Error(`${runbook} has no file ${place}`);
  const [, indent = '', yaml = ''] = found;
  return yaml.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

async function apply(text: string, ...options: readonly string[]): Promise<string> {
  const file = join(folder, 'change.yaml');
  await writeFile(file, text);
  const done = await commands.run('apply', '-f', file, ...options);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  return done.stdout;
}

interface Receipt {
  readonly amount: string;
  readonly lines: readonly { readonly item: string; readonly price: string }[];
  readonly rates: readonly { readonly name: string; readonly value: string }[];
}

/** What a call was charged by: each price and each rate. The amount is above 0. */
async function priceOf({ id, status }: Answered): Promise<object> {
  expect(status).toBe(200);
  await world.settled();
  const { receipt } = await commands.json<{ receipt: Receipt }>('call', 'show', id);
  expect(Number(receipt.amount)).toBeGreaterThan(0);
  const rates = receipt.rates.map(({ name, value }) => [name, value]);
  return { prices: receipt.lines.map(({ item, price }) => [item, price]), rates };
}

const exported = (): Promise<string> => runs('catalog', 'export');

const runs = async (...words: readonly string[]): Promise<string> => {
  const done = await commands.run(...words);
  expect(done, words.join(' ')).toMatchObject({ code: 0, stderr: '' });
  return done.stdout;
};

describe('a key leaked', () => {
  test('an API key is found by its calls, and refused from the next call on', async () => {
    const key = await world.newKey('user@example.com');
    const { id } = await call('gpt-5', key);
    await world.settled();
    const { items } = await commands.json<{ items: { id: number; prefix: string }[] }>(
      'key',
      'list',
      ...USER,
    );
    const leaked = items.find(({ prefix }) => key.startsWith(prefix.replace(/[.…]+$/, '')));
    expect(await runs('call', 'search', '--key', String(leaked?.id))).toContain(id);
    await runs('key', 'set', ...USER, '--id', String(leaked?.id), '--status', 'disabled');
    expect(await call('gpt-5', key)).toMatchObject({ status: 401, code: expect.stringContaining('40101') });
    expect((await call('gpt-5')).status).toBe(200);
    await runs('key', 'revoke', ...USER, '--id', String(leaked?.id));
    expect((await call('gpt-5', key)).status).toBe(401);
  });

  test('a vendor’s key is replaced, and calls cost what they cost before', async () => {
    const [, key = ''] = /\$\{(\w+)\}/.exec(await fileOf('A key leaked')) ?? [];
    expect(key).toBe('NEW_KEY');
    await apply('credentials: [{ name: anthropic-main, rate: 90, limits: { rpm: 600 } }]\n');
    const [before, price] = [await exported(), await priceOf(await call('claude-sonnet-5'))];
    world.simulator.script({ match: { key: 'sk-sim-anthropic' }, times: 100, answer: { status: 401 } });
    expect((await call('claude-sonnet-5')).status).toBeGreaterThanOrEqual(500);
    expect(await apply(await fileOf('A key leaked'))).toBe(
      'updated credential anthropic-main: secret changed\n1 change\n',
    );
    expect(await priceOf(await call('claude-sonnet-5'))).toEqual(price);
    expect(await exported()).toBe(before);
  });
});

test('a vendor is down: a route to another one serves, and calls cost what they cost before', async () => {
  await apply(`vendors: [{ code: second, protocols: [messages], base_url: "${world.simulator.url}" }]
credentials: [{ name: second-main, vendor: second, secret: sk-sim-anthropic-second }]
models:
  - model_id: claude-sonnet-5
    context_window: 200000
    routes: [{ credential: anthropic-main, forward_model_id: claude-sonnet-5, protocols: [messages], weight: 3 }]
`);
  const [before, price] = [await exported(), await priceOf(await call('claude-sonnet-5'))];
  world.simulator.script({ match: { key: NEW_KEY }, times: 1_000, answer: { status: 503 } });
  for (let calls = 0; calls < 6; calls++)
    expect((await call('claude-sonnet-5')).status).toBeGreaterThanOrEqual(500);
  expect(await world.figures()).toMatch(/^tollgate_breaker_state\{[^}]*\} 2$/m);
  expect(await runs('overview')).toContain('anthropic');
  const told = `updated route claude-sonnet-5 via anthropic-main as claude-sonnet-5: status enabled → disabled
created route claude-sonnet-5 via second-main as claude-sonnet-5
2 changes`;
  const [down, back] = [await fileOf('A vendor is down'), await fileOf('A vendor is down', 1)];
  expect(await apply(down, '--dry-run')).toBe(`${told} (not applied)\n`);
  expect(await apply(down)).toBe(`${told}\n`);
  const served = await call('claude-sonnet-5');
  expect(await runs('call', 'show', served.id)).toContain('second-main');
  const other = (await priceOf(served)) as { readonly prices: object };
  expect(other.prices).toEqual((price as typeof other).prices);
  await apply(back);
  const after = await exported();
  expect(after).toContain('credential: second-main, status: disabled');
  expect(after.replace(/\n.*credential: second-main, .*status: disabled \}/, '')).toBe(before);
});

test('a wrong price was applied: the catalogue is corrected, then the charges, once', async () => {
  const from = new Date(Date.now() - 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const wrong = ['--model', 'gpt-5', '--from', from, '--reason', 'wrong price of Monday'] as const;
  const [before, price] = [await exported(), await priceOf(await call('gpt-5'))];
  await apply('models: [{ model_id: gpt-5, prices: { input: "100", output: "300" } }]\n');
  const wronged = await call('gpt-5');
  const { id } = wronged;
  expect(await priceOf(wronged)).not.toEqual(price);
  expect(await apply(await fileOf('A wrong price was applied'))).toBe(
    'updated model gpt-5: prices.input 100 → 10, prices.output 300 → 30\n1 change\n',
  );
  expect(await exported()).toBe(before);
  expect(await priceOf(await call('gpt-5'))).toEqual(price);
  expect(await runs('audit', 'list', '--json')).toContain('prices.input 10 → 100');
  const told = await runs('reprice', ...wrong, '--dry-run');
  expect(told).toMatch(/user@example\.com +1 +\d/);
  expect(told).toContain('nothing was changed');
  expect(await runs('reprice', ...wrong)).toMatch(/user@example\.com +1 +\d[\s\S]*done/);
  expect(await runs('reprice', ...wrong)).toMatch(/all +0 +0 +0/);
  expect(await runs('call', 'show', id)).toContain('adjustment');
  expect(await runs('account', 'ledger', ...USER)).toContain('adjustment');
  expect(await runs('audit', 'list')).toContain('reprice');
  expect(await runs('doctor')).toContain('no findings');
});
