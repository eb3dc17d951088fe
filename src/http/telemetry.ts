import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Route } from '../catalog/contract.ts';
import type { Gate, GateRefused } from '../gate/contract.ts';
import type { CallRecord, Journal } from '../ledger/contract.ts';
import { Counter, Gauge, Histogram, labelText, type Metric, renderMetrics } from './metrics.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const BATCH_SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000];

const BREAKER_VALUES = { closed: 0, 'half-open': 1, probing: 1, open: 2 } as const;

/** The values of other modules that `/metrics` shows. */
export interface Observed {
  readonly gate: Pick<Gate, 'active'>;
  /** Only with a gate on Redis. */
  readonly sharedGate: (() => SharedGateFigures) | undefined;
  readonly journal: Pick<Journal, 'lag' | 'bytes'>;
  readonly inFlight: { readonly streams: number };
  readonly breakers: () => Iterable<{
    readonly routeId: number;
    readonly state: keyof typeof BREAKER_VALUES;
  }>;
  readonly unhealthyCredentials: () => number;
}

export interface SharedGateFigures {
  readonly up: boolean;
  /** Ends of calls that wait to be sent to the gate. */
  readonly queued: number;
}

interface CallLabels {
  readonly call: string;
  readonly kind: string;
}

function isAlike(one: CallRecord, other: CallRecord): boolean {
  return (
    one.protocolIn === other.protocolIn &&
    one.stream === other.stream &&
    one.status === other.status &&
    one.errorCode === other.errorCode &&
    one.verdict === other.verdict
  );
}

/** The metrics of this process, counted as calls end and shown at `/metrics`. */
export class Telemetry {
  readonly #calls = new Counter(
    'tollgate_calls_total',
    'Ended calls that passed authentication, by protocol, status, code and verdict.',
  );
  readonly #tokens = new Counter('tollgate_tokens_total', 'Tokens used, by kind (input, output).');
  readonly #duration = new Histogram(
    'tollgate_call_duration_seconds',
    'Time from request to last byte.',
    SECONDS,
  );
  readonly #firstByte = new Histogram('tollgate_time_to_first_byte_seconds', 'Time to first byte.', SECONDS);
  readonly #refusals = new Counter('tollgate_gate_refusals_total', 'Calls refused by the gate, by limit.');
  readonly #attempts = new Counter('tollgate_upstream_attempts_total', 'Attempts, by vendor and outcome.');
  readonly #batches = new Histogram('tollgate_settler_batch_calls', 'Calls settled per batch.', BATCH_SIZES);
  readonly #settled = new Counter('tollgate_calls_settled_total', 'Calls settled in the database.');
  readonly #requests = new Counter('tollgate_platform_requests_total', 'Requests to the platform API.');
  readonly #requestTime = new Histogram(
    'tollgate_platform_request_seconds',
    'Duration of requests to the platform API.',
    SECONDS,
  );
  readonly #loopDelay = monitorEventLoopDelay({ resolution: 20 });
  #observed: Observed | undefined;
  /** Label texts are built once per combination; most calls have the labels of the call before. */
  readonly #labels = new Map<string, CallLabels>();
  /** By vendor and outcome. Both sets are small. */
  readonly #attemptLabels = new Map<string, Map<string, string>>();
  #last: CallRecord | undefined;
  #lastLabels: CallLabels = { call: '', kind: '' };

  constructor() {
    this.#loopDelay.enable();
  }

  observe(observed: Observed): void {
    this.#observed = observed;
  }

  callEnded(record: CallRecord): void {
    const { call, kind } = this.#toLabels(record);
    this.#calls.add(call);
    this.#duration.observe(kind, record.durationMs / 1000);
    if (record.ttfbMs !== null) this.#firstByte.observe(kind, record.ttfbMs / 1000);
    const { usage } = record;
    this.#tokens.add('{kind="input"}', usage.inputFresh + usage.cacheRead + usage.cacheWrite);
    this.#tokens.add('{kind="output"}', usage.outputText + usage.outputReasoning);
  }

  gateRefused(reason: GateRefused['reason']): void {
    this.#refusals.add(`{dimension="${reason}"}`);
  }

  attemptEnded(route: Route, outcome: string): void {
    const vendor = route.vendor.code;
    let byOutcome = this.#attemptLabels.get(vendor);
    if (byOutcome === undefined) {
      byOutcome = new Map();
      this.#attemptLabels.set(vendor, byOutcome);
    }
    let labels = byOutcome.get(outcome);
    if (labels === undefined) {
      labels = labelText({ vendor, outcome });
      byOutcome.set(outcome, labels);
    }
    this.#attempts.add(labels);
  }

  batchSettled(calls: number): void {
    this.#batches.observe('', calls);
    this.#settled.add('', calls);
  }

  /** Endpoints are rows of a table, so the number of labels is bounded. */
  platformEnded(endpoint: string, status: number, durationMs: number): void {
    this.#requests.add(labelText({ endpoint, status: String(status) }));
    this.#requestTime.observe('', durationMs / 1000);
  }

  render(): string {
    return renderMetrics([
      this.#calls,
      this.#tokens,
      this.#duration,
      this.#firstByte,
      this.#refusals,
      this.#attempts,
      this.#batches,
      this.#settled,
      this.#requests,
      this.#requestTime,
      ...this.#gauges(),
    ]);
  }

  close(): void {
    this.#loopDelay.disable();
  }

  #toLabels(record: CallRecord): CallLabels {
    const last = this.#last;
    this.#last = record;
    if (last === undefined || !isAlike(last, record)) this.#lastLabels = this.#findLabels(record);
    return this.#lastLabels;
  }

  #findLabels(record: CallRecord): CallLabels {
    const key = `${record.protocolIn} ${record.stream} ${record.status} ${record.errorCode} ${record.verdict}`;
    let labels = this.#labels.get(key);
    if (labels === undefined) {
      const kind = { protocol: record.protocolIn, stream: String(record.stream) };
      const { status, errorCode, verdict } = record;
      labels = {
        call: labelText({ ...kind, status, code: errorCode ?? '', verdict }),
        kind: labelText(kind),
      };
      this.#labels.set(key, labels);
    }
    return labels;
  }

  #gauges(): Metric[] {
    const observed = this.#observed;
    const memory = process.memoryUsage();
    const own = [
      gauge('process_resident_memory_bytes', 'Resident memory in bytes.', memory.rss),
      gauge('nodejs_heap_used_bytes', 'JavaScript heap in use.', memory.heapUsed),
      gauge(
        'nodejs_eventloop_delay_p99_seconds',
        'Event-loop delay, p99.',
        this.#loopDelay.percentile(99) / 1e9,
      ),
    ];
    if (observed === undefined) return own;
    return [
      ...own,
      ...sharedGauges(observed.sharedGate?.()),
      gauge('tollgate_active_calls', 'Calls that are running.', observed.gate.active),
      gauge('tollgate_active_streams', 'Streams that are running.', observed.inFlight.streams),
      gauge('tollgate_journal_lag_calls', 'Ended calls that are not settled yet.', observed.journal.lag),
      gauge('tollgate_journal_bytes', 'Size of the journal.', observed.journal.bytes),
      gauge(
        'tollgate_credentials_unhealthy',
        'Credentials that a vendor refuses.',
        observed.unhealthyCredentials(),
      ),
      new Gauge(
        'tollgate_breaker_state',
        'Circuit breaker of a route: 0 closed, 1 half open, 2 open.',
        function* () {
          for (const { routeId, state } of observed.breakers()) {
            yield [`{route="${routeId}"}`, BREAKER_VALUES[state]] as const;
          }
        },
      ),
    ];
  }
}

function gauge(name: string, help: string, value: number): Gauge {
  return new Gauge(name, help, () => [['', value]]);
}

function sharedGauges(figures: SharedGateFigures | undefined): Metric[] {
  if (figures === undefined) return [];
  return [
    gauge('tollgate_redis_up', '1 if Redis answers and takes writes, else 0.', figures.up ? 1 : 0),
    gauge('tollgate_gate_queue', 'Ends of calls that wait to be sent to Redis.', figures.queued),
  ];
}
