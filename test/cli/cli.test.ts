import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { runCommand } from '../../src/cli/run.ts';
import { createCalendar } from '../../src/kernel/time/calendar.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { projectRoot } from '../house/tree.ts';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { type Exit, type Finished, startProgram, tollgate } from '../support/processes.ts';
import { STANDARD_CATALOG } from '../support/world.ts';

let fresh: FreshDatabase;
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  fresh = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-cli-'));
  environment = {
    TOLLGATE_DATA: join(folder, 'data'),
    DATABASE_URL: fresh.connection,
    SIM: 'http://127.0.0.1:9',
  };
});
afterAll(async () => {
  await fresh?.drop();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: readonly string[]): Promise<Finished> => tollgate(args, environment);

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

test('the compile cache of a command is kept for the next one', async () => {
  const kept = join(folder, 'compiled');
  const version = (place: string): Promise<Exit> =>
    startProgram(['src/main.ts', '--version'], { ...environment, NODE_COMPILE_CACHE: place }).exited;
  expect(await version(kept)).toEqual({ code: 0, signal: null });
  // The tests keep what they compile too; here the command chooses by itself.
  await version('');
  for (const place of [kept, join(projectRoot, 'node_modules/.cache/tollgate')]) {
    expect((await readdir(place, { recursive: true })).length).toBeGreaterThan(100);
  }
});

/** What a command says, without a process of its own: for what needs neither settings nor a store. */
async function said(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const output = {
    line: (text: string) => {
      out += `${text}\n`;
    },
    error: (text: string) => {
      err += `${text}\n`;
    },
  };
  return { code: await runCommand(args, output), out, err };
}

describe('usage', () => {
  test.each(COMMANDS.map(({ name }) => name))(
    '"%s --help" prints the purpose and ends with 0',
    async (name) => {
      const command = COMMANDS.find((one) => one.name === name);
      const { code, out, err } = await said(...name.split(' '), '--help');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`Usage: tollgate ${name}`);
      expect(out).toContain(command?.summary);
      // Each option of its own has its line.
      for (const option of Object.keys(command?.options ?? {})) expect(out).toContain(`--${option}`);
    },
  );

  test('separates every option from its meaning', () => {
    const lines = COMMANDS.flatMap(({ name, help }) => help.map((line) => `${name}: ${line}`));
    expect(lines.filter((line) => !/^[\w -]+: (?:\S.*?)? {2,}\S/.test(line))).toEqual([]);
  });

  test.each([['--help'], ['help'], ['-h']])('"%s" lists every command', async (word) => {
    const { code, out } = await said(word);
    expect(code).toBe(0);
    const width = Math.max(...COMMANDS.map(({ name }) => name.length));
    for (const { name, summary } of COMMANDS) expect(out).toContain(`  ${name.padEnd(width)}  ${summary}\n`);
  });

  test.each([
    [['key', '--help'], 0],
    [['key', '-h'], 0],
    [['key', 'help'], 0],
    [['help', 'key'], 0],
    [['--help', 'key'], 0],
    [['key'], 2],
  ])('%j lists the commands of keys and no others, and ends with %i', async (args, code) => {
    const { code: ended, out, err } = await said(...args);
    expect({ code: ended, err }).toEqual({ code, err: '' });
    expect(out).toMatch(/^Usage: tollgate key <command> \[options\]\n/);
    expect(out.match(/^ {2}\S.*$/gm)?.map((line) => line.split('  ')[1])).toEqual([
      'key create',
      'key list',
      'key set',
      'key revoke',
    ]);
  });

  const groups = COMMANDS.filter(({ name }) => name.includes(' ')).map(
    ({ name }) => name.split(' ', 1)[0] ?? '',
  );
  test.each([...new Set(groups)])('"%s --help" prints a help', async (group) => {
    expect(await said(group, '--help')).toMatchObject({ code: 0, err: '' });
  });

  test('"help key create" prints the help of that command', async () => {
    expect(await said('help', 'key', 'create')).toEqual(await said('key', 'create', '--help'));
  });

  test('no command at all is wrong usage, and prints the list', async () => {
    expect(await said()).toMatchObject({
      code: 2,
      out: expect.stringContaining('Usage: tollgate <command>'),
    });
  });

  test.each([
    [['frobnicate'], 'unknown command "frobnicate"'],
    [['key', 'steal'], 'unknown command "key steal"'],
    [['apply'], '--file is required'],
    [['help', 'steal'], 'unknown command "steal"'],
    [['apply', '--fiel', 'x'], 'unknown option --fiel'],
    [['apply', '-f'], '--file needs a value'],
    [['apply', '--dry-run=yes', '-f', 'x'], '--dry-run takes no value'],
    [['account', 'adjust', '--credits', '-5'], 'write a value that begins with "-" as --credits=-…'],
    [['account', 'list', 'ada@example.com'], 'unexpected argument "ada@example.com"'],
    [['catalog', 'list', 'models', 'gpt-5'], 'unexpected argument "gpt-5"'],
    [['key', 'create', '--name', 'x'], '--account is required'],
    [['account', 'create', '--email', 'nobody'], '--email must be an e-mail address such as ada@example.com'],
    [
      ['account', 'create', '--email', 'rich@example.com', '--credits', '1000000000001'],
      '--credits must be at most 1000000000000',
    ],
    [
      ['account', 'create', '--email', 'rich@example.com', '--balance', '9'.repeat(40)],
      '--balance must be a decimal',
    ],
  ])('%j is wrong usage with a reason', async (args, why) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
  });
});

describe('settings', () => {
  test('that are wrong are all reported at once, and end every command with 2', async () => {
    const wrong = { ...environment, TOLLGATE_PORT: 'eighty', TOLLGATE_SECRET: 'short', TOLLGATE_PROT: '1' };
    for (const name of ['serve', 'doctor']) {
      const { code, stdout, stderr } = await tollgate([name], wrong);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('TOLLGATE_PORT: must be a whole number from 0 to 65535');
      expect(stderr).toContain('TOLLGATE_SECRET: must have at least 32 bytes');
      expect(stderr).toContain('TOLLGATE_PROT: not a setting of Tollgate, check the spelling');
    }
  });

  test('may come from a file, and the environment wins', async () => {
    const file = await fileOf('settings', 'TOLLGATE_PORT=eighty\nTOLLGATE_TIMEZONE=Nowhere\n');
    const more = { ...environment, TOLLGATE_TIMEZONE: 'UTC' };
    const { code, stderr } = await tollgate(['doctor', '--config', file], more);
    expect(code).toBe(2);
    expect(stderr).toContain('TOLLGATE_PORT');
    expect(stderr).not.toContain('TOLLGATE_TIMEZONE');
    const missing = await tollgate(['doctor', '--config', join(folder, 'none')], environment);
    expect(missing.code).toBe(2);
  });

  test('without a reachable database end with 1 and a sentence, not a stack', async () => {
    const nowhere = { ...environment, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' };
    const { code, stdout, stderr } = await tollgate(['doctor'], nowhere);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^tollgate doctor: /m);
    expect(stderr).not.toContain('    at ');
  });
});

describe('apply', () => {
  test('with --dry-run prints what would change and changes nothing', async () => {
    const file = await fileOf('catalog.yaml', STANDARD_CATALOG);
    const dry = await run('apply', '-f', file, '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toContain('created model gpt-5');
    expect(dry.stdout).toMatch(/\d+ changes \(not applied\)\n$/);
    const [count] = await fresh.database.query<{ count: bigint }>('select count(*) from models');
    expect(count?.count).toBe(0n);
  });

  test('applies the file, and changes nothing the second time', async () => {
    const file = await fileOf('catalog.yaml', STANDARD_CATALOG);
    const first = await run('apply', '-f', file, '--json');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const { dry_run: dry, changes } = JSON.parse(first.stdout) as { dry_run: boolean; changes: unknown[] };
    expect(dry).toBe(false);
    expect(changes.length).toBeGreaterThan(10);
    expect(first.stdout).not.toContain('sk-sim-openai');
    const second = await run('apply', '-f', file);
    expect(second).toEqual({ code: 0, stdout: 'nothing to change\n', stderr: '' });
  });

  test('reports every mistake of a file at once, with its path and line, and applies nothing', async () => {
    const file = await fileOf(
      'wrong.yaml',
      `vendors:
  - { code: openai, protocols: [chatt], base_url: "ftp://x" }
models:
  - model_id: half-right
    prices: { input: "-1" }
    routes: [{ vendor: nobody, credential: none }]
polices: []
`,
    );
    const { code, stdout, stderr } = await run('apply', '-f', file);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    for (const place of [
      'vendors[0].protocols',
      'vendors[0].base_url',
      'models[0].prices.input',
      'polices',
    ]) {
      expect(stderr).toContain(place);
    }
    expect(stderr).toMatch(/\(line 2\)/);
    const [row] = await fresh.database.query<{ count: bigint }>(
      "select count(*) from models where model_id = 'half-right'",
    );
    expect(row?.count).toBe(0n);
  });

  test('with a missing file ends with 1', async () => {
    expect(await run('apply', '-f', join(folder, 'none.yaml'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be read'),
    });
  });
});

describe('accounts and keys', () => {
  test('are created, listed and revoked, as text and as JSON', async () => {
    const email = 'new@example.com';
    const created = await run('account', 'create', '--email', email, '--credits', '12.5', '--json');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(created.stdout)).toMatchObject({ email, password: expect.any(String) });
    const again = await run('account', 'create', '--email', email);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already has an account') });

    const key = await run('key', 'create', '--account', email, '--name', 'first');
    expect(key.stdout).toMatch(/^\S{20,}\n$/);
    const listed = await run('key', 'list', '--account', email, '--json');
    const { items } = JSON.parse(listed.stdout) as { items: { id: number; prefix: string }[] };
    const [shown] = items;
    expect(key.stdout.startsWith(shown?.prefix ?? '-')).toBe(true);
    expect(listed.stdout).not.toContain(key.stdout.trim());

    const revoke = ['key', 'revoke', '--account', email, '--id', String(shown?.id)];
    expect(await run(...revoke, '--json')).toMatchObject({ code: 0, stderr: '' });
    expect(await run(...revoke)).toMatchObject({ code: 1, stderr: expect.stringContaining('has no key') });
  });

  test('take a password of 8 to 256 characters from standard input', async () => {
    const create = (email: string, password: string): Promise<Finished> =>
      tollgate(['account', 'create', '--email', email, '--password-stdin'], environment, password);
    for (const password of ['a'.repeat(7), `${'a'.repeat(257)}\n`, 'a'.repeat(100_000)]) {
      const { code, stdout, stderr } = await create('typed@example.com', password);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/password must have at (least 8|most 256) characters/);
    }
    const longest = await create('typed@example.com', `${'a'.repeat(256)}\r\n`);
    expect(longest).toMatchObject({ code: 0, stderr: '' });
    expect(longest.stdout).not.toContain('password');
  });

  test('of an unknown account end with 1', async () => {
    const { code, stderr } = await run('key', 'list', '--account', 'ghost@example.com');
    expect(code).toBe(1);
    expect(stderr).toBe('tollgate key list: there is no account ghost@example.com\n');
  });
});

describe('the commands doctor and migrate', () => {
  test('report that no migration is left', async () => {
    expect(await run('migrate')).toMatchObject({ code: 0, stderr: '' });
  });

  test('put records of migrations aside for a version that serves on the database, and take them back', async () => {
    const wrong = await run('migrate', '--back-to', '15');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('--back-to is the number of a migration, like 015');
    const refused = await run('migrate', '--back-to', '001');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('a version whose last migration is 1 does not serve on this database');
    const back = await run('migrate', '--back-to', '025');
    expect(back.stdout).toMatch(/^put aside 026_corrections\.sql$/m);
    expect(await run('migrate')).toMatchObject({ code: 0, stdout: 'the database is up to date\n' });
    const rows = await fresh.database.query("select name from migrations where name = '026_corrections.sql'");
    expect(rows).toHaveLength(1);
  });

  test('report calls that were not paid in full, with vendor and cause, and end with 0', async () => {
    const { database } = fresh;
    const accountId = await accountWith(database, { creditsMicro: 5_000_000n });
    const expected = { inputTokens: 1_000, outputTokens: 100, images: 0 };
    const call = callOf({ accountId, heldMicro: 5_000_000n, expected });
    const calendar = createCalendar('UTC');
    await createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar }).settle([call]);
    const { code, stdout } = await run('doctor');
    expect(code).toBe(0);
    expect(stdout).toContain(
      `shortfall: call ${call.callId} of account ${accountId} (model gpt-5, vendor openai)`,
    );
    expect(stdout).toContain(
      'openai produced 500 output tokens, the bound was 100; the account had no Credits left',
    );
    expect(stdout).toContain('1 calls were not paid in full, 20 Credits in total');
    expect(stdout).toContain('the ledger is correct');
    const causes = ['output-beyond-bound'];
    expect(JSON.parse((await run('doctor', '--json')).stdout)).toMatchObject({
      findings: [],
      shortfalls: { calls: 1, credits: '20', newest: [{ call_id: call.callId, vendor: 'openai', causes }] },
    });
  });

  test('end with 0 on sound books, and with 1 and the findings otherwise', async () => {
    const sound = await run('doctor', '--json');
    expect(sound).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(sound.stdout)).toMatchObject({ checks: expect.any(Number), findings: [] });
    await fresh.database.query(
      "update accounts set credits_micro = credits_micro + 1 where email = 'user@example.com'",
    );
    const text = await run('doctor');
    expect(text.code).toBe(1);
    expect(text.stdout).toContain('credits-sum: account ');
    const json = await run('doctor', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ findings: [{ check: 'credits-sum' }] });
  });
});
