import { JSON_DEPTH_MAX, RESPONSE_BODY_BYTES_MAX } from '../../../bounds.ts';
import { endOfString, type JsonBounds, parseJson } from '../../../kernel/encoding/json.ts';
import type { Sliced } from '../../bytes/slices.ts';

/**
 * JSON for conversions: ordinary values, except under keys whose values must keep their spelling (schemas and
 * tool arguments: key order, large integers, `1.0`). Those stay raw text.
 */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | RawJson
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** JSON text that is written unchanged. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson);
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** For a single string or literal. Bodies are limited before they come here. */
const WORD_BOUNDS: JsonBounds = { bytesMax: RESPONSE_BODY_BYTES_MAX, depthMax: 0 };

const QUOTE = 0x22;
/** Longer strings are checked before the engine parses them. */
const LONG_CHARS = 1024;

/**
 * How many values may still be read, of one text or several, and how many characters of strings with escapes.
 * Below zero the reading was given up.
 */
export interface ValueBudget {
  left: number;
  escapedLeft?: number;
}

/**
 * Parses an object. Values under `rawKeys` stay raw, at any depth. `undefined` if the text is not a JSON
 * object, is nested too deep, or exceeds the budget. `__proto__` is dropped: no protocol has such a field.
 */
export function readJson(
  text: string,
  rawKeys: ReadonlySet<string>,
  budget: ValueBudget = { left: Number.POSITIVE_INFINITY },
): JsonObject | undefined {
  const reader = new Reader(text, rawKeys, budget);
  try {
    const value = reader.document();
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

class NotJson extends Error {}

class Reader {
  readonly #text: string;
  readonly #rawKeys: ReadonlySet<string>;
  readonly #budget: ValueBudget;
  #at = 0;

  constructor(text: string, rawKeys: ReadonlySet<string>, budget: ValueBudget) {
    this.#text = text;
    this.#rawKeys = rawKeys;
    this.#budget = budget;
  }

  document(): JsonValue {
    const value = this.#value(0);
    this.#space();
    if (this.#at !== this.#text.length) throw new NotJson();
    return value;
  }

  #value(depth: number): JsonValue {
    if (--this.#budget.left < 0) throw new NotJson();
    this.#space();
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b:
        return this.#object(depth + 1);
      case 0x5b:
        return this.#array(depth + 1);
      case QUOTE:
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(depth: number): JsonObject {
    if (depth > JSON_DEPTH_MAX) throw new NotJson();
    const fields: Record<string, JsonValue> = {};
    this.#at++;
    if (this.#take(0x7d)) return fields;
    do {
      this.#space();
      const key = this.#string();
      if (!this.#take(0x3a)) throw new NotJson();
      const value = this.#rawKeys.has(key) ? this.#raw(depth) : this.#value(depth);
      if (key !== '__proto__') fields[key] = value;
    } while (this.#take(0x2c));
    if (!this.#take(0x7d)) throw new NotJson();
    return fields;
  }

  #array(depth: number): readonly JsonValue[] {
    if (depth > JSON_DEPTH_MAX) throw new NotJson();
    const items: JsonValue[] = [];
    this.#at++;
    if (this.#take(0x5d)) return items;
    do items.push(this.#value(depth));
    while (this.#take(0x2c));
    if (!this.#take(0x5d)) throw new NotJson();
    return items;
  }

  /** Objects and arrays under such a key keep their text. Strings, numbers and null are parsed. */
  #raw(depth: number): JsonValue {
    this.#space();
    const start = this.#at;
    const value = this.#value(depth);
    const isCompound = typeof value === 'object' && value !== null;
    return isCompound ? new RawJson(this.#text.slice(start, this.#at)) : value;
  }

  #string(): string {
    const start = this.#at;
    const text = this.#text;
    if (text.charCodeAt(start) !== QUOTE) throw new NotJson();
    const near = plainEnd(text, start + 1);
    if (near > 0) {
      this.#at = near + 1;
      return text.slice(start + 1, near);
    }
    // A string of escapes is not read beyond the budget.
    const end = endOfString(text, start, start + (this.#budget.escapedLeft ?? Number.POSITIVE_INFINITY));
    this.#at = end + 1;
    if (end - start > LONG_CHARS) {
      const long = text.slice(start + 1, end);
      // Such a string is a view of the text and no copy. A control character in it is escaped when it is
      // written.
      if (!long.includes('\\') && end < text.length) return long;
      this.#spendEscaped(end - start);
    }
    // The engine decodes escapes, and refuses control characters and unclosed strings, faster than our code.
    return this.#parse(start, end + 1) as string;
  }

  #spendEscaped(chars: number): void {
    const left = (this.#budget.escapedLeft ?? Number.POSITIVE_INFINITY) - chars;
    this.#budget.escapedLeft = left;
    if (left >= 0) return;
    this.#budget.left = -1;
    throw new NotJson();
  }

  /** A number or one of the three literals. */
  #word(): JsonValue {
    const start = this.#at;
    const text = this.#text;
    while (this.#at < text.length && isWordUnit(text.charCodeAt(this.#at))) this.#at++;
    if (this.#at === start) throw new NotJson();
    return this.#parse(start, this.#at);
  }

  #parse(start: number, end: number): JsonValue {
    const result = parseJson(this.#text.slice(start, end), WORD_BOUNDS);
    if (result.kind === 'invalid') throw new NotJson();
    return result.value as JsonValue;
  }

  #take(unit: number): boolean {
    this.#space();
    if (this.#text.charCodeAt(this.#at) !== unit) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    const text = this.#text;
    for (;;) {
      const unit = text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }
}

const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** Keys and most small values are shorter and have no escapes. */
const SHORT_CHARS = 40;

/** The end of a short string without escapes; 0 if it is not one. */
function plainEnd(text: string, start: number): number {
  const stop = Math.min(text.length, start + SHORT_CHARS);
  for (let at = start; at < stop; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit < SPACE || unit === BACKSLASH) return 0;
  }
  return 0;
}

/** Letters, digits, `+`, `-` and `.`. */
function isWordUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === 0x45 ||
    (unit >= 0x2b && unit <= 0x2e && unit !== 0x2c)
  );
}

/** The text of a value. `undefined` fields are left out; raw text is written unchanged. */
export function writeJson(value: JsonValue): string {
  if (value instanceof RawJson) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // Strings are concatenated, not joined: joining would copy a long one once for each object around it.
  let text = '';
  if (isArray(value)) {
    for (const item of value) text += text === '' ? writeJson(item) : `,${writeJson(item)}`;
    return `[${text}]`;
  }
  for (const [key, field] of Object.entries(value as JsonObject)) {
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${writeJson(field)}`;
  }
  return `{${text}}`;
}

/** How much is written in one turn. */
const WRITTEN_CHARS = 1024 * 1024;
const SURROGATE_FIRST = 0xd800;
const SURROGATE_LAST = 0xdbff;

/** The same as bytes, in pieces and in slices. */
export function* writeJsonBytes(value: JsonValue): Sliced<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of writeParts(value)) {
    text += part;
    if (text.length < WRITTEN_CHARS) continue;
    pieces.push(Buffer.from(text));
    text = '';
    yield;
  }
  if (text !== '' || pieces.length === 0) pieces.push(Buffer.from(text));
  return pieces;
}

/** The text of a value in parts of limited length. */
function* writeParts(value: JsonValue): Generator<string> {
  if (typeof value === 'string' && value.length > WRITTEN_CHARS) {
    yield* stringParts(value);
  } else if (value instanceof RawJson) {
    yield* cutSlices(value.text);
  } else if (isArray(value)) {
    let sign = '[';
    for (const item of value) {
      yield sign;
      yield* writeParts(item);
      sign = ',';
    }
    yield sign === '[' ? '[]' : ']';
  } else if (isObject(value)) {
    yield* fieldParts(value);
  } else {
    yield JSON.stringify(value);
  }
}

function* fieldParts(value: JsonObject): Generator<string> {
  let sign = '{';
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    if (typeof field === 'object' && field !== null) {
      yield `${sign}${JSON.stringify(key)}:`;
      yield* writeParts(field);
    } else if (typeof field === 'string' && field.length > WRITTEN_CHARS) {
      yield `${sign}${JSON.stringify(key)}:`;
      yield* stringParts(field);
    } else {
      yield `${sign}${JSON.stringify(key)}:${JSON.stringify(field)}`;
    }
    sign = ',';
  }
  yield sign === '{' ? '{}' : '}';
}

function* stringParts(value: string): Generator<string> {
  yield '"';
  for (const slice of cutSlices(value)) yield JSON.stringify(slice).slice(1, -1);
  yield '"';
}

/** Never cuts between the two halves of a surrogate pair. */
function* cutSlices(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + WRITTEN_CHARS);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= SURROGATE_FIRST && last <= SURROGATE_LAST) end--;
    yield text.slice(start, end);
    start = end;
  }
}
