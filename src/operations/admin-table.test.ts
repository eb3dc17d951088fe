import { describe, expect, test } from 'vitest';
import { silentLogger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { ADMIN_OPERATIONS } from './admin-table.ts';
import type { Context } from './context.ts';
import { accountLogOperations } from './logs/account-logs.ts';
import { data, type Operation, operation } from './operation.ts';
import { Type } from './schema.ts';

/** Account 12 exists. */
const CONTEXT: Context = {
  database: { query: async (_text: string, [id]: readonly unknown[]) => (id === 12 ? [{}] : []) },
  caller: { accountId: 1, role: 'operator', sessionId: 's' },
  address: '192.0.2.7',
  userAgent: '',
  cookies: new Map(),
  requestId: 'r',
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
} as unknown as Context;

describe('the operations of operators', () => {
  test('are for operators only, and bear their names alone', () => {
    for (const { name, surface, access } of ADMIN_OPERATIONS) {
      expect([name, surface, access]).toEqual([name, 'admin', 'operator']);
    }
    expect(new Set(ADMIN_OPERATIONS.map(({ name }) => name)).size).toBe(ADMIN_OPERATIONS.length);
  });

  test('have list, get, create, update and delete for every entity of the catalogue', () => {
    const kinds = 'vendors credentials models routes policies plans nodes announcements'.split(' ');
    const wanted = kinds.flatMap((kind) =>
      ['list', 'get', 'create', 'update', 'delete'].map((verb) => `${kind}.${verb}`),
    );
    expect(ADMIN_OPERATIONS.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted));
  });

  test('show no secret by their schema’s own example', () => {
    const shown = ADMIN_OPERATIONS.map(({ example }) => JSON.stringify(example.data)).join('\n');
    for (const [, secret] of shown.matchAll(/"secret":"([^"]*)"/g)) expect(secret).toMatch(/^….{0,4}$/);
  });
});

describe('operations of an account that an operator asks', () => {
  const own = (method: 'GET' | 'POST'): Operation =>
    operation({
      name: 'logs.calls',
      id: 'listCalls',
      method,
      surface: 'user',
      path: '/call-log/page',
      access: 'user',
      title: 'Test an operation',
      summary: 'Calls.',
      tag: 'Logs',
      params: Type.Object({}),
      data: Type.Unknown(),
      example: { data: null },
      handle: async (_input, { caller }) => data({ asked: caller?.accountId, role: caller?.role }),
    });

  test('answer for the account of the path, and 1004 for none', async () => {
    const [derived] = accountLogOperations([own('GET')]);
    expect(derived).toMatchObject({
      name: 'accountLogs.calls',
      surface: 'admin',
      access: 'operator',
      path: '/accounts/:account_id/call-log/page',
      summary: 'Calls. Reads the account that the path names.',
    });
    const ask = (accountId: number) =>
      derived?.handle({ params: { account_id: accountId }, query: {}, body: {} }, CONTEXT);
    expect(await ask(12)).toMatchObject({ kind: 'data', data: { asked: 12 } });
    expect(await ask(13)).toMatchObject({ kind: 'failure', name: 'notFound' });
  });

  test('can never be operations that write', () => {
    expect(() => accountLogOperations([own('POST')])).toThrow('reads data of an account');
  });
});
