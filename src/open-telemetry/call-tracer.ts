import type { IncomingHttpHeaders } from 'node:http';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type TextMapSetter,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Route } from '../catalog/contract.ts';
import type { LentBytes } from '../kernel/encoding/lent-bytes.ts';
import { formatMicro } from '../kernel/money.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { totalTokens } from '../kernel/usage.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { AnswerWords } from './answer-words.ts';
import type { CallInstruments } from './call-instruments.ts';
import type { CallTrace, CallTracer, TracedStart } from './contract.ts';
import {
  attemptAttributes,
  attemptError,
  attemptStatus,
  httpRouteOf,
  operationOf,
  placeOf,
  usageAttributes,
} from './gen-ai.ts';
import type { TracedAttempt } from './traced-attempt.ts';

export interface TracerParts {
  readonly tracer: Tracer;
  readonly instruments: CallInstruments;
  readonly clock: Clock;
  /** Whether vendors get the trace context. */
  readonly passOn: boolean;
  /** Gets an error of the packages or of ours. No call fails by one. */
  readonly failed: (error: unknown) => void;
}

const propagator = new W3CTraceContextPropagator();

const HEADERS: TextMapGetter<IncomingHttpHeaders> = {
  get: (headers, name) => headers[name],
  keys: (headers) => Object.keys(headers),
};

const PAIRS: TextMapSetter<string[]> = {
  set: (pairs, name, value) => {
    if (value !== '') pairs.push(name, value);
  },
};

/** Spans get their ids when call and attempt begin, and everything else when the call has ended. */
export function createCallTracer(parts: TracerParts): CallTracer {
  return {
    begin: (start, headers) => {
      try {
        return new TracedCall(start, headers, parts);
      } catch (error) {
        parts.failed(error);
        return undefined;
      }
    },
  };
}

class TracedCall implements CallTrace {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  readonly #parts: TracerParts;
  readonly #start: TracedStart;
  readonly #span: Span;
  readonly #context: Context;
  readonly #attempts: TracedAttempt[] = [];

  constructor(start: TracedStart, headers: IncomingHttpHeaders, parts: TracerParts) {
    this.#parts = parts;
    this.#start = start;
    const parent = propagator.extract(ROOT_CONTEXT, headers, HEADERS);
    const httpRoute = httpRouteOf(start.endpoint);
    this.#span = parts.tracer.startSpan(
      `POST ${httpRoute}`,
      {
        kind: SpanKind.SERVER,
        startTime: start.createdAtMs,
        attributes: {
          'gen_ai.operation.name': operationOf(start.endpoint.protocol),
          'http.request.method': 'POST',
          'http.route': httpRoute,
        },
      },
      parent,
    );
    this.#context = trace.setSpan(parent, this.#span);
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  attemptBegan(route: Route, protocol: Protocol): void {
    this.#safely(() => {
      const startedAtMs = this.#now();
      const attributes = attemptAttributes(route, protocol);
      const span = this.#parts.tracer.startSpan(
        `${attributes['gen_ai.operation.name']} ${route.forwardModelId}`,
        { kind: SpanKind.CLIENT, startTime: startedAtMs, attributes },
        this.#context,
      );
      const words = new AnswerWords(protocol, route.forwardModelId);
      this.#attempts.push({ span, route, protocol, words, startedAtMs, endedAtMs: 0, outcome: '' });
    });
  }

  passOn(headers: string[]): void {
    const attempt = this.#attempts.at(-1);
    if (!this.#parts.passOn || attempt === undefined) return;
    this.#safely(() => propagator.inject(trace.setSpan(this.#context, attempt.span), headers, PAIRS));
  }

  answerArrived(bytes: LentBytes): void {
    // No function here: this code runs for every piece of an answer.
    try {
      if (this.isSampled) this.#attempts.at(-1)?.words.look(bytes);
    } catch (error) {
      this.#parts.failed(error);
    }
  }

  attemptEnded(outcome: string): void {
    const attempt = this.#attempts.at(-1);
    if (attempt === undefined || attempt.outcome !== '') return;
    attempt.endedAtMs = this.#now();
    attempt.outcome = outcome;
  }

  ended(record: CallRecord): void {
    this.#safely(() => {
      const attempts = this.#attempts.filter(({ outcome }) => outcome !== '');
      const errorType = callError(record);
      this.#parts.instruments.ended(record, attempts, errorType);
      if (!this.#span.isRecording()) return;
      for (const [index, attempt] of attempts.entries()) {
        endAttemptSpan(attempt, index, attempt === this.#attempts.at(-1) ? record : undefined);
      }
      this.#span.setAttributes(callAttributes(record, attempts.at(-1)));
      if (errorType !== undefined) fail(this.#span, errorType);
      this.#span.end(this.#now());
    });
  }

  /** The time of the call's clock, so that a change of the system's time does not reorder spans. */
  #now(): number {
    return this.#start.createdAtMs + this.#parts.clock.monotonic() - this.#start.startedAt;
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.failed(error);
    }
  }
}

/** `record` for the last attempt: the usage of a call is that of the attempt that served it. */
function endAttemptSpan(attempt: TracedAttempt, index: number, record: CallRecord | undefined): void {
  const { span, outcome, route, words, startedAtMs, endedAtMs } = attempt;
  const status = attemptStatus(outcome);
  const error = attemptError(outcome);
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (index > 0) span.setAttribute('http.request.resend_count', index);
  span.setAttributes({ 'tollgate.route.id': route.id, 'tollgate.vendor': route.vendor.code });
  if (record !== undefined && (error === undefined || totalTokens(record.usage) > 0)) {
    span.setAttributes({ ...answerAttributes(record, startedAtMs), ...wordAttributes(words) });
  }
  if (error !== undefined) fail(span, error);
  span.end(endedAtMs);
}

function answerAttributes(record: CallRecord, startedAtMs: number): Attributes {
  const { usage, stream, ttfbMs, createdAtMs, protocolIn } = record;
  const firstChunkMs = ttfbMs === null ? -1 : createdAtMs + ttfbMs - startedAtMs;
  return {
    ...usageAttributes(usage),
    'gen_ai.request.stream': stream,
    ...(protocolIn === 'images' && { 'gen_ai.output.type': 'image' }),
    ...(protocolIn === 'speech' && { 'gen_ai.output.type': 'speech' }),
    ...(protocolIn === 'videos' && { 'gen_ai.output.type': 'video' }),
    ...(stream && firstChunkMs >= 0 && { 'gen_ai.response.time_to_first_chunk': firstChunkMs / 1000 }),
  };
}

function wordAttributes({ reasons, model }: AnswerWords): Attributes {
  return {
    ...(reasons.length > 0 && { 'gen_ai.response.finish_reasons': reasons }),
    ...(model !== undefined && { 'gen_ai.response.model': model }),
  };
}

/** Without a route the model is the text of the client, and left out. */
function callAttributes(record: CallRecord, last: TracedAttempt | undefined): Attributes {
  const { status, errorCode, verdict, stream } = record;
  return {
    ...(verdict !== 'cut-by-client' && { 'http.response.status_code': status }),
    ...(last !== undefined && {
      'gen_ai.provider.name': placeOf(last.route).provider,
      'gen_ai.request.model': record.modelUsed,
      ...usageAttributes(record.usage),
      ...wordAttributes(last.words),
    }),
    'gen_ai.request.stream': stream,
    'tollgate.call.id': record.callId,
    'tollgate.account.id': record.accountId,
    'tollgate.key.id': record.keyId,
    'tollgate.verdict': verdict,
    'tollgate.payer': record.payer,
    'tollgate.attempts': record.attempts.length,
    'tollgate.usage.estimated': record.estimated,
    'tollgate.charged_credits': Number(formatMicro(record.chargeMicro)),
    ...(errorCode !== null && { 'tollgate.error.code': errorCode }),
  };
}

/** As for servers in general: a 4xx is the client's error, not ours. */
function callError({ status, verdict }: CallRecord): string | undefined {
  if (verdict === 'cut-by-upstream' || verdict === 'cut-by-gateway') return verdict;
  return status >= 500 ? String(status) : undefined;
}

function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
}
