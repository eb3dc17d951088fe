import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openGate } from '../../../test/support/open-gate.ts';
import { sampleAccount, sampleCatalog, sampleKey } from '../../../test/support/samples.ts';
import { newApiKey } from '../../accounts/api-key.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import type { Conversations } from '../../conversation/contract.ts';
import { createBodyReader, discardBody } from '../../http/body.ts';
import { ByteBudget } from '../../http/budget.ts';
import { seededRandom } from '../../kernel/random.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { Gateway } from '../gateway.ts';
import { findEndpoint } from './find.ts';
import { serveObject } from './serve-object.ts';

const key = newApiKey(seededRandom(1));
const values = new Map<string, Buffer>();
let isAway = false;
let isKept = true;

const conversations: Conversations = {
  keep: (accountId, name, value) => void (isKept && values.set(`${accountId} ${name}`, value)),
  find: (accountId, name) => values.get(`${accountId} ${name}`),
  forget: async (accountId, name) => {
    if (isAway) throw new StoreUnavailable('away');
    return values.delete(`${accountId} ${name}`);
  },
};

/** As much of a gateway as these endpoints ask for. */
const gateway = {
  directory: {
    catalog: sampleCatalog,
    findCaller: () => ({ account: sampleAccount({ id: 7 }), key: sampleKey() }),
  },
  deps: { ...openGate(), conversations, clock: new ManualClock() },
  calendar: { month: () => '2026-01' },
  isDraining: () => false,
  readBody: createBodyReader(new ByteBudget(100_000_000)),
  discardBody,
} as unknown as Gateway;

let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const found = findEndpoint(request.method ?? '', request.url ?? '');
    if (found.kind !== 'object') throw new Error('only conversations are asked for');
    void serveObject(request, response, found.asked, gateway);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/conversations`;
});
beforeEach(() => {
  values.clear();
  isAway = false;
  isKept = true;
});
afterAll(() => server.close());

async function ask(method: string, path: string, body?: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test('a conversation without anything is made, found and deleted', async () => {
  const { body: made } = await ask('POST', '');
  expect(made).toMatchObject({ object: 'conversation', metadata: {} });
  expect((await ask('GET', `/${made.id}`)).body).toEqual(made);
  expect((await ask('GET', `/${made.id}/items`)).body).toMatchObject({ data: [], has_more: false });
  isAway = true;
  expect((await ask('DELETE', `/${made.id}`)).status).toBe(503);
  isAway = false;
  expect((await ask('DELETE', `/${made.id}`)).body).toMatchObject({ deleted: true });
  for (const [method, path, sent] of [
    ['GET', '', undefined],
    ['POST', '', '{"metadata":{}}'],
    ['DELETE', '', undefined],
    ['POST', '/items', '{"items":[{"role":"user","content":"x"}]}'],
    ['DELETE', '/items/msg_1', undefined],
  ] as const) {
    expect((await ask(method, `/${made.id}${path}`, sent)).status, `${method} ${path}`).toBe(404);
  }
});

test.each([
  '[]',
  '{"items":{}}',
  '{"items":["x"]}',
  '{"items":[{}]}',
  '{"metadata":[]}',
  '{"metadata":{"a":1}}',
  '{',
])('a body like %s is refused', async (body) => {
  expect((await ask('POST', '', body)).status).toBe(400);
  expect(values.size).toBe(0);
});

test('a conversation has a bound, and what was there stays', async () => {
  const item = `{"role":"user","content":"${'x'.repeat(5_000_000)}"}`;
  const { body: made } = await ask('POST', '', `{"items":[${item}]}`);
  const grown = await ask('POST', `/${made.id}/items`, `{"items":[${item}]}`);
  expect(grown).toMatchObject({ status: 400, body: { message: expect.stringContaining('at most') } });
  expect((await ask('GET', `/${made.id}`)).status).toBe(200);
});

test('a server that keeps nothing says so', async () => {
  isKept = false;
  expect(await ask('POST', '', '{}')).toMatchObject({
    ...{ status: 400, body: { message: 'Conversations are not stored here' } },
  });
});
