import { isArray, isObject, type JsonObject, type JsonValue, RawJson } from '../hub/content/json.ts';
import { Inexpressible } from '../hub/notes.ts';

/**
 * Fields of a client's body. Absent and null are the same. A wrong type is refused with the client's path.
 */
export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

export function textField(holder: JsonObject, key: string, path: string): string | undefined {
  const value = holder[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new Inexpressible(joinPath(path, key), 'is not a string');
}

export function requireText(holder: JsonObject, key: string, path: string): string {
  const value = textField(holder, key, path);
  if (value === undefined) throw new Inexpressible(joinPath(path, key), 'is missing');
  return value;
}

export function numberField(holder: JsonObject, key: string, path: string): number | undefined {
  const value = holder[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  throw new Inexpressible(joinPath(path, key), 'is not a number');
}

export function flagField(holder: JsonObject, key: string, path: string): boolean | undefined {
  const value = holder[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw new Inexpressible(joinPath(path, key), 'is not true or false');
}

export function objectField(holder: JsonObject, key: string, path: string): JsonObject | undefined {
  const value = holder[key];
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  throw new Inexpressible(joinPath(path, key), 'is not an object');
}

export function listField(holder: JsonObject, key: string, path: string): readonly JsonValue[] {
  const value = holder[key];
  if (value === undefined || value === null) return [];
  if (isArray(value)) return value;
  throw new Inexpressible(joinPath(path, key), 'is not a list');
}

export function objectsField(holder: JsonObject, key: string, path: string): readonly JsonObject[] {
  return listField(holder, key, path).map((value, index) => {
    if (isObject(value)) return value;
    throw new Inexpressible(`${joinPath(path, key)}[${index}]`, 'is not an object');
  });
}

/**
 * The raw text of an object under a raw key. A streamed event is already parsed, so it is serialized again.
 */
export function rawObject(value: JsonValue | undefined): string | undefined {
  if (value instanceof RawJson) return value.text.startsWith('{') ? value.text : undefined;
  return isObject(value) ? JSON.stringify(value) : undefined;
}

/** A field of a vendor's answer, where nothing is refused: the string, or `undefined`. */
export function findText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
