import type { Json } from './conversation.ts';

const EVENTS_MAX = 2_000;
const CHARS_MAX = 400_000;
const LONG_TEXT = 2_000;

/** One request and its answer as they were sent. The key is not in it. */
export interface Exchange {
  readonly path: string;
  readonly requestHeaders: readonly (readonly [string, string])[];
  readonly requestBody: string;
  readonly status: number;
  readonly responseHeaders: readonly (readonly [string, string])[];
  /** The events of a stream, or one text. */
  readonly received: readonly string[];
  /** More came than is shown. */
  readonly isCut: boolean;
}

/** JSON to read: long texts such as pictures are shortened, nothing else is. */
export function readable(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, each) =>
      typeof each === 'string' && each.length > LONG_TEXT
        ? `${each.slice(0, 80)}… (${each.length} characters)`
        : each,
    2,
  );
}

export function beginExchange(path: string, body: Json | undefined, type = 'application/json'): Exchange {
  return {
    path,
    requestHeaders: [
      ['authorization', 'Bearer $TOLLGATE_KEY'],
      ['content-type', type],
    ],
    requestBody: body === undefined ? '' : readable(body),
    status: 0,
    responseHeaders: [],
    received: [],
    isCut: false,
  };
}

export function withHead(exchange: Exchange, response: Response): Exchange {
  return { ...exchange, status: response.status, responseHeaders: [...response.headers] };
}

/** Gathers what comes, up to a bound. */
export class Received {
  readonly #texts: string[] = [];
  #chars = 0;
  isCut = false;

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  take(text: string): void {
    const shown = text.length > 20_000 ? shorten(text) : text;
    this.isCut ||= this.#texts.length >= EVENTS_MAX || this.#chars + shown.length > CHARS_MAX;
    if (this.isCut) return;
    this.#texts.push(shown);
    this.#chars += shown.length;
  }
}

function shorten(text: string): string {
  try {
    return readable(JSON.parse(text));
  } catch {
    return `${text.slice(0, LONG_TEXT)}…`;
  }
}
