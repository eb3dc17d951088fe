import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  RawJson,
  writeJson,
} from '../hub/content/json.ts';
import { Inexpressible } from '../hub/notes.ts';

/** Fields of a client's body. Null counts as absent. Any other wrong type is refused with its path. */
export function optionalText(value: JsonValue | undefined, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new Inexpressible(path, 'must be a string');
  return value;
}

export function requireText(value: JsonValue | undefined, path: string): string {
  const text = optionalText(value, path);
  if (text === undefined) throw new Inexpressible(path, 'is missing');
  return text;
}

export function optionalNumber(value: JsonValue | undefined, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number') throw new Inexpressible(path, 'must be a number');
  return value;
}

export function optionalFlag(value: JsonValue | undefined, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw new Inexpressible(path, 'must be true or false');
  return value;
}

export function optionalObject(value: JsonValue | undefined, path: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new Inexpressible(path, 'must be an object');
  return value;
}

export function requireObject(value: JsonValue | undefined, path: string): JsonObject {
  const found = optionalObject(value, path);
  if (found === undefined) throw new Inexpressible(path, 'is missing');
  return found;
}

export function optionalList(value: JsonValue | undefined, path: string): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!isArray(value)) throw new Inexpressible(path, 'must be a list');
  return value;
}

/** A schema as raw text, or `undefined`. */
export function optionalRaw(value: JsonValue | undefined, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof RawJson || isObject(value) || typeof value === 'boolean') return writeJson(value);
  throw new Inexpressible(path, 'must be an object');
}

/** Fields of a vendor's answer. A wrong type counts as absent. */
export function textOrEmpty(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function findNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

const NO_FIELDS: JsonObject = Object.freeze({});

export function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : NO_FIELDS;
}

export function listObjects(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}
