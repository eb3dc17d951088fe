import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { Inexpressible } from '../hub/notes.ts';

/** A path in the client's body, for the loss report and for refusals. */
export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** A client's field: `undefined` if it is absent or null. A wrong type is refused. */
export function textField(object: JsonObject, key: string, path: string): string | undefined {
  const value = object[key] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new Inexpressible(joinPath(path, key), 'is not a text');
}

export function numberField(object: JsonObject, key: string, path: string): number | undefined {
  const value = object[key] ?? undefined;
  if (value === undefined || typeof value === 'number') return value;
  throw new Inexpressible(joinPath(path, key), 'is not a number');
}

export function flagField(object: JsonObject, key: string, path: string): boolean | undefined {
  const value = object[key] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw new Inexpressible(joinPath(path, key), 'is not true or false');
}

export function objectField(object: JsonObject, key: string, path: string): JsonObject | undefined {
  const value = object[key] ?? undefined;
  if (value === undefined || isObject(value)) return value;
  throw new Inexpressible(joinPath(path, key), 'is not an object');
}

export function listField(object: JsonObject, key: string, path: string): readonly JsonValue[] | undefined {
  const value = object[key] ?? undefined;
  if (value === undefined || isArray(value)) return value;
  throw new Inexpressible(joinPath(path, key), 'is not a list');
}

/** An element that must be an object. */
export function requireObject(value: JsonValue | undefined, path: string): JsonObject {
  if (isObject(value)) return value;
  throw new Inexpressible(path, 'is not an object');
}

/** A text that must be present. */
export function requireText(object: JsonObject, key: string, path: string): string {
  const value = textField(object, key, path);
  if (value !== undefined) return value;
  throw new Inexpressible(joinPath(path, key), 'is missing');
}

/** A vendor's field, which may have any type: its text, or `undefined` if it is not a text or is empty. */
export function findFilledText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A vendor's field: its object, or an empty one. */
export function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : NOTHING;
}

/** A vendor's list of objects. Other values in it are skipped. */
export function listObjects(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

const NOTHING: JsonObject = Object.freeze({});
