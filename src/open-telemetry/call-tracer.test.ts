import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { callOf } from '../../test/support/calls.ts';
import { sampleRoute } from '../../test/support/samples.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { CallInstruments } from './call-instruments.ts';
import { createCallTracer } from './call-tracer.ts';
import type { CallTracer } from './contract.ts';

const START = {
  createdAtMs: 1_763_000_000_000,
  startedAt: 0,
  endpoint: { protocol: 'chat', edit: false, path: undefined },
} as const;

function open(passOn = false): {
  readonly tracer: CallTracer;
  readonly clock: ManualClock;
  readonly exporter: InMemorySpanExporter;
  readonly failures: unknown[];
} {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const clock = new ManualClock(0);
  const failures: unknown[] = [];
  const tracer = createCallTracer({
    tracer: new TracerProvider({ spanProcessors }).getTracer('test'),
    instruments: new CallInstruments(new MeterProvider().getMeter('test')),
    clock,
    passOn,
    failed: (error) => void failures.push(error),
  });
  return { tracer, clock, exporter, failures };
}

test('spans have the times of the call’s clock, to the fraction of a millisecond', () => {
  const { tracer, clock, exporter, failures } = open();
  const trace = tracer.begin(START, {});
  clock.advance(1.5);
  trace?.attemptBegan(sampleRoute(), 'chat');
  clock.advance(10.25);
  trace?.attemptEnded('ok');
  trace?.attemptEnded('twice');
  clock.advance(0.25);
  trace?.ended(callOf({ accountId: 1, createdAtMs: START.createdAtMs }));
  const [attempt, call] = exporter.getFinishedSpans();
  expect(call).toMatchObject({ startTime: [1_763_000_000, 0], endTime: [1_763_000_000, 12_000_000] });
  expect(attempt).toMatchObject({
    startTime: [1_763_000_000, 1_500_000],
    endTime: [1_763_000_000, 11_750_000],
    parentSpanContext: { spanId: trace?.spanId },
  });
  expect(failures).toEqual([]);
});

test('the vendor gets the context of its attempt only by choice', () => {
  for (const [passOn, pairs] of [
    [false, 0],
    [true, 2],
  ] as const) {
    const trace = open(passOn).tracer.begin(START, {});
    const headers: string[] = [];
    trace?.passOn(headers);
    expect(headers).toEqual([]);
    trace?.attemptBegan(sampleRoute(), 'chat');
    trace?.passOn(headers);
    expect(headers).toHaveLength(pairs);
    if (passOn) expect(headers[1]).toMatch(new RegExp(`^00-${trace?.traceId}-[0-9a-f]{16}-01$`));
  }
});

test('an error in tracing is told, and nothing is thrown', () => {
  const { tracer, failures } = open();
  const trace = tracer.begin(START, {});
  const route = sampleRoute();
  const wrong = { ...route, credential: { ...route.credential, baseUrl: 'no address' } };
  expect(() => trace?.attemptBegan(wrong, 'chat')).not.toThrow();
  expect(() => trace?.ended(callOf({ accountId: 1 }))).not.toThrow();
  expect(failures).toHaveLength(1);
});
