/** Parses foreign JSON: bounded in size and depth, without exceptions and without changed prototypes. */
export interface JsonBounds {
  readonly bytesMax: number;
  readonly depthMax: number;
}

export type JsonResult = JsonParsed | JsonInvalid;

export interface JsonParsed {
  readonly kind: 'parsed';
  readonly value: unknown;
}

export interface JsonInvalid {
  readonly kind: 'invalid';
  readonly reason: 'too-large' | 'too-deep' | 'not-json';
  /** A part of a sentence that repeats nothing of the content. */
  readonly message: string;
}

export function parseJson(text: string, bounds: JsonBounds): JsonResult {
  if (exceedsBytes(text, bounds.bytesMax)) {
    return { kind: 'invalid', reason: 'too-large', message: `larger than ${bounds.bytesMax} bytes` };
  }
  if (exceedsDepth(text, bounds.depthMax)) {
    return { kind: 'invalid', reason: 'too-deep', message: `nested deeper than ${bounds.depthMax}` };
  }
  try {
    const value: unknown = JSON.parse(text);
    if (mayNamePrototype(text)) dropPrototypeKeys(value);
    return { kind: 'parsed', value };
  } catch {
    // The engine's message quotes the text, which may be a secret or a prompt.
    return { kind: 'invalid', reason: 'not-json', message: 'not valid JSON' };
  }
}

/** An object with keys, not an array and not null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A UTF-16 unit is one to three bytes of UTF-8, so most texts are decided without counting. */
function exceedsBytes(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside strings before anything is built. Invalid JSON is left to the parser. */
function exceedsDepth(text: string, depthMax: number): boolean {
  // Most events of a stream are too short to be deep.
  if (text.length <= depthMax) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) {
      index = endOfString(text, index);
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > depthMax) return true;
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--;
    }
  }
  return false;
}

/**
 * The end of the string that opens at `start`; the end of the text if it is not closed, or if it has escaped
 * quotes after `escapedUntil`, because each of them costs time. `indexOf` skips long strings (images in
 * base64) at memory speed.
 */
export function endOfString(text: string, start: number, escapedUntil = Number.POSITIVE_INFINITY): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
    if (end > escapedUntil) return text.length;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** The key may be written with escapes. Every escape of an underscore contains this pair of digits. */
function mayNamePrototype(text: string): boolean {
  return text.includes('__proto__') || (text.includes('\\u') && /\\u005f/i.test(text));
}

/**
 * `JSON.parse` makes `__proto__` an own property, which a careless copy turns into a prototype. No protocol
 * has such a field, so it is removed. Depth is bounded by the scan above.
 */
function dropPrototypeKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const child of Object.values(value)) dropPrototypeKeys(child);
}
