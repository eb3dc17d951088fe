import { JSON_DEPTH_MAX, RESPONSE_BODY_BYTES_MAX } from '../../bounds.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import { isArray, isObject, type JsonObject, type JsonValue, RawJson } from '../hub/content/json.ts';
import { Inexpressible, type Notes } from '../hub/notes.ts';

/** Both spellings of the field names of this dialect. Only its own names get in, so it stays small. */
const snakeNames = new Map<string, string>();

function toSnakeCase(name: string): string {
  const known = snakeNames.get(name);
  if (known !== undefined) return known;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeNames.set(name, snake);
  return snake;
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/**
 * A field in either spelling. The camel-case one wins if it is present, even if it is false, 0, empty or null
 * (protobuf's "not set").
 */
export function field(object: JsonObject, name: string): JsonValue | undefined {
  const camel = object[name];
  if (camel !== undefined) return camel ?? undefined;
  return object[toSnakeCase(name)] ?? undefined;
}

/** Notes every field that is not in `known` (camel case) as lost. */
export function dropUnknown(
  object: JsonObject,
  known: ReadonlySet<string>,
  path: string,
  notes: Notes,
): void {
  for (const key of Object.keys(object)) {
    if (!known.has(key) && !known.has(toCamelCase(key))) notes.drop(path === '' ? key : `${path}.${key}`);
  }
}

export function optionalText(value: JsonValue | undefined, path: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new Inexpressible(path, 'must be a string');
}

/** Protobuf numbers may be written as strings. */
export function optionalNumber(value: JsonValue | undefined, path: string): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new Inexpressible(path, 'must be a number');
}

export function optionalFlag(value: JsonValue | undefined, path: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new Inexpressible(path, 'must be a boolean');
}

export function optionalObject(value: JsonValue | undefined, path: string): JsonObject | undefined {
  if (value === undefined || isObject(value)) return value;
  throw new Inexpressible(path, 'must be an object');
}

/** Google accepts a single object instead of a list; real clients send `tools` so. */
export function requireObjects(value: JsonValue | undefined, path: string): readonly JsonObject[] {
  if (value === undefined) return [];
  const items = isArray(value) ? value : [value];
  return items.map((item, index) => {
    if (isObject(item)) return item;
    throw new Inexpressible(isArray(value) ? `${path}[${index}]` : path, 'must be an object');
  });
}

export function requireTexts(value: JsonValue | undefined, path: string): readonly string[] {
  if (value === undefined) return [];
  const items = isArray(value) ? value : [value];
  return items.map((item, index) => optionalText(item, `${path}[${index}]`) ?? '');
}

/** A vendor's string; `undefined` for anything else. */
export function findText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function findNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A vendor's list of objects. Other values are skipped. */
export function listObjects(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

/** The text of a JSON object: its raw text, or serialized again if the event was already parsed. */
export function objectText(value: JsonValue | undefined): string | undefined {
  if (value instanceof RawJson) return value.text.startsWith('{') ? value.text : undefined;
  return isObject(value) ? JSON.stringify(value) : undefined;
}

/** The object in a text; `undefined` if the text is something else. */
export function parseObject(text: string): JsonObject | undefined {
  const result = parseJson(text, { bytesMax: RESPONSE_BODY_BYTES_MAX, depthMax: JSON_DEPTH_MAX });
  return result.kind === 'parsed' && isJsonObject(result.value) ? (result.value as JsonObject) : undefined;
}
