import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts';
import { newApiKey } from '../../accounts/api-key.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import { systemRandom } from '../../kernel/random.ts';
import { fail } from '../../operations/failure.ts';
import { type Access, type Answer, data, type Operation, operation } from '../../operations/operation.ts';
import { Type } from '../../operations/schema.ts';

const open: TestPlatform[] = [];
afterEach(async () => {
  for (const platform of open.splice(0)) await platform.close();
});

async function start(
  rows: readonly Operation[],
  parts: Parameters<typeof startPlatform>[1] = {},
): Promise<TestPlatform> {
  const platform = await startPlatform(rows, parts);
  open.push(platform);
  return platform;
}

/** A row that tells what it was given. */
function row(wanted: Partial<Operation> = {}): Operation {
  return operation({
    name: 'things.tell',
    id: 'tellThings',
    method: 'GET',
    surface: 'user',
    path: '/things',
    access: 'public',
    title: 'Test a row',
    summary: 'Tells.',
    tag: 'Things',
    data: Type.Unknown(),
    example: { data: {} },
    handle: (input, { caller, address, cookies }) =>
      Promise.resolve(data({ ...input, caller, address, cookies: [...cookies] })),
    ...wanted,
  });
}

async function ask(platform: TestPlatform, path: string, init: RequestInit = {}) {
  const response = await fetch(`${platform.url}/api/v1/user/user${path}`, init);
  const body = (await response.json()) as { code: number; message: string; data: Record<string, unknown> };
  return { status: response.status, headers: response.headers, body };
}

const as = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
const json = (value: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

describe('an answer', () => {
  test('is an envelope with code 0, ok and data, which is not cached', async () => {
    const platform = await start([row({ handle: () => Promise.resolve(data({ a: 1 })) })]);
    const { status, headers, body } = await ask(platform, '/things');
    expect([status, body]).toEqual([200, { code: 0, message: 'ok', data: { a: 1 } }]);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(platform.ended).toEqual([['things.tell', 200]]);
  });

  test('that is a page has total, page and size', async () => {
    const page: Answer = { kind: 'page', rows: [1, 2], total: 7, page: 2, size: 2 };
    const platform = await start([row({ handle: () => Promise.resolve(page) })]);
    const { body } = await ask(platform, '/things');
    expect(body).toEqual({ code: 0, message: 'ok', data: [1, 2], total: 7, page: 2, size: 2 });
  });

  test('sets its cookies', async () => {
    const answer: Answer = { kind: 'data', data: null, cookies: ['a=1; HttpOnly', 'b=2'] };
    const platform = await start([row({ handle: () => Promise.resolve(answer) })]);
    expect((await ask(platform, '/things')).headers.getSetCookie()).toEqual(['a=1; HttpOnly', 'b=2']);
  });

  test('that is a failure has the status of its code, and waits in whole seconds', async () => {
    const answer = fail('tooManyRequests', 'later', 1_200);
    const platform = await start([row({ handle: () => Promise.resolve(answer) })]);
    const { status, headers, body } = await ask(platform, '/things');
    expect([status, body]).toEqual([
      429,
      {
        code: 1006,
        message: 'later',
        data: null,
        error: { type: 'gateway_error', code: '1006', message: 'later' },
      },
    ]);
    expect(headers.get('retry-after')).toBe('2');
  });

  test('to HEAD is that of GET without a body', async () => {
    const platform = await start([row()]);
    const response = await fetch(`${platform.url}/api/v1/user/user/things`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(20);
  });
});

describe('a path', () => {
  test('that does not exist is 1004 with 404, also with a body on its way', async () => {
    const platform = await start([row()]);
    for (const path of ['/thing', '/things/', '//things', '/things/1', '/Things', '/%74hings']) {
      const { status, body } = await ask(platform, path, json({ a: 1 }));
      expect([path, status, body.code]).toEqual([path, 404, 1004]);
    }
  });

  test('with another method is 405 with the allowed methods', async () => {
    const platform = await start([row(), row({ method: 'POST', name: 'things.make' })]);
    const { status, headers, body } = await ask(platform, '/things', { method: 'DELETE' });
    expect([status, body.code, headers.get('allow')]).toEqual([405, 1001, 'GET, HEAD, POST']);
  });
});

describe('access', () => {
  const token = (access: Access): Operation => row({ access, method: 'GET' });

  test('without a token, with garbage and with an API key is 1002', async () => {
    const platform = await start([token('user')]);
    const key = newApiKey(systemRandom);
    const bad = [{}, as('garbage'), as(key), { headers: { authorization: 'Basic dXNlcg==' } }];
    bad.push({ headers: { authorization: 'Bearer' } }, as('x'.repeat(8_000)));
    bad.push({ headers: { authorization: 'Bearer garbage', cookie: 'tollgate_session=cookie-user' } });
    for (const init of bad) {
      const { status, headers, body } = await ask(platform, '/things', init);
      expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 1002, 'Bearer']);
    }
  });

  test('with a token gives the handler its account', async () => {
    const platform = await start([token('user')]);
    const { body } = await ask(platform, '/things', as('user'));
    expect(body.data).toMatchObject({ caller: { accountId: 1, role: 'user' }, address: '192.0.2.1' });
  });

  test('to operator rows is 1003 for a user', async () => {
    const platform = await start([token('operator')]);
    const refused = await ask(platform, '/things', as('user'));
    expect([refused.status, refused.body.code]).toEqual([403, 1003]);
    expect((await ask(platform, '/things', as('operator'))).status).toBe(200);
    expect((await ask(platform, '/things')).body.code).toBe(1002);
  });

  test('that is optional treats an invalid token as none', async () => {
    const platform = await start([token('optional')]);
    for (const init of [{}, as('garbage'), as(newApiKey(systemRandom))]) {
      const { status, body } = await ask(platform, '/things', init);
      expect([status, body.data.caller]).toEqual([200, undefined]);
    }
    expect((await ask(platform, '/things', as('user'))).body.data.caller).toMatchObject({ accountId: 1 });
  });

  test('by cookie allows reads, and writes only with the paired header', async () => {
    const platform = await start([token('user'), row({ method: 'POST', access: 'user', name: 'make' })]);
    const cookie = 'a=b; tollgate_session=cookie-user';
    expect((await ask(platform, '/things', { headers: { cookie } })).status).toBe(200);
    for (const pair of [undefined, '', 'pair-operator']) {
      const headers: Record<string, string> = { cookie };
      if (pair !== undefined) headers['x-csrf-token'] = pair;
      const { status, body } = await ask(platform, '/things', json({}, headers));
      expect([pair, status, body.code]).toEqual([pair, 403, 1003]);
    }
    const good = await ask(platform, '/things', json({}, { cookie, 'x-csrf-token': 'pair-user' }));
    expect(good.status).toBe(200);
  });
});

describe('a body', () => {
  const taking = row({
    method: 'POST',
    body: Type.Object({ name: Type.String(), count: Type.Optional(Type.Integer()) }),
  });

  test('is passed on with the fields of its schema, and refused with any other', async () => {
    const platform = await start([taking]);
    const { body } = await ask(platform, '/things', json({ name: 'a', count: 2 }));
    expect(body.data.body).toEqual({ name: 'a', count: 2 });
    const more = await ask(platform, '/things', json({ name: 'a', role: 'operator' }));
    expect(more.body).toMatchObject({ code: 1001, message: 'role is not known', data: null });
    const own = await ask(platform, '/things', json('{"name":"a","__proto__":{"count":7}}'));
    expect(own.body.data.body).toEqual({ name: 'a' });
  });

  test('that is missing, not JSON, of another type or not UTF-8 is 1001 with the reason', async () => {
    const platform = await start([taking]);
    const cases: [RequestInit, RegExp][] = [
      [{ method: 'POST' }, /^name is required$/],
      [json('{"name":'), /not valid JSON/],
      [json('[]'), /^body must be an object$/],
      [json('null'), /^body must be an object$/],
      [json({ name: 1 }), /^name must be a text$/],
      [json({ name: 'a' }, { 'content-type': 'text/plain' }), /content-type/],
      [json({ name: 'a' }, { 'content-type': 'application/x-www-form-urlencoded' }), /content-type/],
      [json({ name: 'a' }, { 'content-encoding': 'compress' }), /encoding/i],
      [{ ...json(''), body: Buffer.from([0x22, 0xff, 0x22]) }, /not UTF-8/],
      [json(`{"name":${'['.repeat(100)}${']'.repeat(100)}}`), /nested deeper/],
    ];
    for (const [init, message] of cases) {
      const { status, body } = await ask(platform, '/things', init);
      expect([status, body.code]).toEqual([400, 1001]);
      expect(body.message).toMatch(message);
    }
  });

  test('above 3 MiB is 1008, and of exactly 3 MiB is read', async () => {
    const platform = await start([taking]);
    const exact = JSON.stringify({ name: 'a'.repeat(3 * 1024 * 1024 - 11) });
    expect((await ask(platform, '/things', json(exact))).status).toBe(200);
    const { status, body } = await ask(platform, '/things', json(`${exact} `));
    expect([status, body.code]).toEqual([413, 1008]);
  });

  test('that a row does not take is ignored', async () => {
    const platform = await start([row({ method: 'POST' })]);
    expect((await ask(platform, '/things', json('not even JSON'))).status).toBe(200);
  });

  test('that is absent leaves the connection to the client', async () => {
    const platform = await start([row({ access: 'user' })]);
    for (const path of ['things', 'nothing']) {
      const socket = net.connect(Number(new URL(platform.url).port), '127.0.0.1');
      socket.write(`GET /api/v1/user/user/${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      await once(socket, 'close');
      expect(answer).toMatch(/^HTTP\/1.1 40[14] [\s\S]*connection: close[\s\S]*"code":100[24]/i);
    }
  });

  test('of an operator with an unknown field is 1001', async () => {
    const platform = await start([{ ...taking, surface: 'admin', access: 'operator' }]);
    const response = await fetch(`${platform.url}/api/v1/admin/things`, {
      ...json({ name: 'a', nmae: 'b' }, { authorization: 'Bearer operator' }),
    });
    expect(await response.json()).toMatchObject({ code: 1001, message: 'nmae is not known' });
  });

  test('that is never finished reaches no row', async () => {
    const platform = await start([taking]);
    const socket = net.connect(Number(new URL(platform.url).port), '127.0.0.1');
    const head = 'POST /api/v1/user/user/things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    socket.write(`${head}content-length: 100\r\n\r\n{"name"`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await once(socket, 'close');
    await expect.poll(() => platform.ended).toEqual([['things.tell', 0]]);
  });
});

describe('a fault', () => {
  test('is 1500 with the request’s id, and its message stays in the log', async () => {
    const logged: object[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => logged.push(fields) };
    const handle = (): Promise<Answer> => Promise.reject(new Error('secret detail'));
    const platform = await start([row({ handle })], { given: { log } });
    const { status, headers, body } = await ask(platform, '/things');
    expect([status, body.code]).toEqual([500, 1500]);
    expect(body.message).toContain(headers.get('x-request-id'));
    expect(body).toHaveProperty('error', { type: 'gateway_error', code: '1500', message: body.message });
    expect(JSON.stringify(body)).not.toContain('secret detail');
    expect(logged).toMatchObject([{ endpoint: 'things.tell', err: { message: 'secret detail' } }]);
  });

  test('of the store is 503 with a wait', async () => {
    const handle = (): Promise<Answer> => Promise.reject(new StoreUnavailable('away'));
    const platform = await start([row({ handle })]);
    const { status, headers, body } = await ask(platform, '/things');
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 1500, '1']);
  });

  test('that is thrown before the first await is answered as well', async () => {
    const handle = (): Promise<Answer> => {
      throw new TypeError('at once');
    };
    const platform = await start([row({ handle })]);
    expect((await ask(platform, '/things')).body.code).toBe(1500);
  });
});

describe('the platform’s share of slots', () => {
  test('is limited; other requests wait, and beyond them the platform is busy', async () => {
    let running = 0;
    let highest = 0;
    const handle = async (): Promise<Answer> => {
      highest = Math.max(highest, ++running);
      await new Promise((resolve) => setTimeout(resolve, 60));
      running--;
      return data(null);
    };
    const slots = { active: 2, activeOfOne: 2, waiting: 3, waitMs: 1_000 };
    const platform = await start([row({ handle })], { bounds: { slots } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(platform, '/things')));
    const statuses = answers.map(({ status }) => status);
    expect(highest).toBe(2);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
    const busy = answers.find(({ status }) => status === 503);
    expect([busy?.body.code, busy?.headers.get('retry-after')]).toEqual([1006, '1']);
    expect((await ask(platform, '/things')).status).toBe(200);
  });

  test('is kept by a request that takes too long until it has really ended', async () => {
    let finish: (answer: Answer) => void = () => {};
    const handle = (): Promise<Answer> => new Promise((resolve) => (finish = resolve));
    const slots = { active: 1, activeOfOne: 1, waiting: 0, waitMs: 0 };
    const quick = row({ name: 'quick', path: '/quick' });
    const platform = await start([row({ handle }), quick], { bounds: { slots, timeoutMs: 50 } });
    const late = await ask(platform, '/things');
    expect([late.status, late.body.code]).toEqual([503, 1500]);
    expect((await ask(platform, '/quick')).body.code).toBe(1006);
    finish(data(null));
    await expect.poll(async () => (await ask(platform, '/quick')).status).toBe(200);
  });
});
