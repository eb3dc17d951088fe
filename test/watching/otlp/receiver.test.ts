import { expect, test } from 'vitest';
import { OTLP } from './decode.ts';
import { readMetrics, readSpans } from './read.ts';

/** The receiver of the tests is strict: it would find an exporter that is wrong. */

const TEXT = { string_value: 'x' };
const RESOURCE = { attributes: [{ key: 'service.name', value: TEXT }] };
const SCOPE = { name: 'test' };
const START = '1763000000000000000';
const SPAN = {
  trace_id: Buffer.alloc(16, 1),
  span_id: Buffer.alloc(8, 2),
  name: 'call',
  kind: 2,
  start_time_unix_nano: START,
  end_time_unix_nano: START,
};

function encode(name: string, message: object): Buffer {
  const type = OTLP.lookupType(name);
  return Buffer.from(type.encode(type.fromObject(message)).finish());
}

const traces = (span: object, resource: object = RESOURCE): Buffer =>
  encode('Traces', { resource_spans: [{ resource, scope_spans: [{ scope: SCOPE, spans: [span] }] }] });

test('a correct request is read', () => {
  expect(readSpans(traces(SPAN))).toMatchObject([{ traceId: '01'.repeat(16), name: 'call', kind: 'server' }]);
});

test.each([
  ['a short trace id', traces({ ...SPAN, trace_id: Buffer.alloc(15, 1) })],
  ['a zero span id', traces({ ...SPAN, span_id: Buffer.alloc(8) })],
  ['a long parent', traces({ ...SPAN, parent_span_id: Buffer.alloc(9, 1) })],
  ['no name', traces({ ...SPAN, name: '' })],
  ['no kind', traces({ ...SPAN, kind: 0 })],
  ['an end before the start', traces({ ...SPAN, end_time_unix_nano: '1762999999999999999' })],
  ['no time', traces({ ...SPAN, start_time_unix_nano: '0' })],
  ['milliseconds', traces({ ...SPAN, start_time_unix_nano: '1763000000000' })],
  ['an unknown status', traces({ ...SPAN, status: { code: 3 } })],
  [
    'a key twice',
    traces({
      ...SPAN,
      attributes: [
        { key: 'a', value: TEXT },
        { key: 'a', value: TEXT },
      ],
    }),
  ],
  ['an empty value', traces({ ...SPAN, attributes: [{ key: 'a', value: {} }] })],
  ['a resource without a name', traces(SPAN, { attributes: [] })],
  ['an unknown field', Buffer.concat([traces(SPAN), Buffer.from([0x7a, 0x00])])],
  ['another wire type', Buffer.from([0x08, 0x01])],
  ['a cut message', traces(SPAN).subarray(0, -1)],
  ['nothing', Buffer.alloc(0)],
])('%s is refused', (_, body) => {
  expect(() => readSpans(body)).toThrow();
});

test('buckets that do not sum up are refused', () => {
  const point = { start_time_unix_nano: START, time_unix_nano: START, explicit_bounds: [1], count: '2' };
  const metrics = (counts: readonly string[]): Buffer => {
    const histogram = { data_points: [{ ...point, bucket_counts: counts }], aggregation_temporality: 2 };
    const scoped = { scope: SCOPE, metrics: [{ name: 'times', histogram }] };
    return encode('Metrics', { resource_metrics: [{ resource: RESOURCE, scope_metrics: [scoped] }] });
  };
  expect(readMetrics(metrics(['1', '1']))).toMatchObject([{ name: 'times', points: [{ value: 2 }] }]);
  expect(() => readMetrics(metrics(['1', '2']))).toThrow('do not sum up');
  expect(() => readMetrics(metrics(['2']))).toThrow('1 buckets for 1 bounds');
});
