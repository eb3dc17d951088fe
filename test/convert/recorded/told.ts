import type { Json } from './load.ts';

/** What an answer told, read from the vendor's own JSON without any code of the gateway's. */
export interface Told {
  readonly choices: readonly ToldChoice[];
  readonly usage: Buckets | undefined;
}

export interface ToldChoice {
  /** Texts in their order; `GAP` where something stood that other protocols can only tell in words. */
  readonly words: readonly (string | typeof GAP)[];
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly ToldCall[];
  readonly finish: Reason;
  readonly stopSequence?: string | undefined;
  /** Why it was refused, where the vendor says so beside the text. */
  readonly explanation?: string | undefined;
}

export interface ToldCall {
  readonly name: string;
  readonly id: string;
  /** JSON, or the free text of a custom tool. */
  readonly input: unknown;
  readonly custom: boolean;
}

/** Why the answer ended (rule C-51). */
export type Reason =
  | 'stop'
  | 'stop-sequence'
  | 'tool'
  | 'length'
  | 'context'
  | 'filter'
  | 'refusal'
  | 'pause';

/** Rule C-55: figures that do not overlap. */
export interface Buckets {
  readonly fresh: number;
  readonly read: number;
  readonly write: number;
  readonly tool: number;
  readonly text: number;
  readonly reasoning: number;
}

export const GAP: unique symbol = Symbol('something only its vendor can show');

/** The vendor reported an error where the answer should be. */
export interface ToldError {
  readonly error: string;
}

/** The stream broke off: no terminator, so nothing may be made of it. */
export const BROKEN = 'broken';

export const words = (value: unknown): string => (typeof value === 'string' ? value : '');
export const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
export const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
export const list = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

/** Arguments as JSON; what is none stays the text it is. */
export function parseInput(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {};
  if (value.trim() === '') return {};
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Input includes its caches, output includes reasoning: Chat Completions and Responses. */
export function inclusive(figures: {
  readonly input: unknown;
  readonly output: unknown;
  readonly read: unknown;
  readonly write: unknown;
  readonly reasoning: unknown;
  readonly total: unknown;
}): Buckets | undefined {
  if (typeof figures.input !== 'number' && typeof figures.output !== 'number') return undefined;
  const input = number(figures.input);
  // Some report a part that is larger than its whole.
  const read = Math.min(number(figures.read), input);
  const write = Math.min(number(figures.write), input - read);
  const hidden = number(figures.reasoning);
  const said = number(figures.output);
  // xAI counts reasoning beside the completion, and its total shows it.
  const output = hidden > 0 && figures.total === input + said + hidden ? said + hidden : said;
  const reasoning = Math.min(hidden, output);
  return { fresh: input - read - write, read, write, tool: 0, text: output - reasoning, reasoning };
}
