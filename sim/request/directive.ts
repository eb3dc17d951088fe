import type { IncomingHttpHeaders } from 'node:http';
import { OUTPUT_TOKENS_MAX, PAUSE_MS_MAX } from '../bounds.ts';

/**
 * What a test asks of the simulator, written into the prompt because the prompt travels through any gateway:
 * `[[sim tag=abc tokens=120 fault=reset@12]]`. README.md has the list.
 */
export interface Directive {
  readonly tag: string;
  readonly tokens?: number;
  readonly thinking?: number;
  /** How long reasoning that nobody sees takes, behind the headers. */
  readonly thinkMs: number;
  /** Tools to call, in parallel. */
  readonly tools: readonly string[];
  /** What each of them is called with, exactly; without it a value that fits its schema is made up. */
  readonly callArguments?: string;
  /** Rounds of tool calls before the text. */
  readonly steps: number;
  readonly ending?: Ending;
  /** The connection ends without a terminator after so many output tokens. */
  readonly cutTokens?: number;
  readonly faults: readonly FaultCall[];
  readonly usage: UsageVariant;
  readonly seed?: number;
  readonly chunkTokens: number;
  readonly paceMs?: number;
  readonly delayMs: number;
  readonly cached: number;
  readonly cacheWrite: number;
  /** The vendor reads what this key has sent before from its cache. */
  readonly promptCache: 'off' | 'on';
  readonly unicode: 'plain' | 'unicode';
  /** A vendor that makes more than the request allows. */
  readonly outputBound: 'kept' | 'ignored';
  /** Anthropic's thinking comes without text. */
  readonly thoughts: 'signed' | 'redacted';
  /** The word with which Google says why the answer ended, in place of the fitting one. */
  readonly finishReason?: string;
  /** Where Google's stream has the signature of an answer without calls. */
  readonly signature: 'behind-words' | 'on-words';
}

export interface FaultCall {
  readonly name: string;
  readonly at?: number;
  /** `@12t`: the place is behind so many output tokens, not at an event. */
  readonly unit?: 'tokens';
  /** What follows a second colon: milliseconds, a count or an address. */
  readonly value?: string;
}

export const ENDINGS = ['refuse', 'filter', 'length', 'pause'] as const;
export type Ending = (typeof ENDINGS)[number];

export const USAGE_VARIANTS = [
  'exact',
  'none',
  'null',
  'wrong-type',
  'negative',
  'huge',
  'repeated',
  'late',
  'corrected',
] as const;
export type UsageVariant = (typeof USAGE_VARIANTS)[number];

const MARK = /\[\[sim ([^\]]{0,2000})\]\]/g;
const HEADER_PREFIX = 'x-sim-';

/** The last directive in the text wins; headers win over it, rules of the script over both. */
export function findDirective(text: string, headers: IncomingHttpHeaders, script: string): Directive {
  const last = [...text.matchAll(MARK)].at(-1)?.[1] ?? '';
  const named = Object.entries(headers)
    .filter(([name, value]) => name.startsWith(HEADER_PREFIX) && typeof value === 'string')
    .map(([name, value]) => `${name.slice(HEADER_PREFIX.length)}=${String(value)}`);
  return parseDirective(`${last} ${named.join(' ')} ${script}`);
}

export function parseDirective(text: string): Directive {
  const words = new Map<string, string>();
  const faults: FaultCall[] = [];
  for (const word of text.split(/\s+/).filter((piece) => piece !== '')) {
    const [name = '', ...rest] = word.split('=');
    if (name === 'fault') faults.push(...rest.join('=').split(',').map(parseFault));
    else if (LINE_ENDS.has(name)) faults.push({ name });
    else words.set(name, rest.join('='));
  }
  // A million tiny events are an answer of a million tokens.
  const tiny = faults.find(({ name }) => name === 'tiny-events');
  if (tiny !== undefined) words.set('tokens', String(tiny.at ?? 1_000_000));
  return { ...readWords(words), faults };
}

const LINE_ENDS = new Set(['crlf', 'cr', 'mixed', 'bom', 'split']);

function readWords(words: ReadonlyMap<string, string>): Omit<Directive, 'faults'> {
  const tokens = whole(words, 'tokens', OUTPUT_TOKENS_MAX);
  const thinking = whole(words, 'thinking', OUTPUT_TOKENS_MAX);
  const cutTokens = whole(words, 'cut', OUTPUT_TOKENS_MAX);
  const seed = whole(words, 'seed', Number.MAX_SAFE_INTEGER);
  const paceMs = whole(words, 'pace', PAUSE_MS_MAX);
  const ending = ENDINGS.find((name) => words.has(name));
  const callArguments = decoded(words.get('args'));
  return {
    tag: words.get('tag') ?? '',
    tools: (words.get('tool') ?? '').split(',').filter((name) => name !== ''),
    steps: whole(words, 'steps', 100) ?? 1,
    usage: USAGE_VARIANTS.find((name) => name === words.get('usage')) ?? 'exact',
    chunkTokens: Math.max(1, whole(words, 'chunk', OUTPUT_TOKENS_MAX) ?? 1),
    delayMs: whole(words, 'delay', PAUSE_MS_MAX) ?? 0,
    thinkMs: whole(words, 'thinkms', PAUSE_MS_MAX) ?? 0,
    cached: whole(words, 'cached', OUTPUT_TOKENS_MAX) ?? 0,
    cacheWrite: whole(words, 'cachewrite', OUTPUT_TOKENS_MAX) ?? 0,
    promptCache: words.has('promptcache') ? 'on' : 'off',
    unicode: words.has('unicode') ? 'unicode' : 'plain',
    outputBound: words.has('unbounded') ? 'ignored' : 'kept',
    thoughts: words.has('redacted') ? 'redacted' : 'signed',
    signature: words.has('signwords') ? 'on-words' : 'behind-words',
    ...(tokens === undefined ? {} : { tokens }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(cutTokens === undefined ? {} : { cutTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(paceMs === undefined ? {} : { paceMs }),
    ...(ending === undefined ? {} : { ending }),
    ...(words.has('finish') ? { finishReason: words.get('finish') ?? '' } : {}),
    ...(callArguments === undefined ? {} : { callArguments }),
  };
}

/** `reset@12`, `reset@12t`, `pause@5:31000`, `status@429:retry-after=10`, `html`. */
export function parseFault(text: string): FaultCall {
  const match = /^([a-z0-9-]{1,40})(?:@(\d{1,9})(t)?)?(?::(.{0,500}))?$/.exec(text);
  if (match === null) return { name: text };
  const [, name = '', at, unit, value] = match;
  return {
    name,
    ...(at === undefined ? {} : { at: Number(at) }),
    ...(unit === undefined ? {} : { unit: 'tokens' as const }),
    ...(value === undefined ? {} : { value }),
  };
}

/** A word has no spaces and no brackets, so what has them is written with percent signs, as in an address. */
export function encodeWord(text: string): string {
  return text.replace(/[\s%[\]]/g, encodeURIComponent);
}

function decoded(word: string | undefined): string | undefined {
  try {
    return word === undefined ? undefined : decodeURIComponent(word);
  } catch {
    return undefined;
  }
}

function whole(words: ReadonlyMap<string, string>, name: string, max: number): number | undefined {
  const text = words.get(name);
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  return Math.min(Number(text), max);
}
