import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { projectRoot } from '../house/tree.ts';
import { needs } from '../needs.ts';
import { CONTAINER, container } from '../support/container.ts';
import { type Finished, tollgate } from '../support/processes.ts';
import { call, type Seen } from './load.ts';
import { CHAT, CRASH_CATALOG, type Shape } from './shapes.ts';
import { openScene, type Scene } from './trial/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
}, 300_000);
afterAll(() => scene?.close());

const ask = (key: string, shape: Shape = CHAT): Promise<Seen> =>
  call({ url: scene.server.url, key }, { shape, way: 'plain', directive: 'tag=lock tokens=10' });

const command = (...args: readonly string[]): Promise<Finished> => tollgate(args, scene.place.environment);

function seconds(count: number, more: Readonly<Record<string, string>> = {}): Promise<Finished[]> {
  const environment = { ...scene.place.environment, ...more };
  return Promise.all(Array.from({ length: count }, () => tollgate(['serve'], environment)));
}

function expectRefused(results: readonly Finished[]): void {
  for (const { code, stdout, stderr } of results) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`is in use by another Tollgate server (process ${scene.server.pid}, since `);
    expect(stderr).toContain('set TOLLGATE_DATA to another directory');
  }
}

describe('a second server on one data directory', () => {
  test('ends at once with a message that names the owner, 20 times of 20', async () => {
    expectRefused([...(await seconds(10)), ...(await seconds(10))]);
  }, 300_000);

  test('ends the same way when it has a database of its own', async () => {
    const { connection, stop } = await startEmbedded(scene.place.dataDirectory, silentLogger);
    expectRefused(await seconds(5, { DATABASE_URL: connection }));
    await stop();
  }, 300_000);

  test('ends the same way in a container, where it sees no other process', {
    ...needs(CONTAINER),
    timeout: 120_000,
  }, () => {
    const [program = '', ...options] = container ?? [];
    const { status, stdout, stderr } = spawnSync(
      program,
      [...options, process.execPath, 'src/main.ts', 'serve'],
      // Whoever is not refused would serve for ever.
      { cwd: projectRoot, env: { ...scene.place.environment }, encoding: 'utf8', timeout: 60_000 },
    );
    expectRefused([{ code: status, stdout, stderr }]);
  });

  test('leaves the first one serving', async () => {
    expect((await ask(scene.key)).finished).toBe(true);
  });
});

describe('a command beside the running server', () => {
  test('creates a key that works at once, and revokes it for the very next call', async () => {
    const args = ['--account', 'user@example.com', '--json'] as const;
    const created = await command('key', 'create', ...args, '--name', 'beside');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { id, api_key: key } = JSON.parse(created.stdout) as { id: number; api_key: string };
    expect((await ask(key)).status).toBe(200);
    const revoked = await command('key', 'revoke', ...args, '--id', String(id));
    expect(revoked).toMatchObject({ code: 0, stderr: '' });
    const refused = await ask(key);
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 40101 });
  }, 300_000);

  test('applies a catalogue: a new model can be called and a new price counts, at once', async () => {
    const file = join(scene.place.folder, 'next.yaml');
    const priced = CRASH_CATALOG.replace(
      '{ input: "100", output: "300" }',
      '{ input: "1000", output: "3000" }',
    );
    const model = `
  - model_id: brand-new
    prices: { input: "1", output: "1" }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5-2026-08-01 }]
policies:`;
    await writeFile(file, priced.replace('\npolicies:', model));
    const fresh: Shape = {
      ...CHAT,
      body: (prompt, way) => ({ ...CHAT.body(prompt, way), model: 'brand-new' }),
    };
    expect((await ask(scene.key, fresh)).status).toBe(502);
    const applied = await command('apply', '-f', file);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout).toMatch(/3 changes\n$/);
    expect((await ask(scene.key, fresh)).status).toBe(200);
    const { requestId } = await ask(scene.key);
    await scene.settled();
    const [row] = await scene.database.query<{ input: bigint; amount_micro: bigint }>(
      'select input_fresh as input, amount_micro from calls where call_id = $1',
      [requestId],
    );
    expect(row?.amount_micro).toBe((row?.input ?? 0n) * 1000n + 10n * 3000n);
  }, 300_000);

  test('finds no fault in the ledger', async () => {
    expect(await command('doctor')).toEqual({
      code: 0,
      stdout: expect.stringContaining('the ledger is correct'),
      stderr: '',
    });
  });
});
