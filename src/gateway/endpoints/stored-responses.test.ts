import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openGate } from '../../../test/support/open-gate.ts';
import { sampleAccount, sampleCatalog, sampleKey } from '../../../test/support/samples.ts';
import { newApiKey } from '../../accounts/api-key.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import type { Conversations } from '../../conversation/contract.ts';
import { discardBody } from '../../http/body.ts';
import { seededRandom } from '../../kernel/random.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import { writeBackground } from '../../protocol/responses/stored/background.ts';
import { RunningResponses } from '../background/running.ts';
import type { Gateway } from '../gateway.ts';
import type { FoundObject } from './find.ts';
import { serveObject } from './serve-object.ts';

const key = newApiKey(seededRandom(1));
const caller = { account: sampleAccount({ id: 7 }), key: sampleKey() };
const kept = '{"input":[{"role":"user","content":"x"}],"response":{"id":"resp_1","output":[{"id":"msg_1"}]}}';

let server: Server;
let url = '';
let asked: FoundObject;
let values: Map<string, string>;
let isDraining = false;
let isAway = false;

const conversations: Conversations = {
  keep: (accountId, name, value) => void values.set(`${accountId} ${name}`, value.toString('utf8')),
  find: (accountId, name) => {
    const value = values.get(`${accountId} ${name}`);
    return value === undefined ? undefined : Buffer.from(value);
  },
  forget: async (accountId, name) => {
    if (isAway) throw new StoreUnavailable('away');
    return values.delete(`${accountId} ${name}`);
  },
};

const running = new RunningResponses();
const clock = new ManualClock();

/** As much of a gateway as these endpoints ask for. */
const gateway = {
  directory: { catalog: sampleCatalog, findCaller: () => caller },
  deps: { ...openGate(), conversations, clock },
  running,
  isDraining: () => isDraining,
  discardBody,
} as unknown as Gateway;

beforeAll(async () => {
  server = createServer((request, response) => void serveObject(request, response, asked, gateway));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  values = new Map([
    ['7 resp:resp_1', kept],
    ['7 item:msg_1', '{}'],
    ['8 resp:resp_2', kept],
  ]);
  isDraining = false;
  isAway = false;
});
afterAll(() => server.close());

async function ask(endpoint: FoundObject['id'], id = 'resp_1', query = '') {
  asked = { id: endpoint, params: { id }, query };
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

test('a stored response is returned to the byte, with an id of this request', async () => {
  const { status, text, headers } = await ask('getResponse');
  expect({ status, text }).toEqual({ status: 200, text: '{"id":"resp_1","output":[{"id":"msg_1"}]}' });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toBeTruthy();
});

test('a response of another account is not found', async () => {
  const { status, text } = await ask('getResponse', 'resp_2');
  expect(status).toBe(404);
  const message = "Response with id 'resp_2' not found.";
  expect(JSON.parse(text)).toEqual({
    code: 40402,
    message,
    error: { message, type: 'invalid_request_error', param: null, code: '40402' },
  });
});

test('a deletion removes the items too', async () => {
  expect(JSON.parse((await ask('deleteResponse')).text)).toEqual({
    id: 'resp_1',
    object: 'response',
    deleted: true,
  });
  expect([...values.keys()]).toEqual(['8 resp:resp_2']);
  expect((await ask('deleteResponse')).status).toBe(404);
});

test('a deletion that the store did not confirm is not reported as done', async () => {
  isAway = true;
  const { status, headers } = await ask('deleteResponse');
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('1');
  expect((await ask('getResponse')).status).toBe(200);
});

test('a draining process serves no stored response', async () => {
  isDraining = true;
  expect((await ask('getResponse')).status).toBe(503);
});

const IN_BACKGROUND = { id: 'resp_3', model: 'm', status: 'in_progress' } as const;

function keepRunning(createdAtMs = clock.now()): void {
  const response = writeBackground({ ...IN_BACKGROUND, createdAtMs });
  values.set('7 resp:resp_3', `{"input":[],"response":${response}}`);
}

test('work in the background is cancelled here, or by the node that finds the mark', async () => {
  keepRunning();
  let isCancelled = false;
  running.began(7, 'resp_3', () => {
    isCancelled = true;
  });
  expect(JSON.parse((await ask('cancelResponse', 'resp_3')).text)).toMatchObject({
    id: 'resp_3',
    status: 'cancelled',
  });
  expect(isCancelled).toBe(true);
  expect(values.has('7 cancel:resp_3')).toBe(true);
});

test('only work in the background can be cancelled, and what has ended stays as it is', async () => {
  expect(await ask('cancelResponse')).toMatchObject({
    status: 400,
    text: expect.stringContaining('background'),
  });
  const done = '{"id":"resp_3","status":"completed","background":true,"output":[]}';
  values.set('7 resp:resp_3', `{"input":[],"response":${done}}`);
  expect(await ask('cancelResponse', 'resp_3')).toMatchObject({ status: 200, text: done });
  expect((await ask('cancelResponse', 'resp_4')).status).toBe(404);
});

test('work that nobody goes on with is shown as failed', async () => {
  keepRunning(clock.now() - 3_599_000);
  expect(JSON.parse((await ask('getResponse', 'resp_3')).text).status).toBe('in_progress');
  keepRunning(clock.now() - 3_600_000);
  expect(JSON.parse((await ask('getResponse', 'resp_3')).text)).toMatchObject({
    status: 'failed',
    error: { message: 'The work on this response was lost' },
  });
});
