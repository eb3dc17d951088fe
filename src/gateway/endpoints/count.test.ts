import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  sampleAccount,
  sampleCatalog,
  sampleKey,
  sampleModel,
  sampleRoute,
} from '../../../test/support/samples.ts';
import { newApiKey } from '../../accounts/api-key.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import { createMemoryGate } from '../../gate/memory.ts';
import { createBodyReader, discardBody } from '../../http/body.ts';
import { ByteBudget } from '../../http/budget.ts';
import { seededRandom } from '../../kernel/random.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { UpstreamClient, UpstreamHandler } from '../../upstream/contract.ts';
import { Health } from '../../upstream/health/health.ts';
import type { Gateway } from '../gateway.ts';
import { serveCount } from './count.ts';

const random = seededRandom(1);
const key = newApiKey(random);
const caller = { account: sampleAccount({ id: 7 }), key: sampleKey() };
const clock = new ManualClock();
const gate = createMemoryGate({ clock });
const bodies = new ByteBudget(1_000_000);
const endpoint = { protocol: 'responses', path: undefined, edit: false, query: '' } as const;
const first = sampleRoute({ id: 1, priority: 1 });
const second = sampleRoute({ id: 2, priority: 2, forwardModelId: 'second' });

/** What the vendor does with a question, and the models it was asked about. */
let play: (handler: UpstreamHandler) => void;
let asked: string[];
let health: Health;
let isDraining = false;
let isAway = false;
let faults: unknown[];

const client: UpstreamClient = {
  send: (request, handler) => {
    asked.push(JSON.parse(Buffer.concat(request.body).toString()).model);
    setImmediate(() => play(handler));
    return { sent: true, pause() {}, resume() {}, abort() {} };
  },
  close: async () => {},
};

const conversations = {
  keep() {},
  forget: async () => false,
  find: () => {
    if (isAway) throw new StoreUnavailable('away');
    return undefined;
  },
};

/** As much of a gateway as counting asks for. */
function createGateway(): Gateway {
  const model = sampleModel({ routes: [first, second] });
  const catalog = sampleCatalog({ models: new Map([['gpt-5', model]]) });
  const plainTimeouts = { connectMs: 1, firstByteMs: 1, idleMs: 1 };
  const observer = { attemptEnded() {}, gateRefused() {}, endpointServed() {} };
  return {
    directory: { catalog: () => catalog, findCaller: () => caller },
    deps: { client, clock, gate, health, bodies, conversations, plainTimeouts, observer },
    readBody: createBodyReader(bodies),
    discardBody,
    random,
    isDraining: () => isDraining,
  } as unknown as Gateway;
}

let server: Server;
let url = '';
beforeAll(async () => {
  server = createServer((request, response) => {
    serveCount(request, response, endpoint, createGateway()).catch((error: unknown) => {
      faults.push(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  play = answers;
  asked = [];
  faults = [];
  health = new Health(clock);
  isDraining = false;
  isAway = false;
});
afterAll(() => server.close());

function answers(handler: UpstreamHandler): void {
  handler.onHead({ status: 200, headers: { 'content-type': 'application/json' } });
  handler.onData(Buffer.from('{"object":"response.input_tokens","input_tokens":4711}'));
  handler.onEnd();
}

async function count(more = '') {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: `{"model":"gpt-5","input":"hello"${more}}`,
  });
  const estimated = response.headers.get('x-tollgate-estimated');
  const body = (await response.json()) as { input_tokens?: number; code?: number };
  expect([gate.active, bodies.usedBytes]).toEqual([0, 0]);
  return { status: response.status, estimated, ...body };
}

test('only the first route is asked for a count', async () => {
  expect(await count()).toMatchObject({ status: 200, input_tokens: 4711, estimated: null });
  expect(asked).toEqual([first.forwardModelId]);
});

test('the gateway counts when the first route fails, without asking another', async () => {
  play = (handler) => handler.onFailure({ kind: 'connect', detail: 'nobody there' });
  const { input_tokens, estimated } = await count();
  expect([typeof input_tokens, estimated]).toEqual(['number', 'true']);
  expect(asked).toEqual([first.forwardModelId]);
});

test.each([
  ['refused our key', 'unauthorized'],
  ['asked to be left alone', 'rate-limited'],
] as const)('a route whose vendor %s is skipped', async (_, outcome) => {
  const ticket = await health.begin(first, 0);
  ticket?.report(outcome, { headers: { 'retry-after': '60' }, body: undefined });
  ticket?.end(0);
  // The key is one for both routes, the wish to be left alone is the first route's.
  const expected = outcome === 'unauthorized' ? 'true' : null;
  expect(await count()).toMatchObject({ status: 200, estimated: expected });
  expect(asked).toEqual(outcome === 'unauthorized' ? [] : ['second']);
});

test('the gateway counts when every route cools down, although no call would pass', async () => {
  for (const route of [first, second]) {
    const ticket = await health.begin(route, 0);
    ticket?.report('rate-limited', { headers: { 'retry-after': '60' }, body: undefined });
    ticket?.end(0);
  }
  expect(await count()).toMatchObject({ status: 200, estimated: 'true' });
  expect(asked).toEqual([]);
});

test('a count does not use the credential’s limits', async () => {
  await count();
  expect(health.credentialReports()).toEqual([]);
});

test('a draining process and a store that is away answer with a wait', async () => {
  isAway = true;
  expect(await count(',"previous_response_id":"resp_1"')).toMatchObject({ status: 503, code: 50301 });
  isDraining = true;
  expect(await count()).toMatchObject({ status: 503, code: 50301 });
});

test('an internal fault frees the slot and the body', async () => {
  health.condition = () => {
    throw new Error('a fault');
  };
  await expect(count()).rejects.toThrow();
  expect(faults).toMatchObject([{ message: 'a fault' }]);
  expect([gate.active, bodies.usedBytes]).toEqual([0, 0]);
});
