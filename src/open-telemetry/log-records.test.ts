import { type LogRecord, trace } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { ManualClock } from '../kernel/time/clock.ts';
import { TELEMETRY_VALUE_CHARS_MAX } from './bounds.ts';
import { exportLog } from './log-records.ts';

function open(level: string): { log: ReturnType<typeof exportLog>; lines: string[]; records: LogRecord[] } {
  const lines: string[] = [];
  const records: LogRecord[] = [];
  const write = (_: object, message: string): void => void lines.push(message);
  const own = { debug: write, info: write, warn: write, error: write };
  const logger = { emit: (record: LogRecord) => void records.push(record), enabled: () => true };
  return { log: exportLog(own, level, logger, new ManualClock(7)), lines, records };
}

test.each([
  ['trace', ['d', 'i', 'w', 'e']],
  ['info', ['i', 'w', 'e']],
  ['error', ['e']],
  ['silent', []],
])('at level %s the log is exported as far as it is written', (level, exported) => {
  const { log, lines, records } = open(level);
  log.debug({}, 'd');
  log.info({}, 'i');
  log.warn({}, 'w');
  log.error({}, 'e');
  expect(lines).toEqual(['d', 'i', 'w', 'e']);
  expect(records.map(({ body }) => body)).toEqual(exported);
});

test('fields become attributes, errors exceptions, and ids of a trace its context', () => {
  const { log, records } = open('info');
  const traced = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' };
  const fields = { status: 200, ok: true, gone: undefined, none: null, big: 7n, list: [1, { a: 'b' }] };
  log.info({ ...fields, ...traced }, 'call ended');
  const [record] = records;
  expect(record).toMatchObject({ timestamp: 7, severityText: 'INFO', body: 'call ended' });
  expect(record?.attributes).toEqual({ status: 200, ok: true, big: '7n', list: "[ 1, { a: 'b' } ]" });
  const context = record?.context;
  expect(context === undefined ? undefined : trace.getSpanContext(context)).toMatchObject({
    traceId: traced.trace_id,
    spanId: traced.span_id,
  });
  log.error({ err: new TypeError('x'.repeat(10_000)) }, 'failed');
  expect(records[1]?.attributes).toMatchObject({
    'exception.type': 'TypeError',
    'exception.message': 'x'.repeat(TELEMETRY_VALUE_CHARS_MAX),
  });
});
