import { HEARTBEAT_LIVE_MS } from '../bounds.ts';
import type { Route } from '../catalog/contract.ts';
import type { GateRefused } from '../gate/contract.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { CallRecord } from '../ledger/contract.ts';
import type { CallTrace } from '../open-telemetry/contract.ts';
import { CallMetrics } from './call-metrics.ts';
import { Counter, gaugeOf, Histogram, labelText, type Metric, renderMetrics } from './metrics.ts';
import { ProcessGauges } from './process-gauges.ts';
import { listStateGauges, type Observed } from './state-gauges.ts';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BATCH_SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000];

/** The metrics of this process, counted as calls end and shown at `/metrics`. */
export class Telemetry {
  readonly #calls = new CallMetrics();
  readonly #refusals = new Counter('tollgate_gate_refusals_total', 'Calls refused by the gate, by limit.');
  readonly #attempts = new Counter('tollgate_upstream_attempts_total', 'Attempts, by vendor and outcome.');
  readonly #batches = new Histogram('tollgate_settler_batch_calls', 'Calls settled per batch.', BATCH_SIZES);
  readonly #settled = new Counter('tollgate_calls_settled_total', 'Calls settled in the database.');
  readonly #rejected = new Counter(
    'tollgate_calls_rejected_total',
    'Calls that the database refused; they are not charged.',
  );
  readonly #requests = new Counter('tollgate_platform_requests_total', 'Requests to the platform API.');
  readonly #objects = new Counter(
    'tollgate_endpoint_requests_total',
    'Requests to the gateway that are no calls, by endpoint.',
  );
  readonly #requestTime = new Histogram(
    'tollgate_platform_request_duration_seconds',
    'Duration of requests to the platform API.',
    REQUEST_SECONDS,
  );
  readonly #clock: Clock;
  readonly #process: ProcessGauges;
  #databaseAnsweredAtMs: number;
  #observed: Observed | undefined;
  /** By vendor and outcome. Both sets are small. */
  readonly #attemptLabels = new Map<string, Map<string, string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#process = new ProcessGauges(clock);
    this.#databaseAnsweredAtMs = clock.monotonic();
    // Counters without labels begin with a zero, so that the first increase is seen.
    this.#settled.add('', 0);
    this.#rejected.add('', 0);
  }

  observe(observed: Observed): void {
    this.#observed = observed;
  }

  /** A trace that is not exported leads nowhere. */
  callEnded(record: CallRecord, trace?: CallTrace): void {
    this.#calls.ended(record, trace?.isSampled ? trace.traceId : '');
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

  callsRejected(calls: number): void {
    this.#rejected.add('', calls);
  }

  /** A heartbeat was written. */
  databaseAnswered(): void {
    this.#databaseAnsweredAtMs = this.#clock.monotonic();
  }

  /** Endpoints are rows of a table, so the number of labels is bounded. */
  endpointServed(endpoint: string, status: number): void {
    this.#objects.add(labelText({ endpoint, status: String(status) }));
  }

  /** The same for the platform. */
  platformEnded(endpoint: string, status: number, durationMs: number): void {
    this.#requests.add(labelText({ endpoint, status: String(status) }));
    this.#requestTime.observe('', durationMs / 1000);
  }

  render(): string {
    return renderMetrics([
      ...this.#calls.list(),
      this.#refusals,
      this.#attempts,
      this.#batches,
      this.#settled,
      this.#rejected,
      this.#objects,
      this.#requests,
      this.#requestTime,
      ...this.#gauges(),
    ]);
  }

  close(): void {
    this.#process.close();
  }

  #gauges(): readonly Metric[] {
    const observed = this.#observed;
    if (observed === undefined) return this.#process.list();
    const answersLately = this.#clock.monotonic() - this.#databaseAnsweredAtMs < HEARTBEAT_LIVE_MS;
    return [
      ...listStateGauges(observed),
      gaugeOf(
        'tollgate_database_up',
        '1 if PostgreSQL took a heartbeat lately, else 0.',
        Number(answersLately),
      ),
      ...this.#process.list(),
    ];
  }
}
