import type { Protocol } from '../../src/kernel/protocol-name.ts';
import { isObject, type Json } from './lax-json.ts';

/** What the gateway decides by, as somebody read it in a request. */
export interface Reading {
  /** Nothing where the path names it and the body does not. */
  readonly model: string | undefined;
  readonly stream: boolean;
  readonly answers: number;
  readonly outputMax: number | undefined;
  /** Streams of chats and completions: whether the vendor is asked for its usage. */
  readonly usage: boolean;
}

/** Nothing in the body of these starts a stream. */
const UNSTREAMED: ReadonlySet<Protocol> = new Set([
  ...(['gemini', 'embeddings', 'gemini-embeddings', 'moderations', 'rerank', 'speech'] as const),
  'videos',
]);

const LIMITS: Readonly<Record<Protocol, readonly string[]>> = {
  chat: ['max_tokens', 'max_completion_tokens'],
  responses: ['max_output_tokens'],
  messages: ['max_tokens'],
  images: [],
  embeddings: [],
  'gemini-embeddings': [],
  moderations: [],
  rerank: [],
  completions: ['max_tokens'],
  speech: [],
  transcriptions: [],
  videos: [],
  gemini: ['generationConfig', 'generation_config'].flatMap((config) => [
    `${config}.maxOutputTokens`,
    `${config}.max_output_tokens`,
  ]),
};

const COUNTS: Readonly<Record<Protocol, readonly string[]>> = {
  chat: ['n'],
  responses: [],
  messages: [],
  images: ['n'],
  embeddings: [],
  'gemini-embeddings': [],
  moderations: [],
  rerank: [],
  completions: ['n', 'best_of'],
  speech: [],
  transcriptions: [],
  videos: ['n'],
  gemini: ['generationConfig', 'generation_config'].flatMap((config) => [
    `${config}.candidateCount`,
    `${config}.candidate_count`,
  ]),
};

/** What a reader makes of a body, given how it looks up a path. Flags and figures are taken most laxly. */
export function readingOf(protocol: Protocol, at: (path: string) => Json | undefined): Reading {
  const model = at('model');
  const stream = !UNSTREAMED.has(protocol) && isOn(at('stream'));
  return {
    model: model === undefined || model === null ? undefined : String(model),
    stream,
    answers: Math.max(1, ...COUNTS[protocol].map((path) => figureOf(at(path)) ?? 1)),
    outputMax: limitOf(LIMITS[protocol].map((path) => figureOf(at(path)))),
    usage:
      (protocol === 'chat' || protocol === 'completions') &&
      stream &&
      isOn(at('stream_options.include_usage')),
  };
}

/** By exact keys. */
export function lookUp(value: Json): (path: string) => Json | undefined {
  return (path) => {
    let at: Json | undefined = value;
    for (const key of path.split('.')) at = isObject(at) ? at[key] : undefined;
    return at;
  };
}

function isOn(value: Json | undefined): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(?:true|1|on|yes)$/i.test(value));
}

function figureOf(value: Json | undefined): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return Math.floor(Number(value));
}

/** Who reads a limit of nothing or less reads none. */
function limitOf(figures: readonly (number | undefined)[]): number | undefined {
  const given = figures.filter((figure) => figure !== undefined);
  if (given.length === 0 || given.some((figure) => !(figure > 0))) return undefined;
  return Math.max(...given);
}
