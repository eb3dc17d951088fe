import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { type Account, type ApiKey, StoreUnavailable } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import { createMemoryGate } from '../../gate/memory.ts';
import { createCall } from '../../gate/suite/world.ts';
import { Tasks } from '../../kernel/async/task.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { CallRecord, Journal } from '../../ledger/contract.ts';
import { getDialect } from '../../protocol/registry.ts';
import type { UpstreamClient, UpstreamHandler } from '../../upstream/contract.ts';
import { Health } from '../../upstream/health/health.ts';
import { RetryBudget } from '../admit/route.ts';
import { droppedHeaders, modelHeaders } from '../answer/answer.ts';
import { newCall } from '../call.ts';
import type { AttemptContext, GatewayDeps } from './attempt-context.ts';
import { answerFailures, forward } from './forward.ts';
import { InFlight } from './in-flight.ts';
import { newRouteFailures } from './route-failures.ts';

const LIST_RATE = 100_000_000n;
const TIMES = { keepAliveMs: 1_000, clientStallMs: 1_000 };
const TIMEOUTS = { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 };
const inFlight = new InFlight(systemClock);

afterAll(() => inFlight.close());

const PLAIN = '{"model":"m"}';
const PROMPT = '{"model":"m","messages":[{"role":"user","content":"Hello there, you"}]}';
const STREAM = '{"model":"m","stream":true}';
const STREAMED_PROMPT = PROMPT.replace('{', '{"stream":true,');
const CALLED = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
const SIGNED = { extra_content: { google: { thought_signature: 'c2lnbmVk' } } };
/** Its client had no place for what the vendor wants back with the call. */
const LOST_SIGNATURE = JSON.stringify({
  model: 'm',
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', tool_calls: [CALLED] },
  ],
});
const ANSWER = '{"object":"chat.completion","model":"x","choices":[],"usage":{"prompt_tokens":1}}';

function route(id: number): Route {
  const vendor = { code: 'v', name: 'V', icon: '', protocols: ['chat'], baseUrl: 'http://v.example/v1' };
  return {
    id,
    modelId: 'm',
    vendor: { ...vendor, rateMicro: LIST_RATE, byok: false, customBaseUrl: false },
    credential: { id, name: `c${id}`, secret: 's', rateMicro: LIST_RATE, limits: {}, status: 'enabled' },
    forwardModelId: 'm',
    protocols: ['chat'],
    priority: 10,
    weight: 1,
    rateMultiplierMicro: 1_000_000n,
    status: 'enabled',
  } as unknown as Route;
}

const ROUTES = [route(1), route(2)];

function converted(one: Route, protocol: 'messages' | 'gemini' = 'messages'): Route {
  return { ...one, protocols: [protocol] };
}

type Play = (handler: UpstreamHandler) => void;
const breaks: Play = (handler) => handler.onFailure({ kind: 'reset', detail: 'gone' });
const busy: Play = (handler) => handler.onFailure({ kind: 'busy', detail: 'in use' });
const connects: Play = () => {};
const works: Play = () => {};
const refuses: Play = (handler) => handler.onHead({ status: 500, headers: {} });
const streams: Play = (handler) => {
  handler.onHead({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  handler.onData(Buffer.from('data: {"object":"chat.completion.chunk","choices":[]}\n\n'));
};
const answers: Play = (handler) => {
  handler.onHead({ status: 200, headers: { 'content-type': 'application/json' } });
  handler.onData(Buffer.from(ANSWER));
  handler.onEnd();
};

interface Stage {
  readonly plays: readonly Play[];
  readonly modelId?: string;
  /** Bytes that answers may take. */
  readonly room?: number;
  readonly openings?: number;
  readonly body?: string;
  readonly find?: GatewayDeps['conversations']['find'];
}

function upstream(plays: readonly Play[], sent: Play[]): UpstreamClient {
  return {
    send: (_request, handler) => {
      const play = plays[sent.length] ?? breaks;
      sent.push(play);
      queueMicrotask(() => play(handler));
      return { sent: play !== connects, pause() {}, resume() {}, abort() {} };
    },
    close: () => Promise.resolve(),
  };
}

function createJournal(openings: number, ended: CallRecord[]): Journal {
  let opened = 0;
  const open = async (): Promise<void> => {
    if (opened++ >= openings) throw new StoreUnavailable('the journal takes no calls');
  };
  return { open, mark() {}, end: (record: CallRecord) => ended.push(record), flush() {} } as never;
}

function createBodies(room: number): GatewayDeps['bodies'] {
  let used = 0;
  const give = (_accountId: number, bytes: number): void => {
    used -= bytes;
  };
  const take = (_accountId: number, bytes: number): boolean => {
    if (used + bytes > room) return false;
    used += bytes;
    return true;
  };
  return { take, give };
}

async function createRequest(body: string) {
  const [raw, dialect] = [{ body: Buffer.from(body), contentType: '', path: undefined }, getDialect('chat')];
  const facts = await dialect.readRequest(raw);
  if (isRefusal(facts)) throw new Error(facts.message);
  const held = { wantMicro: 0n, shareMicro: 0n, fetchedTokens: 0, holdFor: () => undefined };
  return { raw, dialect, facts, headers: {}, ...held };
}

function createOffer(modelId: string) {
  const prices = { inputMicro: 0n, outputMicro: 0n, imageMicro: 0n, videoMicro: 0n };
  const model = { modelId, prices } as unknown as Model;
  const catalog = { systemRateMicro: LIST_RATE, nodes: [] } as unknown as CatalogSnapshot;
  const account = { id: 1, userRateMicro: LIST_RATE } as unknown as Account;
  const endpoint = { protocol: 'chat', path: undefined, edit: false, query: '' } as const;
  const caller = { account, key: { id: 1, name: 'k' } as unknown as ApiKey, readAtMs: 0 };
  const call = newCall({ id: 'req_1', createdAtMs: 0, startedAt: performance.now(), endpoint, caller });
  call.modelAsked = modelId;
  return { call, model, catalog, pricing: { catalog, model, account, nodeName: 'n' } };
}

async function stage(set: Stage) {
  const { plays, modelId = 'm', room = 1_000_000, openings = 9, body = PLAIN, find } = set;
  const [sent, ended]: [Play[], CallRecord[]] = [[], []];
  const [clock, log] = [systemClock, silentLogger];
  const tasks = new Tasks(log);
  const gate = createMemoryGate({ clock });
  const journal = createJournal(openings, ended);
  const observer = { attemptEnded() {}, gateRefused() {}, endpointServed() {}, callEnded() {} };
  const settlement = { journal, gate, gateIsShared: false, observer, clock, creditsPerYuan: 1_000, tasks };
  const health = new Health(clock);
  const retryBudget = new RetryBudget();
  const media = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
  const shared = { health, media, retryBudget, inFlight, settlement, gate, journal, clock, log, tasks };
  const deps = {
    ...shared,
    ...{ client: upstream(plays, sent), bodies: createBodies(room) },
    conversations: { keep() {}, find: find ?? (() => undefined), forget: async () => false },
    ...({ jobs: {}, files: {} } as Pick<AttemptContext['deps'], 'jobs' | 'files'>),
    streamTimeouts: TIMEOUTS,
    plainTimeouts: { ...TIMEOUTS, firstByteMs: 5_000 },
    observer,
  } as unknown as GatewayDeps;
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const request = await createRequest(body);
  const context: AttemptContext = { ...request, ...createOffer(modelId), response, deps };
  return { context, response, retryBudget, health, gate, ended, sent };
}

/** A call with one serving option. */
async function carry(context: AttemptContext, routes: readonly Route[]): Promise<void> {
  const routeFailures = newRouteFailures();
  const end = await forward(context, routes, { times: TIMES, routeFailures, limitsRetries: () => true });
  if (end !== 'answered') answerFailures(context, routeFailures);
}

/** The head as it goes out: what was given to `writeHead` as a list is nowhere else. */
function sentHeaders(response: ServerResponse): string {
  return String((response as unknown as { _header: string })._header).toLowerCase();
}

test('a second attempt that ends with an internal fault returns its place in the retry budget', async () => {
  const { context, retryBudget } = await stage({ plays: [breaks], openings: 1 });
  await expect(carry(context, ROUTES)).rejects.toThrow(StoreUnavailable);
  expect(retryBudget.taken).toBe(0);
});

test('a vendor is not asked for a client that left while the journal opened its call', async () => {
  const { context, response, sent, ended } = await stage({ plays: [answers] });
  const forwarded = carry(context, ROUTES);
  Object.defineProperty(response, 'closed', { value: true });
  await forwarded;
  expect([sent, ended.map(({ verdict }) => verdict)]).toEqual([[], ['cut-by-client']]);
});

test('an answer without memory is no fault of its route, and no other route repeats it', async () => {
  const { context, response, health, sent, ended } = await stage({ plays: [answers, answers], room: 10 });
  await carry(context, ROUTES);
  expect(response.statusCode).toBe(503);
  expect(sent).toHaveLength(1);
  expect(health.routeReports().map(({ failures }) => failures)).toEqual([0]);
  expect(ended.map(({ errorCode, attempts }) => [errorCode, attempts[0]?.outcome])).toEqual([
    [50301, 'no-room'],
  ]);
});

test('a model whose name fits into no header is answered, with the name percent-encoded', async () => {
  const { context, response, ended } = await stage({ plays: [answers], modelId: '通义' });
  await carry(context, ROUTES);
  expect(ended).toHaveLength(1);
  expect([response.statusCode, response.writableEnded]).toEqual([200, true]);
  expect(modelHeaders('通义')).toEqual(['x-tollgate-model', '%E9%80%9A%E4%B9%89']);
});

test('an internal fault in a socket event ends the call and leaves the gate, not the process', async () => {
  const { context, response, gate } = await stage({ plays: [streams], body: STREAM });
  const entered = gate.enter(createCall({ callId: 'req_1' }));
  if (entered.kind === 'entered') context.call.lease = entered.lease;
  context.deps.journal.end = () => {
    throw new Error('a record fits into its bound');
  };
  const forwarded = carry(context, ROUTES);
  await new Promise((resolve) => setImmediate(resolve));
  expect(response.headersSent).toBe(true);
  expect(() => response.emit('close')).not.toThrow();
  await expect(forwarded).rejects.toThrow('a record fits');
  expect(gate.active).toBe(0);
});

test.each([
  { when: 'a plain answer is made', plays: [works], body: PROMPT, owed: 'its input' },
  { when: 'the second route makes it', plays: [breaks, works], body: PROMPT, owed: 'its input' },
  { when: 'the vendor is being dialled', plays: [connects], body: PROMPT, owed: 'nothing' },
  { when: 'the vendor says that it failed', plays: [refuses], body: PROMPT, owed: 'nothing' },
  { when: 'a stream has not begun', plays: [works], body: STREAM, owed: 'nothing' },
])('a client that leaves while $when owes $owed', async (left) => {
  const { context, response, ended } = await stage(left);
  const forwarded = carry(context, ROUTES);
  await new Promise((resolve) => setImmediate(resolve));
  response.destroy();
  await forwarded;
  const estimated = left.owed === 'its input';
  const inputFresh = estimated ? context.dialect.countInput(context.raw, context.facts) : 0;
  const usage = { ...NO_USAGE, inputFresh };
  expect(ended).toMatchObject([{ status: 499, verdict: 'cut-by-client', usage, estimated }]);
  expect(ended[0]?.attempts.map(({ outcome }) => outcome).at(-1)).toBe('cut-by-client');
});

test('a client that leaves during the conversation look-up owes nothing, and no vendor is asked', async () => {
  const looking = Promise.withResolvers<undefined>();
  const { context, response, sent, ended, gate } = await stage({
    plays: [answers],
    body: LOST_SIGNATURE,
    find: () => looking.promise,
  });
  const forwarded = carry(context, [converted(route(1))]);
  await new Promise((resolve) => setImmediate(resolve));
  response.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  looking.resolve(undefined);
  await forwarded;
  expect(sent).toHaveLength(0);
  expect(ended).toMatchObject([{ status: 499, verdict: 'cut-by-client', usage: NO_USAGE, attempts: [] }]);
  expect(gate.active).toBe(0);
});

test('an internal fault inside a stream leaves earlier output owed, once', async () => {
  const { context, response, ended } = await stage({ plays: [streams], body: STREAMED_PROMPT });
  const { dialect } = context;
  const relayStream: typeof dialect.relayStream = (...given) => {
    const relay = dialect.relayStream(...given);
    const { push } = relay;
    let pushes = 0;
    const failing: typeof push = (chunk) => {
      if (pushes++ > 0) throw new Error('an encoder met what it cannot say');
      return push.call(relay, chunk);
    };
    return Object.assign(relay, { push: failing });
  };
  let vendor: UpstreamHandler | undefined;
  const client: UpstreamClient = {
    send: (_request, handler) => {
      vendor = handler;
      queueMicrotask(() => streams(handler));
      return { sent: true, pause() {}, resume() {}, abort() {} };
    },
    close: () => Promise.resolve(),
  };
  const deps = { ...context.deps, client };
  const told = vi.spyOn(dialect, 'encodeStreamError');
  const forwarded = carry({ ...context, deps, dialect: { ...dialect, relayStream } }, ROUTES);
  await new Promise((resolve) => setImmediate(resolve));
  expect(response.headersSent).toBe(true);
  vendor?.onData(Buffer.from('data: {"object":"chat.completion.chunk","choices":[]}\n\n'));
  await expect(forwarded).rejects.toThrow('cannot say');
  const usage = { inputFresh: dialect.countInput(context.raw, context.facts) };
  expect(ended).toMatchObject([{ verdict: 'cut-by-gateway', errorCode: 50001, estimated: true, usage }]);
  expect(told).toHaveBeenCalledExactlyOnceWith('sse', expect.objectContaining({ code: 50001 }));
});

test.each([
  { about: 'a signature that the client sent', call: { ...CALLED, ...SIGNED }, asked: 2 },
  { about: 'signatures, and the client sent none', call: CALLED, asked: 1 },
])('a refusal that mentions $about is the answer to $asked request(s)', async ({ call, asked }) => {
  const quotes: Play = (handler) => {
    handler.onHead({ status: 400, headers: { 'content-type': 'application/json' } });
    handler.onData(
      Buffer.from('{"error":{"message":"Invalid `signature` in: what is a thought signature?"}}'),
    );
    handler.onEnd();
  };
  const messages = [
    { role: 'user', content: 'q' },
    { role: 'assistant', tool_calls: [call] },
  ];
  const body = JSON.stringify({ model: 'm', messages });
  for (const routes of [[route(1)], [converted(route(1), 'gemini')]]) {
    const { context, response, sent, ended } = await stage({ plays: [quotes, quotes, quotes], body });
    await carry(context, routes);
    expect(sent).toHaveLength(asked);
    expect(response.statusCode).toBe(400);
    expect(ended).toMatchObject([{ verdict: 'failed', usage: NO_USAGE }]);
  }
});

test('a failed answer without a reason is an error that every client can read, and free', async () => {
  const fails: Play = (handler) => {
    handler.onHead({ status: 200, headers: { 'content-type': 'application/json' } });
    const candidates = [{ finishReason: 'MALFORMED_FUNCTION_CALL' }];
    handler.onData(Buffer.from(JSON.stringify({ candidates, usageMetadata: { promptTokenCount: 9 } })));
    handler.onEnd();
  };
  const { context, response, ended } = await stage({ plays: [fails], body: PROMPT });
  const said: unknown[] = [];
  response.end = ((bytes: unknown) => said.push(String(bytes))) as unknown as typeof response.end;
  await carry(context, [converted(route(1), 'gemini')]);
  expect(response.statusCode).toBe(502);
  expect(said.join('')).toContain('"message":"The vendor ended the answer with MALFORMED_FUNCTION_CALL."');
  expect(ended).toMatchObject([{ status: 502, verdict: 'failed', usage: NO_USAGE }]);
});

test('names of dropped fields can neither break the header nor look like two', () => {
  const hostile = ['user', 'a,b', 'x\r\nset-cookie: a=b', '语', '\ud800', 'y'.repeat(1_000), 'z'];
  const [, value = ''] = droppedHeaders(hostile);
  expect(value).toBe('user, a%2Cb, x%0D%0Aset-cookie%3A%20a%3Db, %E8%AF%AD, %EF%BF%BD');
});

test('a vendor that cuts every stream after it began is ejected after the fifth', async () => {
  const cuts: Play = (handler) => {
    streams(handler);
    handler.onFailure({ kind: 'reset', detail: 'gone' });
  };
  const health = new Health(systemClock);
  const conditions: string[] = [];
  for (let call = 0; call < 5; call++) {
    const { context, ended } = await stage({ plays: [cuts], body: STREAM });
    await carry({ ...context, deps: { ...context.deps, health } }, ROUTES);
    expect(ended.map(({ verdict }) => verdict)).toEqual(['cut-by-upstream']);
    conditions.push(health.condition(route(1)));
  }
  expect(conditions).toEqual(['ready', 'ready', 'ready', 'ready', 'ejected']);
});

test('exhausted connections of the gateway are no fault of any route, and the client gets a wait', async () => {
  const { context, response, health, ended } = await stage({ plays: [busy, busy] });
  await carry(context, ROUTES);
  expect(response.statusCode).toBe(503);
  expect(sentHeaders(response)).toContain('retry-after: 1');
  expect(ended.map(({ errorCode }) => errorCode)).toEqual([50301]);
  expect(ended[0]?.attempts.map(({ outcome }) => outcome)).toEqual(['busy', 'busy']);
  expect(health.routeReports().map(({ failures }) => failures)).toEqual([0, 0]);
});

test('a route without a free connection is followed by the next', async () => {
  const { context, response } = await stage({ plays: [busy, answers] });
  await carry(context, ROUTES);
  expect(response.statusCode).toBe(200);
});

test.each([
  ['a stream', STREAM, 1_000],
  ['a plain answer', PLAIN, 5_000],
])('the first byte of %s has its own timeout', async (_name, body, firstByteMs) => {
  const { context } = await stage({ plays: [], body });
  const { client } = context.deps;
  const waits: number[] = [];
  const send: UpstreamClient['send'] = (request, handler) => {
    waits.push(request.timeouts.firstByteMs);
    return client.send(request, handler);
  };
  await carry({ ...context, deps: { ...context.deps, client: { ...client, send } } }, ROUTES);
  expect(waits).toEqual([firstByteMs, firstByteMs]);
});
