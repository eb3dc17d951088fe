import { describe, expect, test } from 'vitest';
import { silentLogger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { AccountChanges } from './admin-ports.ts';
import { type AdminPorts, adminOperations } from './admin-table.ts';
import type { Context } from './context.ts';
import { accountLogOperations } from './logs/account-logs.ts';
import { data, type Operation, operation } from './operation.ts';
import { Type } from './schema.ts';

/** Rows that are only read ask nothing of their ports. */
const rows = adminOperations({ shown: {} } as AdminPorts, []);

const CONTEXT: Context = {
  caller: { accountId: 1, role: 'operator', sessionId: 's' },
  address: '192.0.2.7',
  userAgent: '',
  cookies: new Map(),
  requestId: 'r',
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
} as unknown as Context;

describe('the rows of operators', () => {
  test('are for operators only, and have names of their own', () => {
    for (const { name, surface, access } of rows) {
      expect([name, surface, access]).toEqual([name, 'admin', 'operator']);
    }
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  test('have list, get, create, update and delete for every entity of the catalogue', () => {
    const kinds = 'vendors credentials models routes policies plans nodes announcements'.split(' ');
    const wanted = kinds.flatMap((kind) =>
      ['list', 'get', 'create', 'update', 'delete'].map((verb) => `${kind}.${verb}`),
    );
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted));
  });

  test('have no secret in the examples of their schemas', () => {
    const shown = rows.map(({ example }) => JSON.stringify(example.data)).join('\n');
    for (const [, secret] of shown.matchAll(/"secret":"([^"]*)"/g)) expect(secret).toMatch(/^….{0,4}$/);
  });
});

describe('rows of an account that an operator requests', () => {
  const own = (method: 'GET' | 'POST'): Operation =>
    operation({
      name: 'logs.calls',
      method,
      surface: 'user',
      path: '/call-log/page',
      access: 'user',
      title: 'Test a row',
      summary: 'Calls.',
      tag: 'Logs',
      params: Type.Object({}),
      data: Type.Unknown(),
      example: { data: null },
      handle: async (_input, { caller }) => data({ asked: caller?.accountId, role: caller?.role }),
    });
  const accounts = {
    find: async (accountId: number) => (accountId === 12 ? {} : undefined),
  } as unknown as AccountChanges;

  test('answer for the account of the path, and with 1004 for an unknown one', async () => {
    const [row] = accountLogOperations([own('GET')], accounts);
    expect(row).toMatchObject({
      name: 'accountLogs.calls',
      surface: 'admin',
      access: 'operator',
      path: '/accounts/:account_id/call-log/page',
    });
    const ask = (accountId: number) =>
      row?.handle({ params: { account_id: accountId }, query: {}, body: {} }, CONTEXT);
    expect(await ask(12)).toMatchObject({ kind: 'data', data: { asked: 12 } });
    expect(await ask(13)).toMatchObject({ kind: 'failure', name: 'notFound' });
  });

  test('can never be rows that write', () => {
    expect(() => accountLogOperations([own('POST')], accounts)).toThrow('reads data of an account');
  });
});
