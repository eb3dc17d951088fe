import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { silentLogger } from '../kernel/log.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { COMMANDS } from './commands.ts';
import { runCommand } from './run.ts';

const ACCOUNT = '--account user@example.com';
const ADJUSTED = `${ACCOUNT} --credits 1 --reason test`;

/** What each command does where there is no database; those that refuse with the options that they need. */
const TABLE: Readonly<Record<string, { readonly refuses: string } | 'creates' | 'needs none'>> = {
  serve: 'creates',
  demo: 'creates',
  apply: 'creates',
  migrate: 'creates',
  restore: 'creates',
  'vendor add': 'creates',
  'account create': 'creates',
  'clickhouse table': 'needs none',
  doctor: { refuses: '' },
  backup: { refuses: '--with-secret' },
  'secret rotate': { refuses: '' },
  'clickhouse status': { refuses: '' },
  'clickhouse forget': { refuses: '' },
  nodes: { refuses: '' },
  overview: { refuses: '' },
  'vendor list': { refuses: '' },
  'catalog list': { refuses: 'models' },
  'catalog show': { refuses: 'settings' },
  'catalog export': { refuses: '' },
  'catalog delete': { refuses: 'models gpt-5' },
  'what-if': { refuses: '-f CATALOG' },
  'prices import': { refuses: 'CATALOG --yes' },
  reprice: { refuses: '--model gpt-5 --from 2026-11-01T00:00:00 --reason test' },
  'account list': { refuses: '' },
  'account show': { refuses: ACCOUNT },
  'account set': { refuses: `${ACCOUNT} --api-billing on` },
  'account top-up': { refuses: ADJUSTED },
  'account adjust': { refuses: ADJUSTED },
  'account exchange': { refuses: `${ACCOUNT} --amount 1` },
  'account verify': { refuses: `${ACCOUNT} --approve` },
  'account logout': { refuses: ACCOUNT },
  'account reset-password': { refuses: ACCOUNT },
  'account sessions': { refuses: ACCOUNT },
  'account note': { refuses: ACCOUNT },
  'account usage': { refuses: ACCOUNT },
  'account ledger': { refuses: ACCOUNT },
  'account export': { refuses: `${ACCOUNT} --log calls` },
  'verification list': { refuses: '' },
  'key create': { refuses: `${ACCOUNT} --name test` },
  'key list': { refuses: ACCOUNT },
  'key set': { refuses: `${ACCOUNT} --id 1 --name test` },
  'key revoke': { refuses: `${ACCOUNT} --id 1` },
  'subscription grant': { refuses: `${ACCOUNT} --plan ALL` },
  'subscription list': { refuses: ACCOUNT },
  'subscription cancel': { refuses: `${ACCOUNT} --id 1` },
  'credential add': { refuses: `${ACCOUNT} --vendor openai --name test` },
  'credential list': { refuses: ACCOUNT },
  'credential set': { refuses: `${ACCOUNT} --id 1 --name test` },
  'credential remove': { refuses: `${ACCOUNT} --id 1` },
  'call list': { refuses: ACCOUNT },
  'call search': { refuses: '' },
  'call show': { refuses: 'an-id' },
  'feedback list': { refuses: '' },
  'feedback done': { refuses: '--id 1' },
  'audit list': { refuses: '' },
  registration: { refuses: '' },
  'alerts channels': { refuses: '' },
  'alerts add': { refuses: '--kind webhook --name test --address https://hooks.example --alerts all' },
  'alerts set': { refuses: '--id 1 --name test' },
  'alerts remove': { refuses: '--id 1' },
  'alerts test': { refuses: '--id 1' },
  'alerts states': { refuses: '' },
  'alerts deliveries': { refuses: '' },
  'alerts resend': { refuses: '--id 1' },
};

const REFUSING = Object.entries(TABLE).flatMap(([name, what]) =>
  typeof what === 'string' ? [] : [{ name, options: what.refuses.split(' ').filter(Boolean) }],
);

let fresh: FreshDatabase;
let external: string;
let folder: string;
let catalog: string;

beforeAll(async () => {
  fresh = await freshDatabase();
  const url = new URL(fresh.connection);
  url.pathname += '_empty';
  external = url.href;
  await fresh.database.query(`create database ${url.pathname.slice(1)}`);
});
afterAll(async () => {
  await fresh?.database.query(`drop database ${new URL(external).pathname.slice(1)} with (force)`);
  await fresh?.drop();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-absence-'));
  catalog = join(folder, 'catalog.yaml');
  writeFileSync(catalog, 'vendors: []\n');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Settings come from a file, so that commands run in this process. */
async function run(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly error: string }> {
  const config = join(folder, 'settings');
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(config, lines.join('\n'));
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(['sk-a-secret']) as typeof process.stdin);
  const error: string[] = [];
  const output = { line: () => {}, error: (text: string) => void error.push(text) };
  const named = words.map((word) => (word === 'CATALOG' ? catalog : word));
  const code = await runCommand([...named, '--config', config], output);
  return { code, error: error.join('\n') };
}

async function listTables(): Promise<readonly unknown[]> {
  const database: Database = await openDatabase({ connection: external, log: silentLogger });
  try {
    return await database.query("select relname from pg_class where relnamespace = 'public'::regnamespace");
  } finally {
    await database.close();
  }
}

test('the table has every command', () => {
  expect(Object.keys(TABLE).sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
});

describe.each(REFUSING)('$name', ({ name, options }) => {
  const words = [...name.split(' '), ...options];
  const remedy = 'or create one here with "tollgate serve" or "tollgate migrate"';

  test('refuses a data directory that is not there or is empty, and creates nothing', async () => {
    const data = join(folder, 'data');
    const refused = `tollgate ${name}: there is no database in the data directory ${data} (TOLLGATE_DATA): `;
    const absent = await run(words, { TOLLGATE_DATA: data });
    expect(absent).toEqual({ code: 1, error: expect.stringContaining(refused) });
    expect(absent.error).toContain(remedy);
    expect(existsSync(data)).toBe(false);
    mkdirSync(data);
    const empty = await run(words, { TOLLGATE_DATA: data });
    expect(empty).toEqual(absent);
    expect(readdirSync(data)).toEqual([]);
  });

  test('refuses an external database without tables, and creates nothing', async () => {
    const data = join(folder, 'data');
    const { code, error } = await run(words, { TOLLGATE_DATA: data, DATABASE_URL: external });
    expect(error).toContain(`tollgate ${name}: there is no database of Tollgate at /`);
    expect(error).toContain('_empty (DATABASE_URL): ');
    expect(error).toContain(remedy);
    expect(error).not.toContain(new URL(external).password || 'no password');
    expect(code).toBe(1);
    expect(await listTables()).toEqual([]);
    expect(existsSync(data)).toBe(false);
  });
});

test('an external database that does not exist is refused, and creates nothing', async () => {
  const DATABASE_URL = external.replace('_empty', '_nowhere');
  const data = join(folder, 'data');
  for (const words of [['doctor'], ['backup'], ['secret', 'rotate'], ['migrate']]) {
    const { code, error } = await run(words, { TOLLGATE_DATA: data, DATABASE_URL });
    expect(error).toMatch(
      /refuses the connection \(database ".*_nowhere" does not exist\): check DATABASE_URL/,
    );
    expect(code).toBe(1);
  }
  expect(existsSync(data)).toBe(false);
});

test.each([['migrate'], ['apply', '-f', 'CATALOG'], ['account', 'create', '--email', 'user@example.com']])(
  '%s %s creates a database',
  async (...words) => {
    const name = `${new URL(external).pathname.slice(1)}_made`;
    await fresh.database.query(`create database ${name}`);
    try {
      const DATABASE_URL = external.replace('_empty', '_empty_made');
      const settings = { TOLLGATE_DATA: join(folder, 'data'), DATABASE_URL };
      expect(await run(words, settings)).toEqual({ code: 0, error: '' });
      expect(await run(['doctor'], settings)).toEqual({ code: 0, error: '' });
    } finally {
      await fresh.database.query(`drop database ${name} with (force)`);
    }
  },
);

test('the commands that create a database are those of the table', () => {
  const own = ['serve', 'demo', 'migrate', 'restore'];
  const creating = COMMANDS.filter(({ name, mayCreate }) => mayCreate === true || own.includes(name));
  const listed = Object.keys(TABLE).filter((name) => TABLE[name] === 'creates');
  expect(creating.map(({ name }) => name).sort()).toEqual(listed.sort());
});
