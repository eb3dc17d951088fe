import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitVerification } from '../../src/store/accounts/verifications.ts';
import { CATALOG_TEXT } from '../support/catalog.ts';
import { openTerminal, type Terminal } from '../support/commands.ts';

const USER = 'user@example.com';
let terminal: Terminal;

beforeAll(async () => {
  terminal = await openTerminal(CATALOG_TEXT);
});
afterAll(() => terminal?.close());

const run = (...args: readonly string[]) => terminal.run(...args);
const json = <Shape = Record<string, unknown>>(...args: readonly string[]) => terminal.json<Shape>(...args);
const lastRecord = async () =>
  (await json<{ items: Record<string, unknown>[] }>('audit', 'list', '--size', '1')).items[0];

interface Entries {
  readonly total: number;
  readonly items: Record<string, unknown>[];
}

describe('the command catalog', () => {
  test.each(['vendors', 'credentials', 'models', 'routes', 'policies', 'plans', 'nodes', 'announcements'])(
    'lists and shows the %s, without secrets',
    async (kind) => {
      const { total, items } = await json<Entries>('catalog', 'list', kind);
      expect(items).toHaveLength(total);
      const { code, stdout } = await run('catalog', 'list', kind);
      expect([code, stdout.split('\n').length]).toEqual([0, total + 2]);
      const [first] = items;
      if (first === undefined) return;
      const { code: entryCode, id, model_id: modelId, name } = first;
      const key = String(entryCode ?? (kind === 'models' ? modelId : id) ?? name);
      expect(await json('catalog', 'show', kind, key)).toEqual(first);
      expect(JSON.stringify(items)).not.toMatch(/"secret":"[^…]/);
    },
  );

  test('deletes unused entries, reports what uses the others, and is recorded', async () => {
    const used = await run('catalog', 'delete', 'vendors', 'openai');
    expect(used).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('in use by credential'),
    });
    const [route] = (await json<Entries>('catalog', 'list', 'routes')).items;
    expect(await json('catalog', 'delete', 'routes', String(route?.id))).toEqual({});
    expect(await lastRecord()).toMatchObject({
      action: 'catalog delete',
      entity: 'routes',
      actor_email: null,
      address: 'terminal',
      after: null,
    });
    expect((await run('catalog', 'delete', 'routes', String(route?.id))).code).toBe(1);
  });

  test.each([
    ['catalog', 'list'],
    ['catalog', 'list', 'things'],
    ['catalog', 'show', 'vendors'],
  ])('%s %s %s is wrong usage', async (...args) => {
    expect((await run(...args.filter((each) => each !== undefined))).code).toBe(2);
  });
});

describe('the command account', () => {
  test('adjusts up and down, never below zero, with a reason', async () => {
    const adjust = (...options: string[]) =>
      run('account', 'adjust', '--account', USER, '--reason', 'charged twice', ...options);
    expect((await adjust('--credits=-0.5')).stdout).toBe('now 50000 Credits, balance 100 yuan\n');
    expect((await adjust('--balance', '5')).stdout).toBe('now 50000 Credits, balance 105 yuan\n');
    expect(await adjust('--balance=-1000')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the balance is not sufficient'),
    });
    expect(await adjust('--credits=-99999')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the Credits are not sufficient'),
    });
    expect((await adjust('--balance', '0')).code).toBe(2);
    expect((await adjust('--balance', '1', '--credits', '1')).code).toBe(2);
    expect(await lastRecord()).toMatchObject({
      action: 'account adjust',
      before: { balance: '100' },
      after: { balance: '105', change: '5', reason: 'charged twice' },
    });
  });

  test('decides a submitted verification once', async () => {
    const verify = (...options: string[]) => run('account', 'verify', '--account', USER, ...options);
    expect((await verify()).code).toBe(2);
    expect(await verify('--approve')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no pending'),
    });
    const { id } = await json<{ id: number }>('account', 'show', '--account', USER);
    const fields = { name: 'Ada', documentNumber: 'X1234567', contact: undefined };
    const { fresh, sealer } = terminal;
    const submit = () =>
      submitVerification(fresh.database, { accountId: id, kind: 'enterprise' }, fields, sealer);
    await submit();
    expect((await verify('--refuse', 'not readable')).stdout).toBe('refused, 0 Credits granted\n');
    await submit();
    expect((await verify('--approve')).stdout).toMatch(/^approved, [\d.]+ Credits granted\n$/);
    expect((await verify('--approve')).code).toBe(1);
    expect(await json('account', 'show', '--account', USER)).toMatchObject({ user_type: 2 });
    const { stdout } = await run('verification', 'list', '--status', 'refused');
    expect(stdout).toMatch(/user@example.com +enterprise +refused +Ada +…4567 /);
    expect(stdout).not.toContain('X1234567');
    const shown = await run('account', 'show', '--account', USER);
    expect(shown.stdout).toMatch(/^submitted +\d+ {2}enterprise, approved: Ada, X1234567$/m);
    const both = [await json('verification', 'list'), await json('account', 'show', '--account', USER)];
    expect(both).toMatchObject([
      { items: [{ document_number: '…4567' }, { document_number: '…4567' }] },
      { verification: { document_number: 'X1234567', status: 'approved' } },
    ]);
  });

  test('ends the logins of an account', async () => {
    expect((await run('account', 'logout', '--account', USER)).stdout).toBe('0 logins ended\n');
  });
});

describe('the commands feedback, registration and overview', () => {
  test('list feedback and mark it as done', async () => {
    await terminal.fresh.database.query(
      `insert into feedback (content, contact) values ('all \u001b[31mred', 'me@example.com')`,
    );
    expect((await run('feedback', 'list', '--status', 'open')).stdout).toMatch(
      /1 +\S+ \S+ +open +me@example.com +all ·\[31mred\n/,
    );
    expect((await run('feedback', 'done', '--id', '1')).code).toBe(0);
    expect(await json('feedback', 'list', '--status', 'open')).toEqual({ total: 0, items: [] });
    expect((await run('feedback', 'done', '--id', '99')).code).toBe(1);
    expect((await run('feedback', 'done', '--id', '1', '--answer', 'Thank you')).code).toBe(0);
    expect(await json('feedback', 'list')).toMatchObject({
      items: [{ status: 'done', answer: 'Thank you' }],
    });
  });

  test('show and set registration', async () => {
    expect((await run('registration')).stdout).toBe('open (by the configuration)\n');
    expect((await run('registration', 'closed')).stdout).toBe('closed\n');
    expect(await json('registration', 'default')).toEqual({ registration: null });
    expect((await run('registration', 'ajar')).code).toBe(2);
  });

  test('print an overview as a table for people and as JSON for programs', async () => {
    expect(await json('overview')).toMatchObject({
      traffic: { calls: 0, active_accounts: 0 },
      accounts: { total: 2 },
      vendors: [],
      credentials: [{ name: 'main', calls: 0, revenue: '0' }, { name: 'spare' }],
    });
    const { stdout } = await run('overview', '--hours', '48');
    expect(stdout).toMatch(/calls +0, 0 failed\n/);
    expect(stdout).toMatch(/VENDOR +CALLS +FAILED +REVENUE +COST +MARGIN\n/);
    expect((await run('overview', '--hours', '0')).code).toBe(2);
  });
});
