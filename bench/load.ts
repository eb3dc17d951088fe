/**
 * The load generator, as its own process: a fixed number of keep-alive connections, each sending its next
 * call when the last answer is complete. It takes orders from the runner and reports when the measured
 * window begins and ends, so that the runner can read the processors' clocks at those moments.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type CallOutcome, Connection, type ConnectionSettings, verifyChatEnd } from './connection.ts';
import { DIALECTS } from './convert/dialect.ts';
import { createVerifier } from './convert/verify.ts';
import type { LoadOrder, LoadReport, LoadResult } from './order.ts';
import { EVENTS_AROUND_CONTENT, requestBody, type Scenario } from './scenario.ts';

/** A result carries a few reasons of failure; thousands of the same would tell no more. */
const FAILURES_KEPT = 5;

class Tally {
  readonly #latency: RecordableHistogram = createHistogram({ figures: 3 });
  readonly #firstByte: RecordableHistogram = createHistogram({ figures: 3 });
  readonly #failures = new Map<string, number>();
  readonly #begunMs = performance.now();
  #calls = 0;

  record(outcome: CallOutcome): void {
    if (outcome.failure !== undefined) {
      const known = this.#failures.get(outcome.failure);
      if (known !== undefined || this.#failures.size < FAILURES_KEPT) {
        this.#failures.set(outcome.failure, (known ?? 0) + 1);
      }
      return;
    }
    this.#calls += 1;
    this.#latency.record(Math.max(1, Math.round(outcome.latencyMs * 1000)));
    this.#firstByte.record(Math.max(1, Math.round(outcome.firstByteMs * 1000)));
  }

  result(events: number, bytes: number): LoadResult {
    const millisOf = (histogram: RecordableHistogram, percentile: number): number =>
      this.#calls === 0 ? 0 : histogram.percentile(percentile) / 1000;
    return {
      durationMs: performance.now() - this.#begunMs,
      calls: this.#calls,
      events,
      bytes,
      latencyMs: { p50: millisOf(this.#latency, 50), p99: millisOf(this.#latency, 99) },
      firstByteMs: { p50: millisOf(this.#firstByte, 50), p99: millisOf(this.#firstByte, 99) },
      failures: Object.fromEntries(this.#failures),
    };
  }
}

function report(message: LoadReport): void {
  process.send?.(message);
}

async function run(order: LoadOrder): Promise<void> {
  const { scenario } = order;
  let tally = new Tally();
  let callsTotal = 0;
  const counter = { events: 0, bytes: 0 };
  const settings = {
    host: order.host,
    port: order.port,
    request: encodeRequest(order),
    ...expectationOf(scenario),
    counter,
    onOutcome: (outcome: CallOutcome) => {
      callsTotal += 1;
      tally.record(outcome);
    },
  };
  const connections = Array.from({ length: scenario.connections }, () => new Connection(settings));
  await ramp(connections, scenario.rampMs);
  await delay(order.warmMs);

  tally = new Tally();
  const before = { ...counter };
  report({ kind: 'window-begins' });
  await delay(order.measureMs);
  const result = tally.result(counter.events - before.events, counter.bytes - before.bytes);
  report({ kind: 'window-ends' });

  await Promise.race([Promise.all(connections.map((each) => each.finish())), delay(order.drainMs)]);
  for (const each of connections) each.destroy();
  report({ kind: 'done', result, callsTotal });
}

function expectationOf(scenario: Scenario): Pick<ConnectionSettings, 'expectedEvents' | 'verify'> {
  const { pair, streamed, contentChunks } = scenario;
  if (pair !== undefined) {
    const expectedEvents = contentChunks + DIALECTS[pair.client].eventsAround;
    return { expectedEvents, verify: { part: 'all', check: createVerifier(pair.client) } };
  }
  const expectedEvents = streamed ? contentChunks + EVENTS_AROUND_CONTENT : 0;
  return { expectedEvents, verify: { part: 'end', check: (tail) => verifyChatEnd(tail, expectedEvents) } };
}

async function ramp(connections: readonly Connection[], rampMs: number): Promise<void> {
  const begunMs = performance.now();
  for (const [index, connection] of connections.entries()) {
    const waitMs = begunMs + (index * rampMs) / connections.length - performance.now();
    if (waitMs > 1) await delay(waitMs);
    connection.start();
  }
}

function encodeRequest(order: LoadOrder): Buffer {
  const body = requestBody(order.scenario);
  const headers = {
    host: `${order.host}:${order.port}`,
    'content-type': 'application/json',
    accept: order.scenario.streamed ? 'text/event-stream' : 'application/json',
    'user-agent': 'tollgate-bench',
    ...order.headers,
    'content-length': String(body.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${order.path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

process.on('message', (order: LoadOrder) => {
  run(order).catch((error: unknown) => report({ kind: 'failed', reason: String(error) }));
});
process.once('disconnect', () => process.exit(0));
