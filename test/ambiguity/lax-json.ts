/**
 * Two readers of JSON that vendors could be, as far from ours as can be: one that takes the first of repeated
 * keys, and one that knows no case, no separators and no types. They read what JSON.parse accepts.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type Keep = (fields: Map<string, Json>, key: string, value: Json) => void;

const firstOf: Keep = (fields, key, value) => {
  if (!fields.has(key)) fields.set(key, value);
};

/** Go's own folding of ASCII keys: cases, and the two letters of Unicode that fold into it. */
const letters = (key: string): string =>
  key
    .split('\0', 1)[0]
    ?.replaceAll('ſ', 's')
    .replaceAll('\u212a', 'k')
    .toLowerCase()
    .replaceAll(/[_-]/g, '') ?? '';

/** Of two objects under one key both are read, as Go does with structs. */
const mergedOf: Keep = (fields, key, value) => {
  const before = fields.get(letters(key));
  const isBoth = isObject(before) && isObject(value);
  fields.set(letters(key), isBoth ? { ...before, ...value } : value);
};

export function readFirst(text: string): Json {
  return new Reader(text, firstOf).document();
}

/** The same object under the keys that are asked for, whatever their spelling. */
export function readLax(text: string): (key: string) => Json | undefined {
  const value = new Reader(text, mergedOf).document();
  return (path) => {
    let at: Json | undefined = value;
    for (const key of path.split('.')) at = isObject(at) ? at[letters(key)] : undefined;
    return at;
  };
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class Reader {
  readonly #tokens: readonly string[];
  readonly #keep: Keep;
  #at = 0;

  constructor(text: string, keep: Keep) {
    this.#tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs) ?? [];
    this.#keep = keep;
  }

  document(): Json {
    return this.#value();
  }

  #value(): Json {
    const token = this.#tokens[this.#at++] ?? 'null';
    if (token === '{') return this.#object();
    if (token === '[') return this.#array();
    return JSON.parse(token) as Json;
  }

  #object(): Json {
    const fields = new Map<string, Json>();
    while (this.#tokens[this.#at] !== '}') {
      if (this.#tokens[this.#at] === ',') this.#at++;
      const key = JSON.parse(this.#tokens[this.#at] ?? '""') as string;
      this.#at += 2;
      this.#keep(fields, key, this.#value());
    }
    this.#at++;
    return Object.fromEntries(fields);
  }

  #array(): Json {
    const items: Json[] = [];
    while (this.#tokens[this.#at] !== ']') {
      if (this.#tokens[this.#at] === ',') this.#at++;
      items.push(this.#value());
    }
    this.#at++;
    return items;
  }
}
