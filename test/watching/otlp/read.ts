import { decodeOtlp } from './decode.ts';
import type {
  Attributes,
  ReceivedMetric,
  ReceivedPoint,
  ReceivedRecord,
  ReceivedSpan,
  Value,
} from './messages.ts';

/** Reads requests of OTLP, and refuses those that the protocol does not allow, by throwing. */

function claim(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

interface AnyValue {
  readonly value?: string;
  readonly string_value?: string;
  readonly bool_value?: boolean;
  readonly int_value?: string;
  readonly double_value?: number;
  readonly array_value?: { readonly values: readonly AnyValue[] };
}
interface Described {
  readonly attributes: readonly { readonly key: string; readonly value?: AnyValue }[];
}
interface Scoped {
  readonly scope?: { readonly name?: string };
}

function toValue(given: AnyValue | undefined): Value {
  claim(given?.value !== undefined, 'a value is empty');
  if (given.array_value !== undefined) return given.array_value.values.map(toValue);
  if (given.int_value !== undefined) return Number(given.int_value);
  return given.string_value ?? given.bool_value ?? given.double_value ?? '';
}

function attributesOf({ attributes }: Described): Attributes {
  const pairs = attributes.map(({ key, value }) => [key, toValue(value)] as const);
  claim(
    pairs.every(([key]) => key !== ''),
    'a key is empty',
  );
  claim(new Set(pairs.map(([key]) => key)).size === pairs.length, 'a key stands twice');
  return Object.fromEntries(pairs);
}

function resourceOf({ resource }: { readonly resource?: Described }): Attributes {
  claim(resource !== undefined, 'no resource');
  const attributes = attributesOf(resource);
  claim(typeof attributes['service.name'] === 'string', 'no service.name');
  return attributes;
}

function checkScope({ scope }: Scoped): void {
  claim((scope?.name ?? '') !== '', 'a scope has no name');
}

/** Hexadecimal digits of an id of so many bytes; `optional` ids may be empty. */
function idOf(bytes: Buffer | undefined, size: number, presence: 'required' | 'optional'): string {
  const text = bytes?.toString('hex') ?? '';
  if (text === '' && presence === 'optional') return '';
  claim(text.length === size * 2, `an id has ${text.length / 2} bytes instead of ${size}`);
  claim(!/^0+$/.test(text), 'an id is zero');
  return text;
}

function timeOf(nano: string | undefined): bigint {
  const time = BigInt(nano ?? 0);
  claim(time > 1_500_000_000_000_000_000n && time < 4_000_000_000_000_000_000n, `${time} is no time`);
  return time;
}

interface SpanMessage extends Described {
  readonly trace_id?: Buffer;
  readonly span_id?: Buffer;
  readonly parent_span_id?: Buffer;
  readonly trace_state?: string;
  readonly name?: string;
  readonly kind?: number;
  readonly start_time_unix_nano?: string;
  readonly end_time_unix_nano?: string;
  readonly status?: { readonly code?: number };
}
interface TracesMessage {
  readonly resource_spans: readonly {
    readonly resource?: Described;
    readonly scope_spans: readonly (Scoped & { readonly spans: readonly SpanMessage[] })[];
  }[];
}

const KINDS: Readonly<Record<number, ReceivedSpan['kind']>> = { 2: 'server', 3: 'client' };

export function readSpans(body: Buffer): readonly ReceivedSpan[] {
  const { resource_spans } = decodeOtlp<TracesMessage>('Traces', body);
  claim(resource_spans.length > 0, 'a request without spans');
  return resource_spans.flatMap((given) => {
    const resource = resourceOf(given);
    given.scope_spans.forEach(checkScope);
    return given.scope_spans.flatMap(({ spans }) => spans.map((span) => readSpan(span, resource)));
  });
}

function readSpan(span: SpanMessage, resource: Attributes): ReceivedSpan {
  const startNano = timeOf(span.start_time_unix_nano);
  const endNano = timeOf(span.end_time_unix_nano);
  claim(endNano >= startNano, 'a span ends before it starts');
  claim((span.name ?? '') !== '', 'a span has no name');
  const kind = KINDS[span.kind ?? 0];
  claim(kind !== undefined, `kind ${span.kind}`);
  const code = span.status?.code ?? 0;
  claim(code >= 0 && code <= 2, `status ${code}`);
  return {
    resource,
    traceId: idOf(span.trace_id, 16, 'required'),
    spanId: idOf(span.span_id, 8, 'required'),
    parentId: idOf(span.parent_span_id, 8, 'optional'),
    traceState: span.trace_state ?? '',
    name: span.name ?? '',
    kind,
    startNano,
    endNano,
    isError: code === 2,
    attributes: attributesOf(span),
  };
}

interface RecordMessage extends Described {
  readonly time_unix_nano?: string;
  readonly observed_time_unix_nano?: string;
  readonly severity_number?: number;
  readonly severity_text?: string;
  readonly body?: AnyValue;
  readonly trace_id?: Buffer;
  readonly span_id?: Buffer;
}
interface LogsMessage {
  readonly resource_logs: readonly {
    readonly resource?: Described;
    readonly scope_logs: readonly (Scoped & { readonly log_records: readonly RecordMessage[] })[];
  }[];
}

export function readRecords(body: Buffer): readonly ReceivedRecord[] {
  const { resource_logs } = decodeOtlp<LogsMessage>('Logs', body);
  claim(resource_logs.length > 0, 'a request without records');
  return resource_logs.flatMap((given) => {
    const resource = resourceOf(given);
    given.scope_logs.forEach(checkScope);
    return given.scope_logs.flatMap(({ log_records }) => log_records.map((one) => readRecord(one, resource)));
  });
}

function readRecord(record: RecordMessage, resource: Attributes): ReceivedRecord {
  timeOf(record.time_unix_nano);
  timeOf(record.observed_time_unix_nano);
  const severity = record.severity_number ?? 0;
  claim(severity >= 1 && severity <= 24, `severity ${severity}`);
  claim((record.severity_text ?? '') !== '', 'no severity text');
  const traceId = idOf(record.trace_id, 16, 'optional');
  const spanId = idOf(record.span_id, 8, 'optional');
  claim((traceId === '') === (spanId === ''), 'a record has one id of its trace only');
  return {
    resource,
    traceId,
    spanId,
    severity,
    body: String(toValue(record.body)),
    attributes: attributesOf(record),
  };
}

interface PointMessage extends Described {
  readonly start_time_unix_nano?: string;
  readonly time_unix_nano?: string;
  readonly as_double?: number;
  readonly as_int?: string;
  readonly count?: string;
  readonly sum?: number;
  readonly bucket_counts?: readonly string[];
  readonly explicit_bounds?: readonly number[];
}
interface DataMessage {
  readonly data_points: readonly PointMessage[];
  readonly aggregation_temporality?: number;
}
interface MetricMessage {
  readonly name?: string;
  readonly unit?: string;
  readonly gauge?: DataMessage;
  readonly sum?: DataMessage;
  readonly histogram?: DataMessage;
}
interface MetricsMessage {
  readonly resource_metrics: readonly {
    readonly resource?: Described;
    readonly scope_metrics: readonly (Scoped & { readonly metrics: readonly MetricMessage[] })[];
  }[];
}

export function readMetrics(body: Buffer): readonly ReceivedMetric[] {
  const { resource_metrics } = decodeOtlp<MetricsMessage>('Metrics', body);
  claim(resource_metrics.length > 0, 'a request without metrics');
  return resource_metrics.flatMap((given) => {
    const resource = resourceOf(given);
    given.scope_metrics.forEach(checkScope);
    return given.scope_metrics.flatMap(({ metrics }) => metrics.map((one) => readMetric(one, resource)));
  });
}

const NAME = /^[A-Za-z][\w./-]{0,254}$/;

function readMetric(metric: MetricMessage, resource: Attributes): ReceivedMetric {
  const { name = '', unit = '', gauge, sum, histogram } = metric;
  claim(NAME.test(name), `"${name}" is no name of a metric`);
  const data = gauge ?? sum ?? histogram;
  claim(data !== undefined, `${name} has no data`);
  const temporality = data.aggregation_temporality ?? 0;
  claim(gauge === undefined ? temporality === 1 || temporality === 2 : true, `${name} has no temporality`);
  const points = data.data_points.map((point) =>
    (histogram === undefined ? readNumber : readHistogram)(point, name),
  );
  const texts = points.map(({ attributes }) => JSON.stringify(Object.entries(attributes).sort()));
  claim(new Set(texts).size === texts.length, `${name} has two points with the same attributes`);
  const type = gauge !== undefined ? 'gauge' : sum !== undefined ? 'sum' : 'histogram';
  return { resource, name, unit, type, points };
}

function readNumber(point: PointMessage, name: string): ReceivedPoint {
  checkTimes(point, name);
  const value = point.as_double ?? Number(point.as_int ?? Number.NaN);
  claim(Number.isFinite(value), `${name} has no value`);
  return { attributes: attributesOf(point), value, sum: undefined };
}

function readHistogram(point: PointMessage, name: string): ReceivedPoint {
  checkTimes(point, name);
  const { bucket_counts: counts = [], explicit_bounds: bounds = [], count = '0', sum } = point;
  claim(
    counts.length === bounds.length + 1,
    `${name} has ${counts.length} buckets for ${bounds.length} bounds`,
  );
  claim(
    bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0)),
    `the bounds of ${name} are in no order`,
  );
  const total = counts.reduce((all, one) => all + BigInt(one), 0n);
  claim(total === BigInt(count), `the buckets of ${name} do not sum up`);
  return { attributes: attributesOf(point), value: Number(count), sum };
}

function checkTimes(point: PointMessage, name: string): void {
  claim(timeOf(point.start_time_unix_nano) <= timeOf(point.time_unix_nano), `${name} ends before it starts`);
}
