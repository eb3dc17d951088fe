import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ServerProcess, until } from '../support/processes.ts';
import type { Behaviour, Receiver } from './otlp/receiver.ts';
import { openScene, type Scene, say } from './otlp/scene.ts';

/** A receiver that is away, slow or full: calls go on, the log notes it once, and a stop is not delayed. */

const CALLS = 30;
const NOTICE = '"msg":"telemetry is not exported"';

let scene: Scene;
let receiver: Receiver;

beforeAll(async () => {
  scene = await openScene();
  ({ receiver } = scene);
});

afterAll(() => scene?.close());

beforeEach(() => {
  receiver.forget();
  receiver.behave('strict');
});

async function callAll(server: ServerProcess): Promise<void> {
  const asked = await Promise.all(Array.from({ length: CALLS }, () => scene.ask(server, say('tokens=3'))));
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
}

async function stop(server: ServerProcess): Promise<number> {
  const startedAt = performance.now();
  server.kill('SIGTERM');
  expect(await server.exited).toEqual({ code: 0, signal: null });
  return performance.now() - startedAt;
}

const noticesOf = (server: ServerProcess): number => server.stdout().split(NOTICE).length - 1;

/** Time-outs as short as the patience of a test. */
const HASTY = { OTEL_EXPORTER_OTLP_TIMEOUT: '500', OTEL_BSP_EXPORT_TIMEOUT: '1000' };

test.each<{ readonly name: string; readonly behaviour: Behaviour }>([
  { name: 'is full (429)', behaviour: 429 },
  { name: 'is overloaded (503)', behaviour: 503 },
  { name: 'wants credentials (401)', behaviour: 401 },
  { name: 'never answers', behaviour: 'hang' },
])('calls are served, and the log has one notice, while the receiver $name', async ({ behaviour }) => {
  receiver.behave(behaviour);
  const server = await scene.serve(HASTY);
  await callAll(server);
  await until(() => noticesOf(server) > 0);
  await callAll(server);
  const metrics = await (await fetch(`${server.opsUrl}/metrics`)).text();
  expect(metrics).toMatch(/^tollgate_calls_total\{.*status="200".*\} 60$/m);
  expect(await stop(server)).toBeLessThan(20_000);
  expect(noticesOf(server)).toBe(1);
});

test('calls are served while nobody listens at the address', async () => {
  const server = await scene.serve({ ...HASTY, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  await callAll(server);
  await until(() => noticesOf(server) > 0);
  expect(server.stdout()).toMatch(/"detail":"[^"]*ECONNREFUSED/);
  expect(await stop(server)).toBeLessThan(20_000);
});

test('a slow receiver gets everything, and calls do not wait for it', async () => {
  receiver.behave('slow');
  const server = await scene.serve();
  await callAll(server);
  await callAll(server);
  await stop(server);
  expect(receiver.spans).toHaveLength(4 * CALLS);
  expect(noticesOf(server)).toBe(0);
  // The vendor answers within milliseconds, the receiver after 400.
  const calls = receiver.spans.filter(({ kind }) => kind === 'server');
  const fastest = calls
    .map(({ startNano, endNano }) => Number(endNano - startNano))
    .toSorted((a, b) => a - b)[0];
  expect(fastest).toBeLessThan(400e6);
});

test('what waits when the receiver is back is exported, and more than the queue holds is lost', async () => {
  receiver.behave('hang');
  const queue = { OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10' };
  const server = await scene.serve({ ...HASTY, ...queue });
  await callAll(server);
  receiver.behave('strict');
  const last = await scene.ask(server, say('tokens=3'));
  expect(last.status).toBe(200);
  await stop(server);
  expect(receiver.spans.length).toBeGreaterThan(0);
  expect(receiver.spans.length).toBeLessThan(2 * CALLS);
  expect(receiver.refused).toEqual([]);
});

test('a stop exports what is queued', async () => {
  const late = { OTEL_BSP_SCHEDULE_DELAY: '600000', OTEL_BLRP_SCHEDULE_DELAY: '600000' };
  const server = await scene.serve({ ...late, OTEL_METRIC_EXPORT_INTERVAL: '600000' });
  await callAll(server);
  expect(receiver.spans).toEqual([]);
  await stop(server);
  expect(receiver.spans).toHaveLength(2 * CALLS);
  expect(receiver.records.filter(({ body }) => body === 'call ended')).toHaveLength(CALLS);
  expect(receiver.metrics.find(({ name }) => name === 'tollgate.calls')?.points).toMatchObject([
    { value: CALLS },
  ]);
  expect(receiver.refused).toEqual([]);
});

test('a stop does not wait for a receiver that hangs', async () => {
  receiver.behave('hang');
  const server = await scene.serve({ OTEL_EXPORTER_OTLP_TIMEOUT: '60000', OTEL_BSP_EXPORT_TIMEOUT: '60000' });
  await callAll(server);
  await until(() => receiver.headers.length > 0);
  const ms = await stop(server);
  console.log(`proof | telemetry | a receiver that hangs | stopped in ${(ms / 1000).toFixed(1)} s`);
  expect(ms).toBeLessThan(30_000);
});

test('nothing is exported if the standard variables say so, and the log line still names the trace', async () => {
  const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
  const server = await scene.serve(none);
  await callAll(server);
  await stop(server);
  expect(receiver.headers).toEqual([]);
  expect(server.stdout().match(/"trace_id":"[0-9a-f]{32}"/g)).toHaveLength(CALLS);
  const disabled = await scene.serve({ OTEL_SDK_DISABLED: 'true' });
  await callAll(disabled);
  await stop(disabled);
  expect(receiver.headers).toEqual([]);
  expect(disabled.stdout()).not.toContain('trace_id');
});

test('standard variables name the service, compress, and sample', async () => {
  const server = await scene.serve({
    OTEL_SERVICE_NAME: 'our-gateway',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  });
  await callAll(server);
  const traceparent = `00-${'b'.repeat(32)}-${'c'.repeat(16)}-01`;
  await scene.ask(server, say('tokens=3'), { traceparent });
  await stop(server);
  expect(receiver.headers.every((one) => one['content-encoding'] === 'gzip')).toBe(true);
  expect(receiver.spans).toHaveLength(2);
  expect(receiver.spans[0]?.traceId).toBe('b'.repeat(32));
  expect(receiver.spans[0]?.resource).toMatchObject({
    'service.name': 'our-gateway',
    'deployment.environment.name': 'test',
  });
  expect(receiver.refused).toEqual([]);
});
