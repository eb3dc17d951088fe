import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VERSION } from '../../src/kernel/version.ts';
import { type ServerProcess, until } from '../support/processes.ts';
import type { ReceivedMetric, ReceivedSpan } from './otlp/messages.ts';
import type { Receiver } from './otlp/receiver.ts';
import { type Asked, openScene, PROMPT, type Scene, say } from './otlp/scene.ts';

/** A real server exports to a strict receiver. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const CONTEXT = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'congo=t61rcWkgMzE,rojo=00f067aa' };
const MADE_UP = 'a-model-that-a-client-made-up';

let scene: Scene;
let receiver: Receiver;
let server: ServerProcess;

const ask = (body: object, headers: Record<string, string> = {}, on = server): Promise<Asked> =>
  scene.ask(on, body, headers);

/** The spans of a call, when all of them have arrived: its own first, then those of its attempts in order. */
async function spansOf(callId: string): Promise<readonly ReceivedSpan[]> {
  const find = (): ReceivedSpan | undefined =>
    receiver.spans.find(({ attributes }) => attributes['tollgate.call.id'] === callId);
  const childrenOf = (parent: ReceivedSpan): readonly ReceivedSpan[] =>
    receiver.spans
      .filter(({ traceId, parentId }) => traceId === parent.traceId && parentId === parent.spanId)
      .toSorted((one, other) => Number(one.startNano - other.startNano));
  await until(() => {
    const found = find();
    return found !== undefined && childrenOf(found).length === found.attributes['tollgate.attempts'];
  });
  const own = find();
  if (own === undefined) throw new Error('no span');
  const children = childrenOf(own);
  for (const child of children) {
    expect(child.kind).toBe('client');
    expect(child.startNano).toBeGreaterThanOrEqual(own.startNano);
    expect(child.endNano).toBeLessThanOrEqual(own.endNano);
  }
  expect(own.kind).toBe('server');
  return [own, ...children];
}

function metric(name: string): ReceivedMetric | undefined {
  return receiver.metrics.findLast((one) => one.name === name);
}

beforeAll(async () => {
  scene = await openScene();
  ({ receiver } = scene);
  server = await scene.serve({ OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=abc' });
});

afterAll(() => scene?.close());

beforeEach(() => receiver.forget());

describe('a call', () => {
  test('has a span of the server and a span of its attempt, by the conventions for generative AI', async () => {
    const { status, callId } = await ask(say('tokens=40'));
    expect(status).toBe(200);
    const [own, attempt] = await spansOf(callId);
    const { hostname, port } = new URL(scene.simulator.url);
    expect(own).toMatchObject({ name: 'POST /v1/chat/completions', parentId: '', isError: false });
    expect(own?.resource).toMatchObject({ 'service.name': 'tollgate', 'service.version': VERSION });
    expect(own?.resource['service.instance.id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(own?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.request.stream': false,
      'gen_ai.usage.output_tokens': 40,
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'tollgate.verdict': 'complete',
      'tollgate.payer': 'credits',
    });
    expect(attempt).toMatchObject({ name: 'chat gpt-5-2026-08-01', isError: false });
    expect(attempt?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5-2026-08-01',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.model': 'gpt-5-2026-08-01',
      'gen_ai.usage.output_tokens': 40,
      'http.response.status_code': 200,
      'server.address': hostname,
      'server.port': Number(port),
      'tollgate.vendor': 'openai',
    });
    expect(attempt?.attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0);
    expect(attempt?.attributes).not.toHaveProperty('error.type');
    expect(receiver.headers.at(-1)).toMatchObject({ 'x-tenant': 'abc' });
  });

  test('that is streamed tells when its first chunk came', async () => {
    const { callId } = await ask({ ...say('tokens=30 pace=5'), stream: true });
    const [own, attempt] = await spansOf(callId);
    expect(own?.attributes['gen_ai.request.stream']).toBe(true);
    expect(attempt?.attributes['gen_ai.response.finish_reasons']).toEqual(['stop']);
    const first = Number(attempt?.attributes['gen_ai.response.time_to_first_chunk']);
    const seconds = Number((attempt?.endNano ?? 0n) - (attempt?.startNano ?? 0n)) / 1e9;
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThan(seconds);
  });

  test('that is tried again has a span for each attempt', async () => {
    const { status, callId } = await ask({ ...say('tokens=5'), model: 'retried' });
    expect(status).toBe(200);
    const [own, first, second] = await spansOf(callId);
    expect(own?.attributes['tollgate.attempts']).toBe(2);
    expect(first).toMatchObject({ name: 'chat first-try', isError: true });
    expect(first?.attributes).toMatchObject({
      'error.type': 'connect',
      'gen_ai.provider.name': 'nobody',
      'server.port': 9,
    });
    expect(first?.attributes).not.toHaveProperty('http.response.status_code');
    expect(second).toMatchObject({ name: 'chat gpt-4o', isError: false });
    expect(second?.attributes).toMatchObject({
      'http.request.resend_count': 1,
      'gen_ai.usage.output_tokens': 5,
    });
    expect(second?.startNano).toBeGreaterThanOrEqual(first?.endNano ?? 0n);
  });

  test('that a vendor fails or cuts has errors, one that the client gets wrong has not', async () => {
    const failed = await ask(say('fault=status@500'));
    const [own, attempt] = await spansOf(failed.callId);
    expect(own).toMatchObject({ isError: true, attributes: { 'error.type': '500' } });
    expect(attempt).toMatchObject({
      isError: true,
      attributes: { 'error.type': '500', 'http.response.status_code': 500 },
    });
    const cut = await ask({ ...say('tokens=50 fault=fin@10t'), stream: true }).catch(() => undefined);
    expect(cut).toBeUndefined();
    await until(() =>
      receiver.spans.some(({ attributes }) => attributes['error.type'] === 'cut-by-upstream'),
    );
    const wrong = await ask({ model: MADE_UP });
    const [refused, ...none] = await spansOf(wrong.callId);
    expect(none).toEqual([]);
    expect(refused?.attributes).toMatchObject({
      'tollgate.error.code': 50201,
      'tollgate.verdict': 'refused',
    });
    expect(refused?.attributes).not.toHaveProperty('gen_ai.request.model');
    const limited = await ask({ model: 'plan-only' });
    expect((await spansOf(limited.callId))[0]).toMatchObject({ isError: false });
  });
});

describe('the trace context of a client', () => {
  test('is continued, and stands in the log line, but does not reach the vendor', async () => {
    const { callId } = await ask(say('tokens=3'), CONTEXT);
    const [own, attempt] = await spansOf(callId);
    expect(own).toMatchObject({ traceId: TRACE, parentId: PARENT, traceState: CONTEXT.tracestate });
    expect(attempt?.traceId).toBe(TRACE);
    const findLine = (): string | undefined =>
      server
        .stdout()
        .split('\n')
        .find((one) => one.includes(`"requestId":"${callId}"`));
    await until(() => findLine() !== undefined);
    expect(JSON.parse(findLine() ?? '')).toMatchObject({ trace_id: TRACE, span_id: own?.spanId });
    const asked = (await scene.simulator.truth()).at(-1);
    expect(asked?.headers).not.toHaveProperty('traceparent');
    expect(asked?.headers).not.toHaveProperty('tracestate');
  });

  test('decides whether spans are exported; the log line names the trace all the same', async () => {
    const unsampled = 'a'.repeat(32);
    const { callId } = await ask(say('tokens=3'), { traceparent: `00-${unsampled}-${PARENT}-00` });
    const after = await ask(say('tokens=3'));
    await spansOf(after.callId);
    expect(receiver.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
    await until(() => server.stdout().includes(callId));
    expect(server.stdout()).toContain(`"trace_id":"${unsampled}"`);
    const accept = 'application/openmetrics-text; version=1.0.0';
    const figures = await (await fetch(`${server.opsUrl}/metrics`, { headers: { accept } })).text();
    expect(figures).not.toContain(unsampled);
    expect(figures).toMatch(/ # \{request_id="req_\w+",trace_id="[0-9a-f]{32}"\}/);
  });

  test.each([
    '',
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
  ])('is ignored if it is wrong: %s', async (traceparent) => {
    const { status, callId } = await ask(say('tokens=3'), { traceparent, tracestate: 'a=b' });
    expect(status).toBe(200);
    const [own] = await spansOf(callId);
    expect(own).toMatchObject({ parentId: '', traceState: '' });
    expect(own?.traceId).not.toBe(TRACE);
  });

  test('reaches the vendor if the operator wants that, with the span of the attempt as its parent', async () => {
    const passing = await scene.serve({ TOLLGATE_TRACE_VENDORS: 'on' });
    const { callId } = await ask({ ...say('tokens=3'), model: 'retried' }, CONTEXT, passing);
    const [, , second] = await spansOf(callId);
    expect((await scene.simulator.truth()).at(-1)?.headers).toMatchObject({
      traceparent: `00-${TRACE}-${second?.spanId}-01`,
      tracestate: CONTEXT.tracestate,
    });
    passing.kill('SIGTERM');
    await passing.exited;
  });
});

test('metrics of calls and the counters of /metrics are exported', async () => {
  await ask({ ...say('tokens=20 pace=2'), stream: true });
  await ask({ ...say('tokens=5'), model: 'retried' });
  await until(() => (metric('tollgate.tokens')?.points.length ?? 0) > 0);
  await until(() => metric('gen_ai.client.token.usage') !== undefined);
  for (const name of [
    'gen_ai.client.operation.duration',
    'gen_ai.client.operation.time_to_first_chunk',
    'gen_ai.server.request.duration',
    'gen_ai.server.time_to_first_token',
    'gen_ai.server.time_per_output_token',
  ])
    expect(metric(name), name).toMatchObject({ type: 'histogram', unit: 's' });
  const tokens = metric('gen_ai.client.token.usage');
  expect(tokens?.unit).toBe('{token}');
  expect(new Set(tokens?.points.map(({ attributes }) => attributes['gen_ai.token.type']))).toEqual(
    new Set(['input', 'output']),
  );
  expect(
    metric('gen_ai.client.operation.duration')?.points.some(
      ({ attributes }) => attributes['error.type'] === 'connect',
    ),
  ).toBe(true);
  expect(metric('tollgate.calls')).toMatchObject({ type: 'sum' });
  expect(metric('tollgate.ready')).toMatchObject({ type: 'gauge', points: [{ value: 1 }] });
  const shown = await (await fetch(`${server.opsUrl}/metrics`)).text();
  const calls = [...shown.matchAll(/^tollgate_calls_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, one]) => sum + Number(one),
    0,
  );
  await until(() => metric('tollgate.calls')?.points.reduce((sum, { value }) => sum + value, 0) === calls);
});

test('lines of the log are exported, the line of a call with its trace', async () => {
  const { callId } = await ask(say('tokens=3'), CONTEXT);
  const [own] = await spansOf(callId);
  await until(() => receiver.records.some(({ attributes }) => attributes.requestId === callId));
  const record = receiver.records.find(({ attributes }) => attributes.requestId === callId);
  expect(record).toMatchObject({ body: 'call ended', severity: 9, traceId: TRACE, spanId: own?.spanId });
  expect(record?.attributes).toMatchObject({ status: 200, outputTokens: 3, verdict: 'complete' });
});

test('nothing that is exported has a prompt, an answer, a key or a credential in it', async () => {
  const asked = await Promise.all([
    ask(say('text=plugh-the-answer')),
    ask({ ...say('tokens=5'), stream: true, user: 'plover-the-user' }),
    ask({ ...say('tokens=5'), model: 'retried' }),
    ask(say('fault=status@400')),
  ]);
  for (const { callId } of asked) await spansOf(callId);
  await until(() => receiver.records.length > 0 && receiver.metrics.length > 0);
  const all = Buffer.concat(receiver.bodies).toString('latin1');
  expect(all).toContain('gpt-5-2026-08-01');
  for (const secret of [
    PROMPT,
    'plugh',
    'plover',
    scene.key,
    scene.key.slice(-12),
    'sk-sim-openai',
    'sk-nobody',
    'Bearer',
  ]) {
    expect(all.includes(secret), secret).toBe(false);
  }
});

test('the receiver has refused nothing', () => {
  expect(receiver.refused).toEqual([]);
});
