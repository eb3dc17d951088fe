import type { CallRecord } from '../ledger/contract.ts';
import type { ExemplarCall } from './exemplars.ts';
import {
  type CountedSeries,
  Counter,
  Histogram,
  type HistogramSeries,
  LABEL_SETS_MAX,
  labelText,
  type Metric,
  MoneyCounter,
  type MoneySeries,
} from './metrics.ts';

const DURATION_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
const FIRST_TOKEN_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const TOKENS_PER_SECOND = [1, 2.5, 5, 10, 20, 30, 50, 75, 100, 150, 250, 500, 1000, 2500];

/** The series of the calls of one model, vendor and protocol, streamed or not. */
interface RouteSeries {
  readonly input: CountedSeries;
  readonly output: CountedSeries;
  readonly charged: MoneySeries;
  readonly duration: HistogramSeries;
  /** Only of streams with a route. */
  readonly firstToken: HistogramSeries | undefined;
  /** Only with a route. */
  readonly speed: HistogramSeries | undefined;
}

/**
 * What is counted at the end of each call. Most calls have the labels of the call before; the series of
 * others are found by one Map look-up. No label is a text of a client: the model and the vendor are those of
 * the route, and empty for a call without one.
 */
export class CallMetrics {
  readonly #calls = new Counter(
    'tollgate_calls_total',
    'Ended calls that passed authentication, by protocol, status, code and verdict.',
  );
  readonly #tokens = new Counter(
    'tollgate_tokens_total',
    'Tokens used, by kind (input, output), model and vendor.',
  );
  readonly #charged = new MoneyCounter(
    'tollgate_charged_credits_total',
    'Credits that ended calls cost, by model and vendor.',
  );
  readonly #duration = new Histogram(
    'tollgate_call_duration_seconds',
    'Time from request to last byte.',
    DURATION_SECONDS,
  );
  readonly #firstToken = new Histogram(
    'tollgate_time_to_first_token_seconds',
    'Streams: time from request to the first event of the answer.',
    FIRST_TOKEN_SECONDS,
  );
  readonly #speed = new Histogram(
    'tollgate_output_tokens_per_second',
    'Complete answers: output tokens per second, of streams from their first event on.',
    TOKENS_PER_SECOND,
  );
  readonly #outcomes = new Map<string, CountedSeries>();
  readonly #routes = new Map<string, RouteSeries>();
  #last: CallRecord | undefined;
  #outcome: CountedSeries = { value: 0 };
  #route: RouteSeries | undefined;
  /** The call that is counted now: one object for all of them. */
  readonly #counted: ExemplarCall = { callId: '', traceId: '', endedAtMs: 0 };

  /** `traceId` is '' for a call without a sampled trace. */
  ended(record: CallRecord, traceId = ''): void {
    const last = this.#last;
    this.#last = record;
    if (last === undefined || !hasSameOutcome(last, record)) this.#outcome = this.#findOutcome(record);
    this.#outcome.value += 1;
    let route = this.#route;
    if (route === undefined || last === undefined || !hasSameRoute(last, record)) {
      route = this.#findRoute(record);
      this.#route = route;
    }
    const counted = this.#counted;
    counted.callId = record.callId;
    counted.traceId = traceId;
    counted.endedAtMs = record.createdAtMs + record.durationMs;
    countInto(route, record, counted);
  }

  list(): readonly Metric[] {
    return [this.#calls, this.#tokens, this.#charged, this.#duration, this.#firstToken, this.#speed];
  }

  #findOutcome(record: CallRecord): CountedSeries {
    const { protocolIn, stream, status, errorCode, verdict } = record;
    const key = `${protocolIn} ${stream} ${status} ${errorCode} ${verdict}`;
    let series = this.#outcomes.get(key);
    if (series === undefined) {
      const labels = { protocol: protocolIn, stream: String(stream), status, code: errorCode ?? '', verdict };
      series = this.#calls.series(labelText(labels));
      remember(this.#outcomes, key, series);
    }
    return series;
  }

  #findRoute(record: CallRecord): RouteSeries {
    const { model, vendor } = routeOf(record);
    const key = `${model} ${vendor} ${record.protocolIn} ${record.stream}`;
    let series = this.#routes.get(key);
    if (series === undefined) {
      const isRouted = record.routeId !== null;
      const labels = labelText({
        ...{ model, vendor, protocol: record.protocolIn },
        stream: String(record.stream),
      });
      series = {
        input: this.#tokens.series(labelText({ kind: 'input', model, vendor })),
        output: this.#tokens.series(labelText({ kind: 'output', model, vendor })),
        charged: this.#charged.series(labelText({ model, vendor })),
        duration: this.#duration.series(labels),
        firstToken: isRouted && record.stream ? this.#firstToken.series(labels) : undefined,
        speed: isRouted ? this.#speed.series(labels) : undefined,
      };
      remember(this.#routes, key, series);
    }
    return series;
  }
}

function countInto(route: RouteSeries, record: CallRecord, counted: ExemplarCall): void {
  const { usage, durationMs, ttfbMs, stream } = record;
  const output = usage.outputText + usage.outputReasoning;
  route.input.value += usage.inputFresh + usage.cacheRead + usage.cacheWrite;
  route.output.value += output;
  if (record.chargeMicro > 0n) route.charged.sumMicro += record.chargeMicro;
  route.duration.observe(durationMs / 1000, counted);
  if (ttfbMs === null) return;
  route.firstToken?.observe(ttfbMs / 1000, counted);
  const writingMs = stream ? durationMs - ttfbMs : durationMs;
  if (record.verdict === 'complete' && output > 0 && writingMs > 0) {
    route.speed?.observe((output * 1000) / writingMs, counted);
  }
}

/** Without a route the model is the text of the client. */
function routeOf({ routeId, modelUsed, vendor }: CallRecord): {
  readonly model: string;
  readonly vendor: string;
} {
  return routeId === null ? NO_ROUTE : { model: modelUsed, vendor: vendor ?? '' };
}

const NO_ROUTE = { model: '', vendor: '' };

function hasSameOutcome(one: CallRecord, other: CallRecord): boolean {
  return (
    one.protocolIn === other.protocolIn &&
    one.stream === other.stream &&
    one.status === other.status &&
    one.errorCode === other.errorCode &&
    one.verdict === other.verdict
  );
}

function hasSameRoute(one: CallRecord, other: CallRecord): boolean {
  return (
    one.routeId === other.routeId &&
    one.modelUsed === other.modelUsed &&
    one.vendor === other.vendor &&
    one.protocolIn === other.protocolIn &&
    one.stream === other.stream
  );
}

/** The metrics keep the series. Names that a catalogue had long ago need not be remembered here too. */
function remember<Series>(known: Map<string, Series>, key: string, series: Series): void {
  if (known.size >= LABEL_SETS_MAX) known.clear();
  known.set(key, series);
}
