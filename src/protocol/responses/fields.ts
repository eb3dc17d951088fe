import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  RawJson,
  writeJson,
} from '../hub/content/json.ts';
import { Inexpressible } from '../hub/notes.ts';

/** Fields of a client's body. Null is absent; any other wrong type is refused with its path. */
export function readText(value: JsonValue | undefined, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new Inexpressible(path, 'must be a string');
  return value;
}

export function needText(value: JsonValue | undefined, path: string): string {
  const text = readText(value, path);
  if (text === undefined) throw new Inexpressible(path, 'is missing');
  return text;
}

export function readNumber(value: JsonValue | undefined, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number') throw new Inexpressible(path, 'must be a number');
  return value;
}

export function readFlag(value: JsonValue | undefined, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw new Inexpressible(path, 'must be true or false');
  return value;
}

export function readObject(value: JsonValue | undefined, path: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new Inexpressible(path, 'must be an object');
  return value;
}

export function needObject(value: JsonValue | undefined, path: string): JsonObject {
  const found = readObject(value, path);
  if (found === undefined) throw new Inexpressible(path, 'is missing');
  return found;
}

export function readList(value: JsonValue | undefined, path: string): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!isArray(value)) throw new Inexpressible(path, 'must be a list');
  return value;
}

/** A schema as its own text, or nothing. */
export function readRaw(value: JsonValue | undefined, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof RawJson || isObject(value) || typeof value === 'boolean') return writeJson(value);
  throw new Inexpressible(path, 'must be an object');
}

/** Fields of a vendor's answer: whatever is there instead counts as absent. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

const NO_FIELDS: JsonObject = Object.freeze({});

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : NO_FIELDS;
}

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}
