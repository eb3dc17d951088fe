import type { Attributes, Histogram, Meter } from '@opentelemetry/api';
import { inputTokens, outputTokens } from '../kernel/usage.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { attemptAttributes, attemptError } from './gen-ai.ts';
import type { TracedAttempt } from './traced-attempt.ts';

/** Buckets are those of the conventions. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];
const FIRST_TOKEN_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const TOKEN_SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];

/**
 * The metrics of the conventions for generative AI. As a client of vendors Tollgate measures each attempt; as
 * a server it measures calls that reached a vendor.
 */
export class CallInstruments {
  readonly #attemptTime: Histogram;
  readonly #tokens: Histogram;
  readonly #firstChunk: Histogram;
  readonly #callTime: Histogram;
  readonly #firstToken: Histogram;
  readonly #tokenTime: Histogram;

  constructor(meter: Meter) {
    const seconds = (name: string, description: string, bounds: number[]): Histogram =>
      meter.createHistogram(name, {
        description,
        unit: 's',
        advice: { explicitBucketBoundaries: bounds },
      });
    this.#attemptTime = seconds('gen_ai.client.operation.duration', 'GenAI operation duration.', SECONDS);
    this.#firstChunk = seconds(
      'gen_ai.client.operation.time_to_first_chunk',
      'Time to receive the first chunk of a stream.',
      SECONDS,
    );
    this.#callTime = seconds('gen_ai.server.request.duration', 'Time from request to last byte.', SECONDS);
    this.#firstToken = seconds(
      'gen_ai.server.time_to_first_token',
      'Time from request to the first event of a stream.',
      FIRST_TOKEN_SECONDS,
    );
    this.#tokenTime = seconds(
      'gen_ai.server.time_per_output_token',
      'Time per output token after the first one, of complete streams.',
      TOKEN_SECONDS,
    );
    this.#tokens = meter.createHistogram('gen_ai.client.token.usage', {
      description: 'Number of input and output tokens used.',
      unit: '{token}',
      advice: { explicitBucketBoundaries: TOKENS },
    });
  }

  ended(record: CallRecord, attempts: readonly TracedAttempt[], errorType: string | undefined): void {
    for (const { route, protocol, outcome, startedAtMs, endedAtMs } of attempts) {
      const attributes = withError(attemptAttributes(route, protocol), attemptError(outcome));
      this.#attemptTime.record((endedAtMs - startedAtMs) / 1000, attributes);
    }
    const last = attempts.at(-1);
    if (last === undefined) return;
    const attributes = attemptAttributes(last.route, last.protocol);
    const { usage, durationMs, ttfbMs, stream, createdAtMs } = record;
    this.#countTokens('input', inputTokens(usage), attributes);
    this.#countTokens('output', outputTokens(usage), attributes);
    this.#callTime.record(durationMs / 1000, withError(attributes, errorType));
    if (!stream || ttfbMs === null) return;
    this.#firstToken.record(ttfbMs / 1000, attributes);
    const firstChunkMs = createdAtMs + ttfbMs - last.startedAtMs;
    if (firstChunkMs >= 0) this.#firstChunk.record(firstChunkMs / 1000, attributes);
    const later = outputTokens(usage) - 1;
    if (record.verdict === 'complete' && later > 0) {
      this.#tokenTime.record((durationMs - ttfbMs) / 1000 / later, attributes);
    }
  }

  #countTokens(type: 'input' | 'output', tokens: number, attributes: Attributes): void {
    if (tokens > 0) this.#tokens.record(tokens, { ...attributes, 'gen_ai.token.type': type });
  }
}

function withError(attributes: Attributes, errorType: string | undefined): Attributes {
  return errorType === undefined ? attributes : { ...attributes, 'error.type': errorType };
}
