/**
 * The load generator, as its own process. It takes orders from the runner and reports when the measured
 * window begins and ends, so that the runner can read the processors' clocks at those moments.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Callers, ClosedLoop, OpenLoop } from './callers.ts';
import { type CallOutcome, type ConnectionSettings, verifyChatEnd } from './connection.ts';
import { DIALECTS } from './convert/dialect.ts';
import { createVerifier } from './convert/verify.ts';
import type { LoadOrder, LoadReport } from './order.ts';
import { requestBody } from './scenario.ts';
import { Tally } from './tally.ts';

const OPEN_POLL_MS = 100;

function report(message: LoadReport): void {
  process.send?.(message);
}

async function run(order: LoadOrder): Promise<void> {
  const { scenario } = order;
  let tally = new Tally();
  let callsTotal = 0;
  const reached = Promise.withResolvers<void>();
  const counter = { events: 0, bytes: 0 };
  const settings = {
    host: order.host,
    port: order.port,
    nextRequest: requestsOf(order),
    ...expectationOf(order),
    counter,
    onOutcome: (outcome: CallOutcome) => {
      callsTotal += 1;
      tally.record(outcome);
      if (callsTotal === order.calls) reached.resolve();
    },
  };
  const callers: Callers =
    scenario.ratePerSecond === undefined
      ? new ClosedLoop(scenario, settings)
      : new OpenLoop(scenario, settings, (lateMs) => tally.recordLate(lateMs));
  await callers.start();
  await delay(order.warmMs);
  const openUntilMs = performance.now() + (order.openMs ?? 0);
  while (performance.now() < openUntilMs && callers.streamsOpen() < scenario.connections)
    await delay(OPEN_POLL_MS);

  tally = new Tally();
  const before = { ...counter };
  report({ kind: 'window-begins' });
  await (order.calls === undefined ? delay(order.measureMs) : reached.promise);
  const events = counter.events - before.events;
  const result = tally.result(events, counter.bytes - before.bytes, callers.streamsOpen());
  report({ kind: 'window-ends' });

  await Promise.race([callers.finish(), delay(order.drainMs)]);
  callers.destroy();
  report({ kind: 'done', result, callsTotal, eventsTotal: counter.events });
}

function expectationOf(order: LoadOrder): Pick<ConnectionSettings, 'expectedEvents' | 'verify'> {
  const { pair, streamed, contentChunks } = order.scenario;
  if (pair !== undefined) {
    const expectedEvents = contentChunks + DIALECTS[pair.client].eventsAround;
    return { expectedEvents, verify: { part: 'all', check: createVerifier(pair.client) } };
  }
  const expectedEvents = streamed ? contentChunks + order.eventsAround : 0;
  return { expectedEvents, verify: { part: 'end', check: (tail) => verifyChatEnd(tail, expectedEvents) } };
}

/** Where the next order goes on in the list of keys: all of them take their turn. */
let turn = 0;

function requestsOf(order: LoadOrder): () => Buffer {
  const { keys = [] } = order;
  if (keys.length === 0) {
    const request = encodeRequest(order, order.headers);
    return () => request;
  }
  const mark = '\0';
  const text = encodeRequest(order, { ...order.headers, authorization: `Bearer ${mark}` });
  const at = text.indexOf(mark);
  const [head, tail] = [text.subarray(0, at), text.subarray(at + mark.length)];
  return () => Buffer.concat([head, Buffer.from(keys[turn++ % keys.length] ?? ''), tail]);
}

function encodeRequest(order: LoadOrder, given: LoadOrder['headers']): Buffer {
  const body = requestBody(order.scenario);
  const headers = {
    host: `${order.host}:${order.port}`,
    'content-type': 'application/json',
    accept: order.scenario.streamed ? 'text/event-stream' : 'application/json',
    'user-agent': 'tollgate-bench',
    ...given,
    'content-length': String(body.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${order.path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

process.on('message', (order: LoadOrder) => {
  run(order).catch((error: unknown) => report({ kind: 'failed', reason: String(error) }));
});
process.once('disconnect', () => process.exit(0));
