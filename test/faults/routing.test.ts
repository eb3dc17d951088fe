import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import { readCalls } from './cells.ts';

/** Two vendors of the same kind, and an address where nobody listens. */
let world: World;
let first: Simulator;
let second: Simulator;

const MODELS: Readonly<Record<string, readonly string[]>> = {
  'by-priority': ['credential: second, priority: 20', 'credential: first, priority: 10'],
  'by-weight': ['credential: first, weight: 3', 'credential: second, weight: 1'],
  'dead-first': ['credential: dead, priority: 10', 'credential: second, priority: 20'],
  'cooling-first': ['credential: first, priority: 10', 'credential: second, priority: 20'],
  'refused-first': ['credential: wrong-key, priority: 10', 'credential: second, priority: 20'],
  'refused-alone': ['credential: wrong-key'],
  'client-fault': ['credential: first, priority: 10', 'credential: second, priority: 20'],
  'all-broken': ['credential: first, priority: 10', 'credential: second, priority: 20'],
  'limited-alone': ['credential: first'],
  'dead-everywhere': ['credential: dead, priority: 10', 'credential: dead-too, priority: 20'],
  'late-everywhere': ['credential: first, priority: 10', 'credential: second, priority: 20'],
  'bad-first-event': ['credential: first, priority: 10', 'credential: second, priority: 20'],
  'other-failures': ['credential: first, priority: 10', 'credential: second, priority: 20'],
  'cut-after-begin': ['credential: first, priority: 10', 'credential: second, priority: 20'],
  'retry-storm': ['credential: first, priority: 10', 'credential: second, priority: 20'],
  'three-at-once': ['credential: three-at-once, priority: 10', 'credential: second, priority: 20'],
  'three-at-once-alone': ['credential: three-at-once'],
  'only-comments': ['credential: comments'],
  'byte-by-byte': ['credential: drips'],
  'five-a-minute': ['credential: five-a-minute, priority: 10', 'credential: second, priority: 20'],
};

/** Longer than a healthy answer takes on a busy machine. */
const FIRST_BYTE_MS = 6_000;

/** A vendor that keeps its connection busy and never says anything. */
const comments = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const drip = setInterval(() => response.write(': still here\n\n'), 50);
  response.on('close', () => clearInterval(drip));
});

/** A vendor whose answer never ends, and is never silent. */
const drips = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const drip = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(drip));
});

beforeAll(async () => {
  second = await startSimulator();
  await new Promise<void>((resolve) => comments.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => drips.listen(0, '127.0.0.1', resolve));
  const credential = (name: string, variable: string, more = ''): string =>
    `  - { name: ${name}, vendor: openai, secret: sk-sim-openai-${name}, base_url: "\${${variable}}/v1"${more} }\n`;
  const credentials = [
    credential('first', 'SIM'),
    credential('second', 'SIM_TOO'),
    credential('comments', 'COMMENTS'),
    credential('drips', 'DRIPS'),
    credential('dead', 'DEAD'),
    credential('dead-too', 'DEAD_TOO'),
    credential('three-at-once', 'SIM', ', limits: { concurrency: 3 }'),
    credential('five-a-minute', 'SIM', ', limits: { rpm: 5 }'),
    '  - { name: wrong-key, vendor: openai, secret: sk-nobody-knows-this }\n',
  ];
  const models = Object.entries(MODELS).map(([id, routes]) => {
    const list = routes.map((route) => `{ vendor: openai, forward_model_id: gpt-5, ${route} }`).join(', ');
    return `  - { model_id: ${id}, prices: { input: "10", output: "30" }, routes: [${list}] }\n`;
  });
  world = await startWorld({
    catalog: STANDARD_CATALOG.replace('models:\n', `models:\n${models.join('')}`).replace(
      'credentials:\n',
      `credentials:\n${credentials.join('')}`,
    ),
    environment: {
      SIM_TOO: second.url,
      COMMENTS: `http://127.0.0.1:${(comments.address() as AddressInfo).port}`,
      DRIPS: `http://127.0.0.1:${(drips.address() as AddressInfo).port}`,
      DEAD: 'http://127.0.0.1:1',
      DEAD_TOO: 'http://127.0.0.1:2',
      TOLLGATE_FIRST_BYTE_TIMEOUT_MS: String(FIRST_BYTE_MS),
      TOLLGATE_PLAIN_TIMEOUT_MS: String(FIRST_BYTE_MS),
    },
  });
  first = world.simulator;
});

afterAll(async () => {
  await world.close();
  await second.close();
  for (const vendor of [comments, drips]) {
    vendor.close();
    vendor.closeAllConnections();
  }
});

beforeEach(() => {
  first.reset();
  second.reset();
});

interface Answer {
  readonly status: number;
  readonly attempts: string | null;
  readonly route: string | null;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(model: keyof typeof MODELS, directive = '', more: object = {}): Promise<Answer> {
  const response = await world.post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: `hello [[sim tokens=1 ${directive}]]` }],
    // Without a bound fifty at once would hold all that the account has.
    max_completion_tokens: 100,
    ...more,
  });
  const { status, headers } = response;
  const text = await response.text();
  const attempts = headers.get('x-tollgate-attempts');
  return { status, headers, text, attempts, route: headers.get('x-tollgate-route') };
}

function askMany(model: string, count: number, directive = ''): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, () => ask(model, directive)));
}

async function attemptsOf(model: string): Promise<string[][]> {
  await world.settled();
  const calls = (await readCalls(world)).filter(({ model_asked }) => model_asked === model);
  return calls.map(({ attempts }) => attempts.map(({ credential, outcome }) => `${credential} ${outcome}`));
}

test('the route of the lower priority number serves, and the other waits for its failure', async () => {
  const answers = await askMany('by-priority', 20);
  expect(answers.every(({ status, attempts }) => status === 200 && attempts === '1')).toBe(true);
  expect([first.stats.requests, second.stats.requests]).toEqual([20, 0]);
});

test('the weight is the share within a priority', async () => {
  for (let round = 0; round < 8; round++) await askMany('by-weight', 50);
  expect(first.stats.requests + second.stats.requests).toBe(400);
  // 300 expected; five standard deviations are 43.
  expect(first.stats.requests).toBeGreaterThan(255);
  expect(first.stats.requests).toBeLessThan(345);
});

test('every call succeeds with one dead route, which is not asked any more after five failures', async () => {
  const attempts: Array<string | null> = [];
  for (let index = 0; index < 12; index++) {
    const answer = await ask('dead-first');
    expect(answer.status).toBe(200);
    attempts.push(answer.attempts);
  }
  expect(attempts.map(Number)).toEqual([2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1]);
  const rows = await attemptsOf('dead-first');
  expect(rows[0]).toEqual(['dead connect', 'second ok']);
  expect(rows[11]).toEqual(['second ok']);
  const figures = await world.figures();
  expect(figures).toMatch(/^tollgate_breaker_state\{route="\d+",vendor="\w+"\} 2$/m);
});

test('a 429 with Retry-After sends the call to the other route and skips the first', async () => {
  first.script({ answer: { status: 429, headers: { 'retry-after': '30' } } });
  const served = await ask('cooling-first');
  expect([served.status, served.attempts]).toEqual([200, '2']);
  const next = await ask('cooling-first');
  expect([next.status, next.attempts]).toEqual([200, '1']);
  expect([first.stats.requests, second.stats.requests]).toEqual([1, 2]);
  expect(await attemptsOf('cooling-first')).toEqual([['first 429', 'second ok'], ['second ok']]);
});

test('a platform credential that the vendor refuses is skipped and reported unhealthy', async () => {
  const served = await ask('refused-first');
  expect([served.status, served.attempts]).toEqual([200, '2']);
  // The suspect comes last now, so it is not asked again.
  expect((await ask('refused-first')).attempts).toBe('1');
  const figures = await world.figures();
  expect(figures).toMatch(/^tollgate_credentials_unhealthy 1$/m);
});

test('a refused credential without another route is 50202, without the vendor’s text', async () => {
  const answer = await ask('refused-alone');
  expect(answer.status).toBe(502);
  expect(JSON.parse(answer.text)).toMatchObject({ code: 50202 });
  expect(answer.text).not.toContain('sk-nobody');
  expect(await attemptsOf('refused-alone')).toEqual([['wrong-key 401']]);
});

test.each([400, 409, 413, 422])('a %i that the client caused returns at once, unchanged', async (status) => {
  const body = `{"error":{"message":"yours ${status}","type":"invalid_request_error"}}`;
  first.script({ answer: { status, body } });
  const answer = await ask('client-fault');
  expect([answer.status, answer.text, answer.attempts]).toEqual([status, body, '1']);
  expect(second.stats.requests).toBe(0);
});

test('the vendor’s own error is passed on unchanged when every route fails', async () => {
  first.script({ answer: { status: 500, body: '{"error":{"message":"first"}}' } });
  second.script({ answer: { status: 503, body: '{"error":{"message":"second"}}' } });
  const answer = await ask('all-broken');
  expect([answer.status, answer.text]).toEqual([503, '{"error":{"message":"second"}}']);
  expect(answer.attempts).toBe('2');
  expect(await attemptsOf('all-broken')).toEqual([['first 500', 'second 503']]);
});

test('a 429 of the only route is passed on with its Retry-After, and the next call is refused at once', async () => {
  first.script({ answer: { status: 429, headers: { 'retry-after': '17' } } });
  const answer = await ask('limited-alone');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '17']);
  const next = await ask('limited-alone');
  expect([next.status, JSON.parse(next.text).code]).toEqual([503, 50301]);
  expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(10);
  expect(first.stats.requests).toBe(1);
});

test('a vendor without a listener is 50202', async () => {
  const answer = await ask('dead-everywhere');
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([502, 50202]);
  expect(await attemptsOf('dead-everywhere')).toEqual([['dead connect', 'dead-too connect']]);
});

test('a vendor that does not answer in time is 50401', async () => {
  const answer = await ask('late-everywhere', 'delay=60000');
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([504, 50401]);
  expect(await attemptsOf('late-everywhere')).toEqual([['first timeout', 'second timeout']]);
});

test('a vendor that sends only comments is late, because comments are no event', async () => {
  const answer = await ask('only-comments', '', { stream: true });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([504, 50401]);
  expect(await attemptsOf('only-comments')).toEqual([['comments no-event']]);
});

test('a vendor whose plain body never ends is late', async () => {
  const answer = await ask('byte-by-byte');
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([504, 50401]);
  expect(await attemptsOf('byte-by-byte')).toEqual([['drips timeout']]);
});

test('an error as the first event is a failed route, not a 200', async () => {
  first.script({ answer: { fault: 'error-event@0' } });
  const answer = await ask('bad-first-event', '', { stream: true });
  expect([answer.status, answer.attempts]).toEqual([200, '2']);
  expect(answer.text).toContain('data: [DONE]');
  expect(answer.text).not.toContain('error');
});

test.each([404, 408, 500, 502, 529])('the next route is asked after a %i', async (status) => {
  first.script({ answer: { status } });
  const answer = await ask('other-failures');
  expect([answer.status, answer.attempts]).toEqual([200, '2']);
});

test('no route is asked again after the first byte', async () => {
  first.script({ answer: { fault: 'reset@3' } });
  const broken = ask('cut-after-begin', 'tokens=10', { stream: true });
  await expect(broken).rejects.toThrow();
  expect(second.stats.requests).toBe(0);
  expect(await attemptsOf('cut-after-begin')).toEqual([['first cut-by-upstream']]);
});

test('retries are a share of the running calls, so that an outage is not doubled', async () => {
  first.script({ times: 30, answer: { status: 500 } });
  const answers = await askMany('retry-storm', 30, 'delay=200');
  const served = answers.filter(({ status }) => status === 200).length;
  // A fifth of thirty; as calls leave, the share shrinks to its minimum of three.
  expect(second.stats.peakOpen).toBeLessThanOrEqual(6);
  expect(served).toBeGreaterThanOrEqual(3);
  expect(answers.filter(({ status }) => status === 500).length).toBe(30 - served);
});

test('a credential’s concurrency limit is kept, as the vendor counts it', async () => {
  const answers = await askMany('three-at-once', 12, 'delay=3000');
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(first.stats.peakOpen).toBe(3);
  expect(second.stats.requests).toBe(9);
});

test('calls beyond the limit get a wait without another route', async () => {
  const answers = await askMany('three-at-once-alone', 8, 'delay=3000');
  const refused = answers.filter(({ status }) => status === 503);
  expect(first.stats.peakOpen).toBe(3);
  expect(answers.length - refused.length).toBe(3);
  expect(refused.every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true);
});

test('a credential’s requests per minute are kept, as the vendor counts them', async () => {
  const answers = await askMany('five-a-minute', 12);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect([first.stats.requests, second.stats.requests]).toEqual([5, 7]);
});
