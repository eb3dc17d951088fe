import { JSON_DEPTH_MAX } from '../../bounds.ts';
import { isArray, isObject, type JsonObject, type JsonValue, readJson } from '../hub/json.ts';

/** Keywords that a strict schema may not have (conversion.md 6.3). */
const FORBIDDEN = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties'],
];
const NO_KEYS: ReadonlySet<string> = new Set();

/** Whether the vendor would take a schema as strict: every property required, nothing beyond them allowed. */
export function isStrictSchema(raw: string): boolean {
  const schema = readJson(raw, NO_KEYS);
  if (schema === undefined || schema.type !== 'object' || schema.anyOf !== undefined) return false;
  return isStrict(schema, 0);
}

function isStrict(node: JsonValue | undefined, depth: number): boolean {
  if (!isObject(node) || depth > JSON_DEPTH_MAX) return false;
  if (FORBIDDEN.some((keyword) => node[keyword] !== undefined) || !isClosed(node)) return false;
  return innerSchemas(node).every((inner) => isStrict(inner, depth + 1));
}

function isClosed(node: JsonObject): boolean {
  const types = isArray(node.type) ? node.type : [node.type];
  if (!types.includes('object')) return node.properties === undefined;
  const required = isArray(node.required) ? node.required : [];
  const names = isObject(node.properties) ? Object.keys(node.properties) : [];
  return node.additionalProperties === false && names.every((name) => required.includes(name));
}

function innerSchemas(node: JsonObject): readonly JsonValue[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((keyword) => {
    const group = node[keyword];
    return isObject(group) ? Object.values(group) : [];
  });
  const listed = isArray(node.anyOf) ? node.anyOf : [];
  return [...named, ...listed, node.items].filter((inner) => inner !== undefined);
}

const EMPTY = '{"type":"object","properties":{}}';

/**
 * The parameters of a function, whose root must be an object by its own words. Nothing when the schema
 * describes something else: then no arguments could fit it.
 */
export function objectSchema(raw: string | undefined): string | undefined {
  if (raw === undefined || raw === 'true') return EMPTY;
  const schema = readJson(raw, NO_KEYS);
  if (schema === undefined) return undefined;
  if (schema.type === 'object') return raw;
  if (schema.type === undefined) return withType(raw, schema);
  const isNullable = isArray(schema.type) && schema.type.includes('object');
  return isNullable ? JSON.stringify({ ...schema, type: 'object' }) : undefined;
}

/** The type goes in front; everything behind it keeps its own spelling. */
function withType(raw: string, schema: JsonObject): string {
  if (Object.keys(schema).length === 0) return EMPTY;
  return `{"type":"object",${raw.slice(raw.indexOf('{') + 1)}`;
}
