import type { LentBytes } from '../kernel/encoding/lent-bytes.ts';
import type { Protocol } from '../kernel/protocol-name.ts';

/** Where a protocol says why an answer ended, and which model gave it. */
const KEYS: Readonly<Record<Protocol, { readonly reason: Buffer; readonly model: Buffer }>> = {
  chat: keys('finish_reason', 'model'),
  responses: keys('status', 'model'),
  messages: keys('stop_reason', 'model'),
  gemini: keys('finishReason', 'modelVersion'),
  images: keys('finish_reason', 'model'),
  embeddings: keys('finish_reason', 'model'),
  moderations: keys('finish_reason', 'model'),
  rerank: keys('finish_reason', 'model'),
  completions: keys('finish_reason', 'model'),
  speech: keys('finish_reason', 'model'),
  transcriptions: keys('finish_reason', 'model'),
  videos: keys('finish_reason', 'model'),
  'gemini-embeddings': keys('finishReason', 'modelVersion'),
};

function keys(reason: string, model: string): { readonly reason: Buffer; readonly model: Buffer } {
  return { reason: Buffer.from(`"${reason}"`), model: Buffer.from(`"${model}"`) };
}

/** All that vendors document. No other text is ever taken from an answer as a reason. */
const REASONS = new Set([
  ...['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
  ...['completed', 'incomplete', 'failed', 'cancelled'],
  ...['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal'],
  ...['model_context_window_exceeded', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'LANGUAGE', 'OTHER'],
  ...['BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'NO_IMAGE', 'TOO_MANY_TOOL_CALLS'],
]);

const REASONS_MAX = 16;
/** Beyond its key a value is looked for within so many bytes. */
const VALUE_BYTES_MAX = 160;
const VALUE = /^[ \t\r\n]{0,8}:[ \t\r\n]{0,8}"([\w./:@-]{1,100})"/;

/**
 * Finds why an answer ended and which model gave it, in the vendor's bytes as they arrive. Keys within the
 * strings of an answer are escaped and not found. A value is taken only if it cannot be a text of somebody: a
 * reason that vendors document, or a name that begins like the one that was asked for. What is split between
 * two pieces is missed.
 */
export class AnswerWords {
  readonly reasons: string[] = [];
  model: string | undefined;
  readonly #keys: { readonly reason: Buffer; readonly model: Buffer };
  readonly #protocol: Protocol;
  readonly #asked: string;

  constructor(protocol: Protocol, asked: string) {
    this.#keys = KEYS[protocol];
    this.#protocol = protocol;
    this.#asked = asked;
  }

  look(bytes: LentBytes): void {
    if (this.model === undefined) this.model = this.#findModel(bytes);
    const { reason: key } = this.#keys;
    for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + key.length)) {
      const reason = valueAt(bytes, at + key.length);
      if (reason !== undefined && REASONS.has(reason)) this.#take(reason);
    }
  }

  /** A response says its status again with each of its items: the last word counts. */
  #take(reason: string): void {
    if (this.#protocol === 'responses') this.reasons.length = 0;
    if (this.reasons.length < REASONS_MAX) this.reasons.push(reason);
  }

  #findModel(bytes: LentBytes): string | undefined {
    const { model: key } = this.#keys;
    const at = bytes.indexOf(key);
    const name = at < 0 ? undefined : valueAt(bytes, at + key.length);
    if (name === undefined) return undefined;
    return name.startsWith(this.#asked) || this.#asked.startsWith(name) ? name : undefined;
  }
}

function valueAt(bytes: LentBytes, start: number): string | undefined {
  return VALUE.exec(bytes.toString('latin1', start, start + VALUE_BYTES_MAX))?.[1];
}
