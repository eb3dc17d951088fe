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
  | `${DialectName}-over-${DialectName}`;
export const MODEL_NAMES = ['bench-json', 'bench-fast', 'bench-short', 'bench-paced'] as const;
export type ModelName = (typeof MODEL_NAMES)[number] | `bench-over-${DialectName}`;

/** A stream opens with its role and closes with the finish reason, the usage and [DONE]. */
export const EVENTS_AROUND_CONTENT = 4;
/** The whole of a paced stream passes during the ramp, so the window sees a steady state. */
const PACED_CHUNKS = 150;
const PACED_CHUNKS_QUICK = 50;
const PACE_MS = 20;

export interface Timing {
  readonly repeats: number;
  readonly warmFirstMs: number;
  readonly warmMs: number;
  readonly measureMs: number;
}

export const TIMING: Timing = { repeats: 3, warmFirstMs: 8000, warmMs: 1000, measureMs: 3500 };
export const TIMING_QUICK: Timing = { repeats: 1, warmFirstMs: 800, warmMs: 800, measureMs: 1200 };

/** Sixteen windows in each repeat; ratios are made within one, so that many short repeats tell more. */
export const TIMING_PAIRS: Timing = { repeats: 5, warmFirstMs: 1200, warmMs: 400, measureMs: 1500 };

export function scenarios(length: 'full' | 'quick'): readonly Scenario[] {
  const pacedChunks = length === 'full' ? PACED_CHUNKS : PACED_CHUNKS_QUICK;
  const json = { model: 'bench-json', streamed: false, contentChunks: 0, paceMs: 0, rampMs: 0 } as const;
  return [
    { ...json, name: 'json-small', requestBytes: 1024, connections: 64 },
    { ...json, name: 'json-1mb', requestBytes: 1024 * 1024, connections: 16 },
    {
      name: 'stream-fast',
      model: 'bench-fast',
      streamed: true,
      requestBytes: 1024,
      connections: 32,
      contentChunks: 500,
      paceMs: 0,
      rampMs: 0,
    },
    {
      name: 'stream-short',
      model: 'bench-short',
      streamed: true,
      requestBytes: 1024,
      connections: 8,
      contentChunks: 50,
      paceMs: 0,
      rampMs: 0,
    },
    {
      name: 'stream-paced',
      model: 'bench-paced',
      streamed: true,
      requestBytes: 1024,
      connections: 300,
      contentChunks: pacedChunks,
      paceMs: PACE_MS,
      rampMs: pacedChunks * PACE_MS,
    },
  ];
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
