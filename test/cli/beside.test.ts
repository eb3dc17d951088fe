import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Commands, commandsWith } from '../support/commands.ts';
import { tollgate } from '../support/processes.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';

const USER = ['--account', 'user@example.com'] as const;
const PLAN = `plans:
  - { code: PRO, level: 2, covers: { models: "*", windows: [{ seconds: 3600, amount: "5" }] } }
`;
let world: World;
let folder: string;
let commands: Commands;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  world = await startWorld({ catalog: STANDARD_CATALOG + PLAN });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-beside-'));
  const { dataDirectory, databaseUrl = '' } = world.config;
  environment = { TOLLGATE_DATA: dataDirectory, DATABASE_URL: databaseUrl };
  commands = await commandsWith(environment, folder);
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Shown {
  readonly payer: string;
  readonly model_used: string;
  readonly credits: string;
  readonly free_reason: string | null;
  readonly receipt: { readonly free_because: string | null; readonly credits: string };
}

/** A call through the running server: its status and code, or what `call show` says of it. */
async function call(model = 'claude-sonnet-5'): Promise<{ status: number; code?: unknown; shown?: Shown }> {
  const body = { model, max_tokens: 50, messages: [{ role: 'user', content: 'Hello there' }] };
  const answer = await world.post('/v1/messages', body);
  const { status } = answer;
  const { error } = (await answer.json()) as { error?: { code?: unknown } };
  if (status !== 200) return { status, code: error?.code };
  await world.settled();
  const shown = await commands.json<Shown>('call', 'show', answer.headers.get('x-request-id') ?? '');
  return { status, shown };
}

const set = (...options: readonly string[]) => commands.json('account', 'set', ...USER, ...options);

describe('beside a running server', () => {
  test('a command is in force for the next call', async () => {
    expect(await call()).toMatchObject({ status: 200, shown: { payer: 'credits' } });
    await set('--api-billing', 'off');
    expect(await call()).toMatchObject({ status: 403, code: '40202' });
    await set('--api-billing', 'on');
    expect(await call()).toMatchObject({ status: 200, shown: { payer: 'credits' } });
    await set('--status', 'disabled');
    expect(await call()).toMatchObject({ status: 401 });
    await set('--status', 'enabled');
    expect(await call()).toMatchObject({ status: 200 });
  });

  test('a subscription pays from the next call on, until it is cancelled', async () => {
    const granted = await commands.json<{ id: number }>('subscription', 'grant', ...USER, '--plan', 'PRO');
    const { shown } = await call();
    expect(shown).toMatchObject({ payer: 'subscription', credits: '0', free_reason: 'covered' });
    expect(shown?.receipt.free_because).toBe('Your subscription covers the call.');
    await commands.json('subscription', 'cancel', ...USER, '--id', String(granted.id));
    expect((await call()).shown?.payer).toBe('credits');
  });

  test('a BYOK credential serves until its removal', async () => {
    const add = ['credential', 'add', ...USER, '--vendor', 'anthropic', '--name', 'mine', '--json'];
    const added = await tollgate(add, environment, 'sk-sim-anthropic-of-the-user');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const { id } = JSON.parse(added.stdout) as { id: number };
    expect((await call()).shown).toMatchObject({ payer: 'byok', credits: '0', free_reason: 'byok' });
    const place = ['--id', String(id)] as const;
    await commands.json('credential', 'set', ...USER, ...place, '--status', 'disabled');
    expect((await call()).shown?.payer).toBe('credits');
    await commands.json('credential', 'set', ...USER, ...place, '--status', 'enabled');
    expect((await call()).shown?.payer).toBe('byok');
    await commands.json('credential', 'remove', ...USER, ...place);
    expect((await call()).shown?.payer).toBe('credits');
  });

  test('added Credits can be spent at once', async () => {
    const empty = ['--account', 'empty@example.com'] as const;
    const key = await world.newKey('empty@example.com');
    const body = { model: 'claude-sonnet-5', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };
    const ask = async () => (await world.post('/v1/messages', body, world.headers(key))).status;
    expect(await ask()).toBe(403);
    await commands.json('account', 'top-up', ...empty, '--balance', '1', '--reason', 'order 1');
    expect(await ask()).toBe(403);
    await commands.json('account', 'exchange', ...empty, '--amount', '1');
    expect(await ask()).toBe(200);
  });
});
