import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATALOG_TEXT } from '../support/catalog.ts';
import { openTerminal, type Terminal } from '../support/commands.ts';

const ACCOUNT = ['--account', 'operator@example.com'] as const;
const SECRET = 'sk-their-own-vendor-key';
let terminal: Terminal;

beforeAll(async () => {
  const open = CATALOG_TEXT.replace('byok: true', 'byok: true, custom_base_url: true');
  terminal = await openTerminal(open);
});
afterAll(() => terminal?.close());

describe('credentials of an account', () => {
  const add = (input: string, ...options: readonly string[]) =>
    terminal.typed(input, 'credential', 'add', ...ACCOUNT, ...options, '--json');
  const list = async () =>
    (
      await terminal.json<{ items: { id: number; name: string; status: string }[] }>(
        ...['credential', 'list', ...ACCOUNT],
      )
    ).items;
  const set = (id: number, ...options: readonly string[]) =>
    terminal.run('credential', 'set', ...ACCOUNT, '--id', String(id), ...options);

  test('are added with the secret on standard input, and never print it again', async () => {
    const added = await add(`${SECRET}\n`, '--vendor', 'openai', '--name', 'mine');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(added.stdout)).toEqual({ id: expect.any(Number) });
    const own = await add(
      SECRET,
      '--vendor',
      'openai',
      '--name',
      'proxy',
      '--base-url',
      'http://127.0.0.1:8081/v1/',
    );
    expect(own.code).toBe(0);
    const shown = await terminal.run('credential', 'list', ...ACCOUNT);
    expect(shown.stdout).toMatch(/^ID +VENDOR +STATUS +SECRET +CREATED +NAME +ADDRESS\n/);
    expect(shown.stdout).toMatch(/openai +enabled +…-key +[\d-]+ [\d:]+ +mine\n/);
    expect(shown.stdout).toMatch(/ +proxy +http:\/\/127\.0\.0\.1:8081\/v1\n$/);
    for (const text of [added.stdout, shown.stdout, JSON.stringify(await list())]) {
      expect(text).not.toContain('their-own');
    }
  });

  test.each([
    [SECRET, ['--vendor', 'openai', '--name', 'mine'], 1, 'already has a credential with this name'],
    [
      SECRET,
      ['--vendor', 'google', '--name', 'other'],
      2,
      '--vendor is not a vendor that allows BYOK credentials',
    ],
    [
      SECRET,
      ['--vendor', 'openai', '--name', 'other', '--base-url', 'https://10.0.0.1'],
      2,
      '--base-url must lead to the public network',
    ],
    ['', ['--vendor', 'openai', '--name', 'other'], 2, 'secret must be a key of visible ASCII characters'],
    ['two\nlines\n', ['--vendor', 'openai', '--name', 'other'], 2, 'secret must be a key of visible'],
    ['x'.repeat(5_000), ['--vendor', 'openai', '--name', 'other'], 2, 'secret must have at most 4096'],
    [SECRET, ['--vendor', 'openai'], 2, '--name is required'],
  ])('are refused with invalid values: %#', async (input, options, code, why) => {
    const refused = await add(input, ...options);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(why);
    if (input !== '') expect(refused.stderr).not.toContain(input);
    expect((await list()).map(({ name }) => name)).toEqual(['mine', 'proxy']);
  });

  test('are changed; a new address needs the secret again', async () => {
    const [mine, proxy] = await list();
    if (mine === undefined || proxy === undefined) throw new Error('they were added before');
    expect(await set(mine.id, '--name', 'renamed', '--status', 'disabled')).toEqual({
      code: 0,
      stdout: `credential ${mine.id} changed\n`,
      stderr: '',
    });
    expect((await list())[0]).toMatchObject({ name: 'renamed', status: 'disabled' });
    const moved = await set(proxy.id, '--base-url', 'https://elsewhere.example');
    expect(moved).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--secret-stdin is required again'),
    });
    const place = ['credential', 'set', ...ACCOUNT, '--id', String(proxy.id)];
    const told = await terminal.typed(
      'sk-newer-vendor-key-1234',
      ...place,
      '--base-url',
      'none',
      '--secret-stdin',
    );
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect((await list())[1]).toMatchObject({ secret_hint: '…1234', base_url: null });
    expect(await set(mine.id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing to change'),
    });
    expect(await set(999, '--name', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no such credential'),
    });
  });

  test('are removed once', async () => {
    const [first] = await list();
    const remove = ['credential', 'remove', ...ACCOUNT, '--id', String(first?.id)];
    expect(await terminal.json(...remove)).toEqual({ deleted: 1 });
    expect(await list()).toHaveLength(1);
    expect(await terminal.run(...remove)).toMatchObject({ code: 1 });
  });
});

describe('subscriptions of an account', () => {
  interface Shown {
    readonly id: number;
    readonly status: string;
    readonly starts_at: string;
    readonly ends_at: string;
  }
  const grant = (...options: readonly string[]) =>
    terminal.json<Shown>('subscription', 'grant', ...ACCOUNT, '--plan', 'PRO', ...options);
  const list = async () =>
    (await terminal.json<{ items: Shown[] }>('subscription', 'list', ...ACCOUNT)).items;
  const days = ({ starts_at: start, ends_at: end }: Shown) =>
    (Date.parse(end) - Date.parse(start)) / 86_400_000;

  test('are granted from now on and after the current one, listed and cancelled', async () => {
    const first = await grant();
    expect(days(first)).toBe(30);
    expect(Math.abs(Date.parse(first.starts_at) - Date.now())).toBeLessThan(60_000);
    const second = await grant('--days', '3', '--after-current');
    expect([days(second), second.starts_at]).toEqual([3, first.ends_at]);
    expect((await list()).map(({ id, status }) => [id, status])).toEqual([
      [second.id, 'upcoming'],
      [first.id, 'active'],
    ]);
    const cancel = ['subscription', 'cancel', ...ACCOUNT, '--id', String(second.id)];
    expect(await terminal.run(...cancel)).toEqual({
      code: 0,
      stdout: `subscription ${second.id} cancelled\n`,
      stderr: '',
    });
    expect((await list())[0]).toMatchObject({ id: second.id, status: 'cancelled' });
    expect(await terminal.run(...cancel)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('that is current or in the future'),
    });
  });

  test('are shown in the configured time zone', async () => {
    const [, first] = await list();
    const { stdout } = await terminal.run('subscription', 'list', ...ACCOUNT);
    const shanghai = new Date(Date.parse(first?.starts_at ?? '') + 8 * 3_600_000).toISOString();
    expect(stdout).toMatch(/^ID +PLAN +STATUS +STARTS +ENDS\n/);
    expect(stdout).toContain(`PRO   active     ${shanghai.slice(0, 19).replace('T', ' ')}`);
  });

  test.each([
    [['--plan', 'GOLD'], 2, '--plan: there is no such plan'],
    [['--plan', 'PRO', '--days', '0'], 2, '--days must be at least 1'],
    [['--plan', 'PRO', '--days', '3661'], 2, '--days must be at most 3660'],
    [[], 2, '--plan is required'],
  ])('are not granted with %j', async (options, code, why) => {
    const refused = await terminal.run('subscription', 'grant', ...ACCOUNT, ...options);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(why);
  });
});
