import { afterAll, beforeAll, expect, test } from 'vitest';
import { CATALOG_TEXT } from '../support/catalog.ts';
import { openTerminal, type Terminal } from '../support/commands.ts';

/** The configured zone is eight hours ahead of UTC. */
let terminal: Terminal;
const ACCOUNT = ['--account', 'user@example.com'];
const CREATE = ['key', 'create', ...ACCOUNT, '--name', 'lasting'];

beforeAll(async () => {
  terminal = await openTerminal(CATALOG_TEXT);
});
afterAll(() => terminal?.close());

test('a time argument is of the configured zone, and is printed as it was written', async () => {
  const expires = ['--expires', '2036-03-01 00:00:00'];
  const made = await terminal.json<{ id: number; expires_at: string }>(...CREATE, ...expires);
  expect(made.expires_at).toBe('2036-03-01T00:00:00.000+08:00');
  const [row] = await terminal.fresh.database.query<{ expires_at: Date }>(
    'select expires_at from api_keys where id = $1',
    [made.id],
  );
  expect(row?.expires_at).toEqual(new Date('2036-02-29T16:00:00Z'));
  const { stdout } = await terminal.run('key', 'list', ...ACCOUNT);
  expect(stdout).toContain(' 2036-03-01 00:00:00 ');
});

test.each([
  ['2036-02-30 00:00:00', '--expires is a date or time that does not exist in the time zone Asia/Shanghai'],
  ['2036-03-01', '--expires must be a time such as 2026-11-15 09:05:00 (YYYY-MM-DD hh:mm:ss)'],
  ['2036-03-01T00:00:00Z', '--expires must be a time such as'],
  ['2020-01-01 00:00:00', '--expires is in the past'],
])('--expires %s is wrong usage, with a reason', async (text, why) => {
  const { code, stdout, stderr } = await terminal.run(...CREATE, '--expires', text);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(why);
});

test.each([
  [['key', 'list', ...ACCOUNT]],
  [['account', 'list']],
  [['account', 'ledger', ...ACCOUNT]],
  [['account', 'usage', ...ACCOUNT]],
  [['subscription', 'grant', ...ACCOUNT, '--plan', 'PRO']],
  [['subscription', 'list', ...ACCOUNT]],
  [['account', 'show', ...ACCOUNT]],
])('%s --json writes every time in the configured zone', async (args) => {
  const text = JSON.stringify(await terminal.json(...args));
  const times = text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^"\\]*/g) ?? [];
  expect(times).not.toEqual([]);
  for (const time of times) expect(time).toMatch(/\+08:00$/);
});

test('the audit log has its times in the configured zone', async () => {
  const { items } = await terminal.json<{ items: { at: string }[] }>('audit', 'list');
  expect(items.map(({ at }) => at.slice(-6))).toEqual(items.map(() => '+08:00'));
});
