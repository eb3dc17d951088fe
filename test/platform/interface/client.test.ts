import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientCode } from '../../../src/cli/client-file.ts';
import { projectRoot } from '../../house/tree.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-client-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'client.ts'), clientCode());
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** What the compiler says about a use of the client. */
async function compile(use: string): Promise<string> {
  await writeFile(join(folder, 'use.ts'), use);
  const compiler = join(projectRoot, 'node_modules', '.bin', 'tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2024,dom,dom.iterable'];
  const files = ['--allowImportingTsExtensions', '--ignoreConfig', 'use.ts'];
  const run = promisify(execFile)(compiler, [...options, ...files], { cwd: folder });
  return run.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

const HEAD = `import { createClient } from './client.ts';
const ask = createClient({ url: '', fetch });
`;

test('the generated client compiles, and rejects unknown fields', async () => {
  const good = `${HEAD}const made = await ask('createKey', { body: { name: 'laptop' } });
export const text: string = made.ok ? made.data.api_key : made.message;
`;
  expect(await compile(good)).toBe('');
  const wrong = await compile(`${HEAD}await ask('createKey', { body: { nmae: 'x' } });
await ask('crateKey', {});
const found = await ask('getKey', { params: { id: 1 } });
if (found.ok) found.data.api_key.length;
`);
  expect(wrong.match(/^use\.ts\((\d+),/gm)).toEqual(['use.ts(3,', 'use.ts(4,', 'use.ts(6,']);
});

test('the generated client calls a live server', async () => {
  const { createClient } = await import(pathToFileURL(join(folder, 'client.ts')).href);
  const anonymous = createClient({ url: world.url, fetch });
  const refused = await anonymous('getProfile', {});
  expect(refused).toMatchObject({ ok: false, status: 401, code: 1002 });
  const credentials = { email: 'user@example.com', password: 'a test password' };
  const login = await anonymous('logIn', { body: credentials });
  const headers = () => ({ authorization: `Bearer ${login.data.access_token}` });
  const ask = createClient({ url: world.url, fetch, headers });
  const made = await ask('createKey', { body: { name: 'made by a client' } });
  expect(made).toMatchObject({ ok: true, data: { name: 'made by a client' } });
  const page = await ask('listKeys', { query: { page: 1, size: 1 } });
  expect(page).toMatchObject({ ok: true, size: 1, data: [{ id: made.data.id }] });
  const found = await ask('getKey', { params: { id: made.data.id } });
  expect(found).toMatchObject({ ok: true, data: { prefix: made.data.prefix } });
});
