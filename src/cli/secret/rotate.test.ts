import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CATALOG_TEXT } from '../../../test/support/catalog.ts';
import { type Commands, commandsWith } from '../../../test/support/commands.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { type Finished, tollgate } from '../../../test/support/processes.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { readCatalog } from '../../store/catalog/read.ts';

const NEW = 'a new secret of more than thirty-two bytes';
let fresh: FreshDatabase;
let folder: string;
let dataDirectory: string;
let environment: Readonly<Record<string, string>>;
let commands: Commands;

beforeEach(async () => {
  fresh = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-rotate-'));
  dataDirectory = join(folder, 'data');
  await use({});
});
afterEach(async () => {
  await fresh.drop();
  await rm(folder, { recursive: true, force: true });
});

async function use(settings: Readonly<Record<string, string>>): Promise<void> {
  environment = { TOLLGATE_DATA: dataDirectory, DATABASE_URL: fresh.connection, ...settings };
  commands = await commandsWith(environment, folder);
}

async function applyCatalog(): Promise<void> {
  const file = join(folder, 'catalog.yaml');
  writeFileSync(file, CATALOG_TEXT);
  await commands.json('apply', '-f', file);
}

const secretFile = (name = 'secret'): string => readFileSync(join(dataDirectory, name), 'utf8').trim();

/** What the credentials of the catalogue are with this secret; '' if it does not open them. */
async function secretsWith(secret: string): Promise<readonly string[]> {
  const sealer = newSealer([secret], systemRandom);
  const { credentials } = await readCatalog(fresh.database, { sealer, log: silentLogger });
  return [...credentials.values()].map((credential) => credential.secret).sort();
}

const rotateTill = (point: string): Promise<Finished> =>
  tollgate(['secret', 'rotate'], { ...environment, TOLLGATE_FAULTS: `${point}=kill` });

it('makes a new secret in the data directory, under which everything opens', async () => {
  await applyCatalog();
  const old = secretFile();
  const secrets = await secretsWith(old);
  expect(secrets.every((secret) => secret !== '')).toBe(true);
  const said = await commands.run('secret', 'rotate');
  expect([said.code, said.stderr]).toEqual([0, '']);
  expect(said.stdout).toMatch(/2 secrets are encrypted.*0 stored conversations/);
  expect(secretFile()).not.toBe(old);
  expect(secretFile('secret.before-rotation-1')).toBe(old);
  for (const name of ['secret', 'secret.before-rotation-1']) {
    expect(statSync(join(dataDirectory, name)).mode & 0o777).toBe(0o600);
  }
  expect(await secretsWith(secretFile())).toEqual(secrets);
  expect(await secretsWith(old)).toEqual(secrets.map(() => ''));
  expect((await commands.run('account', 'list')).code).toBe(0);
  expect((await commands.run('audit', 'list')).stdout).toContain('secret rotate');
  expect(said.stdout).not.toContain(secretFile());
});

it('changes nothing when it is killed before its end', async () => {
  await applyCatalog();
  const old = secretFile();
  const secrets = await secretsWith(old);
  expect(await rotateTill('rotate.before-commit')).toMatchObject({ code: null });
  expect([secretFile(), await secretsWith(old)]).toEqual([old, secrets]);
  expect((await commands.run('account', 'list')).code).toBe(0);
  expect((await commands.run('secret', 'rotate')).code).toBe(0);
  expect(await secretsWith(secretFile())).toEqual(secrets);
});

it('keeps everybody out when it is killed at its very end, until it is repeated', async () => {
  await applyCatalog();
  const old = secretFile();
  const secrets = await secretsWith(old);
  expect(await rotateTill('rotate.after-commit')).toMatchObject({ code: null });
  const refused = await commands.run('account', 'list');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('secret rotate')]);
  expect(secretFile()).toBe(old);
  expect((await commands.run('secret', 'rotate')).stdout).toContain('by an earlier run');
  expect(await secretsWith(secretFile())).toEqual(secrets);
  expect((await commands.run('account', 'list')).code).toBe(0);
  expect(
    readdirSync(dataDirectory)
      .filter((name) => name.startsWith('secret'))
      .sort(),
  ).toEqual(['secret', 'secret.before-rotation-1']);
});

it('takes the new secret of TOLLGATE_SECRET from standard input, and says what to do', async () => {
  const old = 'the secret of the environment, long enough';
  await use({ TOLLGATE_SECRET: old });
  await applyCatalog();
  const secrets = await secretsWith(old);
  expect((await commands.run('secret', 'rotate')).stderr).toContain('--stdin');
  const weak = await commands.typed('short\n', 'secret', 'rotate', '--stdin');
  expect([weak.code, weak.stderr]).toEqual([2, expect.stringContaining('32 bytes')]);
  expect((await commands.typed(`${old}\n`, 'secret', 'rotate', '--stdin')).stderr).toContain('in use');
  const said = await commands.typed(`${NEW}\n`, 'secret', 'rotate', '--stdin');
  expect([said.code, said.stdout]).toEqual([0, expect.stringContaining('set TOLLGATE_SECRET')]);
  expect(await secretsWith(NEW)).toEqual(secrets);
  const again = await commands.typed(`${NEW}\n`, 'secret', 'rotate', '--stdin');
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('by an earlier run')]);
  expect((await commands.run('account', 'list')).stderr).toContain('is not the secret');
  await use({ TOLLGATE_SECRET: NEW });
  expect((await commands.run('account', 'list')).code).toBe(0);
  expect(existsSync(join(dataDirectory, 'secret'))).toBe(false);
});

it('does nothing below a running server, with the wrong secret, or without data', async () => {
  expect((await commands.run('secret', 'rotate')).stderr).toContain('nothing is encrypted');
  await applyCatalog();
  const old = secretFile();
  const secrets = await secretsWith(old);
  await fresh.database.query(
    `insert into node_heartbeats (node, instance, worker, started_at, seen_at, version, active_calls)
     values ('local', 'there:1', 0, now(), now(), '1', 0)`,
  );
  expect((await commands.run('secret', 'rotate')).stderr).toContain('a server runs on this database');
  expect([secretFile(), await secretsWith(old)]).toEqual([old, secrets]);
  await fresh.database.query('delete from node_heartbeats');
  await rm(dataDirectory, { recursive: true });
  mkdirSync(dataDirectory);
  writeFileSync(join(dataDirectory, 'secret'), `${NEW}\n`);
  expect((await commands.run('secret', 'rotate')).stderr).toContain('is not the secret');
  expect(await secretsWith(old)).toEqual(secrets);
});
