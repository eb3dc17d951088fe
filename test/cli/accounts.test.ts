import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Change, followChanges } from '../../src/store/changes.ts';
import { CATALOG_TEXT } from '../support/catalog.ts';
import { openTerminal, type Terminal } from '../support/commands.ts';

const USER = 'user@example.com';
let terminal: Terminal;

beforeAll(async () => {
  terminal = await openTerminal(CATALOG_TEXT);
});
afterAll(() => terminal?.close());

const run = (...args: readonly string[]) => terminal.run(...args);
const show = () => terminal.json<Record<string, unknown>>('account', 'show', '--account', USER);
const set = (...options: readonly string[]) => run('account', 'set', '--account', USER, ...options);

describe('account list', () => {
  test('finds accounts by a part of their address, newest first, by pages', async () => {
    const all = await terminal.json<{ total: number; items: { email: string }[] }>('account', 'list');
    expect(all.total).toBe(2);
    expect(all.items.map(({ email }) => email)).toEqual([USER, 'operator@example.com']);
    const found = await terminal.json('account', 'list', '--email', 'USER@');
    expect(found).toMatchObject({
      total: 1,
      items: [{ email: USER, status: 'enabled', credits: '50000.5', balance: '100' }],
    });
    const second = await terminal.json('account', 'list', '--size', '1', '--page', '2');
    expect(second).toMatchObject({ total: 2, items: [{ email: 'operator@example.com', role: 'operator' }] });
    // A wildcard of SQL means itself.
    for (const part of ['%', '_ser', 'nobody']) {
      expect(await terminal.json('account', 'list', '--email', part)).toEqual({ total: 0, items: [] });
    }
  });

  test('prints a table for people', async () => {
    const { stdout } = await run('account', 'list', '--size', '1');
    expect(stdout).toMatch(/^ID +EMAIL +STATUS +ROLE +TYPE +CREDITS +BALANCE +SPENT +SEEN\n/);
    expect(stdout).toMatch(/\n\d+ +user@example.com +enabled +user +1 +50000\.5 +100 +0\n1 to 1 of 2\n$/);
  });

  test.each([
    ['--page', '0', '--page must be at least 1'],
    ['--size', '101', '--size must be at most 100'],
    ['--size', 'many', '--size must be a whole number'],
  ])('with %s %s is wrong usage', async (option, value, why) => {
    const { code, stdout, stderr } = await run('account', 'list', option, value);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
  });
});

describe('account set', () => {
  test('changes what is named and nothing else', async () => {
    const before = await show();
    const changed = await set('--api-billing', 'off', '--cap', '12.5', '--fallback-model', 'gpt');
    expect(changed).toEqual({
      code: 0,
      stdout: 'api-billing: off\ncap: 12.5\nfallback-model: gpt\n',
      stderr: '',
    });
    expect(await show()).toEqual({
      ...before,
      api_billing: false,
      extra_api_quota: '12.5',
      fallback_model: 'gpt',
    });
    await set('--auto-exchange', 'on', '--byok-fallback', 'on', '--user-type', '2', '--rate', '87.5');
    expect(await show()).toMatchObject({
      auto_exchange: true,
      byok_fallback: true,
      user_type: 2,
      user_rate: '87.5',
      api_billing: false,
    });
    const back = ['--api-billing', 'on', '--cap', '0', '--fallback-model', 'none', '--status', 'disabled'];
    expect(JSON.parse((await set(...back, '--json')).stdout)).toEqual(await show());
    expect(await show()).toMatchObject({
      api_billing: true,
      extra_api_quota: '0',
      fallback_model: null,
      status: 'disabled',
    });
    await set('--status', 'enabled');
  });

  test.each([
    [[], 'nothing to change'],
    [['--api-billing', 'yes'], '--api-billing must be on or off'],
    [['--status', 'gone'], '--status must be one of enabled, disabled'],
    [['--user-type', '3'], '--user-type must be at most 2'],
    [['--cap', '1.2345678'], '--cap must be a decimal'],
    [['--rate', '1000001'], '--rate must be at most 1000000'],
    [['--fallback-model', 'gpt-6', '--cap', '1'], '--fallback-model: there is no such model'],
    [['--policy', '99'], '--policy: there is no such policy'],
  ])('with %j is wrong usage', async (options, why) => {
    const before = await show();
    const { code, stdout, stderr } = await set(...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(await show()).toEqual(before);
  });

  test('refuses an unknown account', async () => {
    const nobody = await run('account', 'set', '--account', 'ghost@example.com', '--cap', '1');
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no account ghost') });
  });

  test('returns when running servers have applied the change', async () => {
    const { id: accountId } = await show();
    const heard: Change[] = [];
    const follower = {
      onChange: async (change: Change) => {
        // A server that takes its time.
        await new Promise((resolve) => setTimeout(resolve, 100));
        heard.push(change);
      },
      onMissed: () => {},
    };
    const stop = await followChanges(terminal.fresh.database, follower, silentLogger);
    await set('--rate', '100');
    expect(heard).toMatchObject([{ kind: 'account', accountId }]);
    await run('account', 'top-up', '--account', USER, '--credits', '1', '--reason', 'heard');
    expect(heard).toHaveLength(2);
    await stop();
  });
});

describe('money', () => {
  const topUp = (...options: readonly string[]) => run('account', 'top-up', '--account', USER, ...options);
  const entries = () =>
    terminal.fresh.database.query<{ kind: string; pool: string; change: bigint; ref: string }>(
      `select kind, pool, change_micro as change, ref from ledger_entries
       where account_id is not null order by id desc limit 2`,
    );

  test('is added as an entry of the ledger that carries the reason', async () => {
    const { credits } = (await show()) as { credits: string };
    expect(await topUp('--balance', '12.345678', '--reason', 'order 4711')).toEqual({
      code: 0,
      stdout: `now ${credits} Credits, balance 112.345678 yuan\n`,
      stderr: '',
    });
    const [paid] = await entries();
    expect(paid).toEqual({ kind: 'top_up', pool: 'balance', change: 12_345_678n, ref: 'order 4711' });
    await topUp('--credits', '0.5', '--reason', 'sorry');
    const [granted] = await entries();
    expect(granted).toEqual({ kind: 'grant', pool: 'credits', change: 500_000n, ref: 'sorry' });
  });

  test('is exchanged at the configured factor, up to the available amount', async () => {
    const before = (await show()) as { credits: string; balance: string };
    const exchange = (amount: string) =>
      run('account', 'exchange', '--account', USER, '--amount', amount, '--json');
    const done = JSON.parse((await exchange('2.000001')).stdout) as { credits: string; balance: string };
    expect(done).toMatchObject({ amount: '2.000001', received: '2000.001' });
    const after = { credits: done.credits, balance: done.balance };
    expect(Number(after.credits) - Number(before.credits)).toBeCloseTo(2000.001, 6);
    expect(Number(before.balance) - Number(after.balance)).toBeCloseTo(2.000001, 6);
    expect(await entries()).toMatchObject([
      { kind: 'exchange', pool: 'credits', change: 2_000_001_000n },
      { kind: 'exchange', pool: 'balance', change: -2_000_001n },
    ]);
    expect(await exchange('1000')).toMatchObject({
      code: 1,
      stderr: 'tollgate account exchange: the balance is not sufficient\n',
    });
    expect(await show()).toMatchObject(after);
    expect((await run('doctor')).code).toBe(0);
  });

  test('never exceeds the maximum of an account', async () => {
    const before = await show();
    const most = ['--credits', '1000000000000', '--reason', 'all of it'];
    const why = 'would raise the account above 1000000000000';
    expect(await topUp(...most)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--credits ${why}`),
    });
    await topUp('--balance', '999999999000', '--reason', 'rich');
    // The second amount in Credits would not even fit into the column.
    for (const amount of ['1000000000', '999999999000']) {
      const refused = await run('account', 'exchange', '--account', USER, '--amount', amount);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`--amount ${why}`) });
    }
    const back = ['--balance=-999999999000', '--reason', 'poor again'];
    expect((await run('account', 'adjust', '--account', USER, ...back)).code).toBe(0);
    expect(await show()).toEqual(before);
  });

  test.each([
    [['--reason', 'x'], 'give either --balance or --credits'],
    [['--balance', '1', '--credits', '1', '--reason', 'x'], 'give either --balance or --credits'],
    [['--balance', '1'], '--reason is required'],
    [['--balance', '1', '--reason', ' '], '--reason must be a text of 1 to 200 characters in one line'],
    [['--balance', '1', '--reason', 'r'.repeat(201)], '--reason must have at most 200 characters'],
    [['--balance', '0', '--reason', 'x'], '--balance must be more than 0'],
    [['--balance=-1', '--reason', 'x'], '--balance must be a decimal'],
  ])('top-up with %j is wrong usage', async (options, why) => {
    const { code, stderr } = await topUp(...options);
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });
});

test('account show prints every switch', async () => {
  const { stdout } = await run('account', 'show', '--account', USER);
  for (const line of [
    /^account +\d+ +user@example\.com$/m,
    /^verification +enterprise$/m,
    /^API billing +on$/m,
    /^monthly cap +none$/m,
    /^spent this month +0 yuan$/m,
    /^fallback model +none$/m,
    /^subscription +\d+ +PRO, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d to /m,
  ]) {
    expect(stdout).toMatch(line);
  }
});
