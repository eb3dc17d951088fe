/** What is measured: kinds of traffic as plain data, and the requests they send. */
import { CONTENT_CHUNKS, DIALECT_NAMES, DIALECTS, type DialectName } from './convert/dialect.ts';

export interface Scenario {
  readonly name: ScenarioName;
  /** The model name is the marker by which the upstream knows what to answer. */
  readonly model: ModelName;
  readonly streamed: boolean;
  readonly requestBytes: number;
  readonly connections: number;
  /** Chunks of content in one stream; the events around them are counted besides. */
  readonly contentChunks: number;
  readonly paceMs: number;
  /** Connections open evenly over this time, so that paced streams do not all tick at once. */
  readonly rampMs: number;
  /** Calls come at this rate, whatever becomes of them, over as many `connections` as they need at most. */
  readonly ratePerSecond?: number;
  /** Measured in so many repeats only, where a curve needs many points. */
  readonly repeatsMax?: number;
  /** What client and vendor speak, where that is what is measured. */
  readonly pair?: Pair;
}

export interface Pair {
  readonly client: DialectName;
  readonly vendor: DialectName;
}

export type ScenarioName =
  | 'json-small'
  | 'json-1mb'
  | 'stream-fast'
  | 'stream-short'
  | 'stream-paced'
  | 'stream-slow'
  | 'json-open'
  | 'stream-open'
  | `load-${number}`
  | `at-once-${number}`
  | `${DialectName}-over-${DialectName}`;
export const MODEL_NAMES = ['bench-json', 'bench-fast', 'bench-short', 'bench-paced', 'bench-slow'] as const;
export type ModelName = (typeof MODEL_NAMES)[number] | `bench-over-${DialectName}`;

/** A stream opens with its role and closes with the finish reason, the usage and [DONE]. */
export const EVENTS_AROUND_CONTENT = 4;
/** The whole of a paced stream passes during the ramp, so the window sees a steady state. */
const PACED_CHUNKS = 150;
const PACED_CHUNKS_QUICK = 50;
const PACE_MS = 20;
/** With the events around them these are twenty events. */
const SHORT_CHUNKS = 16;

/**
 * In Tollgate a quarter of what one core carries of small JSON, and half of what it does of short streams.
 */
export const JSON_RATE = 1_200;
export const STREAM_RATE = 900;
/** Besides `JSON_RATE`, for the curve of latency over load. */
export const LOAD_RATES = [300, 600, 2_400] as const;
const LOAD_REPEATS = 2;
const OPEN_CONNECTIONS_MAX = 1_024;

/** Slow streams are there to be open: their first events come in the ramp, and they outlast every window. */
const SLOW_PACE_MS = 2_000;
const SLOW_CHUNKS = 500;
const SLOW_RAMP_MS_EACH = 2;
export const AT_ONCE = [1, 8, 64, 512, 2_000] as const;

export interface Timing {
  readonly repeats: number;
  readonly warmFirstMs: number;
  readonly warmMs: number;
  readonly measureMs: number;
}

export const TIMING: Timing = { repeats: 5, warmFirstMs: 8000, warmMs: 1000, measureMs: 3500 };
export const TIMING_QUICK: Timing = { repeats: 1, warmFirstMs: 800, warmMs: 800, measureMs: 1200 };

/** Sixteen windows in each repeat; ratios are made within one, so that many short repeats tell more. */
export const TIMING_PAIRS: Timing = { repeats: 5, warmFirstMs: 1200, warmMs: 400, measureMs: 1500 };

/** Small JSON under one condition after the other. */
export const TIMING_GROWTH: Timing = { repeats: 5, warmFirstMs: 4000, warmMs: 500, measureMs: 2500 };

const JSON_CALL = {
  model: 'bench-json',
  streamed: false,
  requestBytes: 1024,
  contentChunks: 0,
  paceMs: 0,
  rampMs: 0,
} as const;
const STREAM = { streamed: true, requestBytes: 1024, paceMs: 0, rampMs: 0 } as const;

export function scenarios(length: 'full' | 'quick'): readonly Scenario[] {
  const pacedChunks = length === 'full' ? PACED_CHUNKS : PACED_CHUNKS_QUICK;
  const short = { ...STREAM, model: 'bench-short', contentChunks: SHORT_CHUNKS } as const;
  const open = { connections: OPEN_CONNECTIONS_MAX };
  return [
    { ...JSON_CALL, name: 'json-small', connections: 64 },
    { ...JSON_CALL, name: 'json-1mb', requestBytes: 1024 * 1024, connections: 16 },
    { ...STREAM, name: 'stream-fast', model: 'bench-fast', connections: 32, contentChunks: 500 },
    { ...short, name: 'stream-short', connections: 8 },
    {
      ...STREAM,
      name: 'stream-paced',
      model: 'bench-paced',
      connections: 300,
      contentChunks: pacedChunks,
      paceMs: PACE_MS,
      rampMs: pacedChunks * PACE_MS,
    },
    { ...JSON_CALL, ...open, name: 'json-open', ratePerSecond: JSON_RATE },
    { ...short, ...open, name: 'stream-open', ratePerSecond: STREAM_RATE },
    ...LOAD_RATES.map((ratePerSecond) => ({
      ...JSON_CALL,
      ...open,
      name: `load-${ratePerSecond}` as const,
      ratePerSecond,
      repeatsMax: LOAD_REPEATS,
    })),
  ];
}

/** Small JSON with more and more calls at once. */
export function atOnceScenarios(): readonly Scenario[] {
  return AT_ONCE.map((connections) => ({
    ...JSON_CALL,
    name: `at-once-${connections}` as const,
    connections,
    rampMs: connections,
  }));
}

/** So many streams that stay open and say little. */
export function slowStreams(connections: number): Scenario {
  return {
    ...STREAM,
    name: 'stream-slow',
    model: 'bench-slow',
    connections,
    contentChunks: SLOW_CHUNKS,
    paceMs: SLOW_PACE_MS,
    rampMs: connections * SLOW_RAMP_MS_EACH,
  };
}

/** Each client over each vendor: four pairs pass through, twelve are converted. */
export function pairScenarios(): readonly Scenario[] {
  return DIALECT_NAMES.flatMap((vendor) =>
    DIALECT_NAMES.map((client) => ({
      name: `${client}-over-${vendor}` as const,
      model: `bench-over-${vendor}` as const,
      streamed: true,
      requestBytes: 1024,
      connections: 32,
      contentChunks: CONTENT_CHUNKS,
      paceMs: 0,
      rampMs: 0,
      pair: { client, vendor },
    })),
  );
}

const SENTENCE = 'Please look at "the report" of last week;\nit says naïve things about trains → and tolls. ';
/** A long conversation is many messages, not one of a megabyte. */
const MESSAGE_CHARACTERS = 20_000;

/** The body of a call of about `requestBytes`; the marker stands in front, as clients send it. */
export function requestBody(scenario: Scenario): Buffer {
  const { pair, model, requestBytes } = scenario;
  if (pair !== undefined) {
    const prompt = SENTENCE.repeat(MESSAGE_CHARACTERS / SENTENCE.length).slice(0, requestBytes);
    return Buffer.from(JSON.stringify(DIALECTS[pair.client].requestBody(model, prompt)));
  }
  return chatBody(scenario);
}

function chatBody(scenario: Scenario): Buffer {
  const streaming = scenario.streamed ? { stream: true, stream_options: { include_usage: true } } : {};
  const body = { model: scenario.model, ...streaming, max_tokens: 256, temperature: 0.7 };
  const messages = [{ role: 'system', content: 'You are a helpful assistant.' }];
  let missing = scenario.requestBytes - Buffer.byteLength(JSON.stringify({ ...body, messages }));
  while (missing > 100) {
    const role = messages.length % 2 === 1 ? 'user' : 'assistant';
    const content = SENTENCE.repeat(MESSAGE_CHARACTERS / SENTENCE.length).slice(0, missing - 60);
    messages.push({ role, content });
    missing = scenario.requestBytes - Buffer.byteLength(JSON.stringify({ ...body, messages }));
  }
  return Buffer.from(JSON.stringify({ ...body, messages }));
}
