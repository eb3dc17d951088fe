import { isJsonObject } from '../../kernel/encoding/json.ts';
import type { Operation } from '../../operations/operation.ts';
import type { TObject, TSchema } from '../../operations/schema.ts';
import { createCheck, shownName } from './check.ts';
import { convertTexts } from './texts.ts';

/** The parts of a request that were read. */
export interface RawInput {
  readonly params: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  /** Parsed JSON; undefined if the row takes no body. */
  readonly body: unknown;
}

export type Checked =
  | { readonly kind: 'input'; readonly input: Parameters<Operation['handle']>[0] }
  | { readonly kind: 'problem'; readonly message: string };

export type Validator = (raw: RawInput) => Checked;

type Part =
  | { readonly kind: 'value'; readonly value: Record<string, unknown> }
  | Extract<Checked, { kind: 'problem' }>;

const problem = (message: string): Extract<Checked, { kind: 'problem' }> => ({ kind: 'problem', message });

/** Compiled once per row, at its first request, so that a start does not pay for unused rows. */
export function createValidator(row: Operation): Validator {
  const params = row.params && textsChecker(row.params);
  const query = queryChecker(row.query);
  const body = row.body && bodyChecker(row.body);
  return (raw) => {
    const path = params?.(raw.params) ?? NONE;
    if (path.kind === 'problem') return path;
    const asked = query(raw.query);
    if (asked.kind === 'problem') return asked;
    const sent = body?.(raw.body) ?? NONE;
    if (sent.kind === 'problem') return sent;
    return { kind: 'input', input: { params: path.value, query: asked.value, body: sent.value } };
  };
}

const NONE: Part = { kind: 'value', value: {} };

function textsChecker(schema: TObject): (texts: ReadonlyMap<string, string>) => Part {
  const check = createCheck(schema);
  return (texts) => {
    const converted = convertTexts(schema, texts);
    if (converted.kind === 'problem') return converted;
    const message = findUnstorable(converted.value, '') ?? check(converted.value);
    return message === undefined ? converted : problem(message);
  };
}

const NO_QUERY: TObject = { type: 'object', properties: {} };

/** An unknown filter is refused, because a client would believe that it was applied. */
function queryChecker(schema = NO_QUERY): (texts: ReadonlyMap<string, string>) => Part {
  const check = textsChecker(schema);
  const names = Object.keys(schema.properties);
  const known = names.length === 0 ? 'this path has no parameters' : `the parameters are ${names.join(', ')}`;
  return (texts) => {
    for (const name of texts.keys()) {
      if (!names.includes(name)) return problem(`${shownParameter(name)} is not known: ${known}`);
    }
    return check(texts);
  };
}

function shownParameter(name: string): string {
  return name === '' ? 'A parameter without a name' : shownName(name);
}

function bodyChecker(schema: TObject): (body: unknown) => Part {
  const check = createCheck(schema);
  return (body) => {
    // Numbers and texts first: they must be valid in every field, known or not.
    const message = findUnstorable(body, '') ?? check(body);
    if (message !== undefined) return problem(message);
    const unknown: string[] = [];
    const value = sift(schema, body, { path: '', unknown });
    const [first] = unknown;
    if (first !== undefined) return problem(`${first} is not known`);
    return { kind: 'value', value: value as Record<string, unknown> };
  };
}

/**
 * Finds values that no column or counter can hold: numbers beyond 2^53−1 (which JSON already changed
 * when it was read), infinity, minus zero, the character NUL and halves of surrogate pairs.
 */
function findUnstorable(value: unknown, path: string): string | undefined {
  if (typeof value === 'number') {
    const isSound = Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0);
    return isSound ? undefined : `${path || 'body'} must be a number within ±9007199254740991, and not -0`;
  }
  if (typeof value === 'string') {
    return isStorable(value) ? undefined : `${path || 'body'} contains characters that are not allowed`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    if (!isStorable(key)) return `${path || 'body'} has a field whose name is not allowed`;
    const found = findUnstorable(child, join(path, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

interface Sieve {
  readonly path: string;
  /** The paths of unknown fields, in their order. */
  readonly unknown: string[];
}

/** A copy with only the fields of the schema, so that no other field is used by accident. */
function sift(schema: TSchema, value: unknown, { path, unknown }: Sieve): unknown {
  const { properties, items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    return value.map((item, index) => sift(items, item, { path: join(path, String(index)), unknown }));
  }
  if (!isJsonObject(value) || properties === undefined) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known !== undefined) kept[key] = sift(known, child, { path: join(path, key), unknown });
    else unknown.push(join(path, key));
  }
  return kept;
}

function join(path: string, key: string): string {
  return path === '' ? shownName(key) : `${path}.${shownName(key)}`;
}

/**
 * Finds what an answer has that its row does not declare, or lacks: a fault of the platform. The tests call
 * it for every answer they get.
 */
export function findBrokenPromise({ data }: Pick<Operation, 'data'>, answered: unknown): string | undefined {
  const message = createCheck(data)(answered);
  if (message !== undefined) return message;
  const unknown: string[] = [];
  sift(data, answered, { path: '', unknown });
  return unknown[0] === undefined ? undefined : `${unknown[0]} is not declared`;
}
