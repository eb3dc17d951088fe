import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Commands, commandsWith } from '../support/commands.ts';
import { startWorld, type World } from '../support/world.ts';

/** The steps of docs/operations.md for what goes wrong, as an operator types them beside a running server. */
const USER = ['--account', 'user@example.com'] as const;
let world: World;
let folder: string;
let commands: Commands;

beforeAll(async () => {
  world = await startWorld();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-runbooks-'));
  const { dataDirectory, databaseUrl = '' } = world.config;
  commands = await commandsWith({ TOLLGATE_DATA: dataDirectory, DATABASE_URL: databaseUrl }, folder);
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

async function apply(text: string): Promise<string> {
  const file = join(folder, 'change.yaml');
  await writeFile(file, text);
  const done = await commands.run('apply', '-f', file);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  return done.stdout;
}

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

  test('a vendor’s key is replaced in the catalogue, and used from the next call on', async () => {
    world.simulator.script({ match: { key: 'sk-sim-google' }, times: 100, answer: { status: 401 } });
    expect((await call('gemini-3-pro')).status).toBeGreaterThanOrEqual(500);
    await apply('credentials: [{ name: google-main, vendor: google, secret: sk-sim-google-b }]\n');
    expect((await call('gemini-3-pro')).status).toBe(200);
  });
});

test('a vendor is down: a route to another one serves from the next call on', async () => {
  world.simulator.script({ match: { key: 'sk-sim-anthropic' }, times: 1_000, answer: { status: 503 } });
  for (let calls = 0; calls < 6; calls++)
    expect((await call('claude-sonnet-5')).status).toBeGreaterThanOrEqual(500);
  expect(await world.figures()).toMatch(/^tollgate_breaker_state\{[^}]*\} 2$/m);
  expect(await runs('overview')).toContain('anthropic');
  await apply(`models:
  - model_id: claude-sonnet-5
    routes:
      - { vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5, status: disabled }
      - { vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }
`);
  expect((await call('claude-sonnet-5')).status).toBe(200);
});

test('a wrong price was applied: the catalogue is corrected, then the charges, once', async () => {
  const from = new Date(Date.now() - 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const wrong = ['--model', 'gpt-5', '--from', from, '--reason', 'wrong price of Monday'] as const;
  await apply('models: [{ model_id: gpt-5, prices: { input: "100", output: "300" } }]\n');
  const { id } = await call('gpt-5');
  await world.settled();
  await apply('models: [{ model_id: gpt-5, prices: { input: "10", output: "30" } }]\n');
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
