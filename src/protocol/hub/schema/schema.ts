import { JSON_DEPTH_MAX, REQUEST_BODY_BYTES_MAX } from '../../../bounds.ts';
import { type JsonBounds, parseJson } from '../../../kernel/encoding/json.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../content/json.ts';

/** A schema that is an object. `true` and `false` are schemas too, but need no rewriting. */
export type SchemaNode = JsonObject;

export interface SchemaContext {
  readonly isRoot: boolean;
  /** The root has depth 0. */
  readonly depth: number;
}

/** Gets a node whose subschemas are already rewritten. Returns the same node if nothing changes. */
export type RewriteNode = (node: SchemaNode, context: SchemaContext) => SchemaNode | boolean;

const BOUNDS: JsonBounds = { bytesMax: REQUEST_BODY_BYTES_MAX, depthMax: JSON_DEPTH_MAX };

/** Keywords whose values map user-chosen names to schemas. Such names are never keywords. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const LISTS = new Set(['prefixItems', 'anyOf', 'oneOf', 'allOf', 'items']);
const SINGLES = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'contentSchema',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);

/**
 * Rewrites the schema nodes of a JSON Schema, the innermost first, and nothing that only looks like one: not
 * a property called `format`, not a `default` or an `enum` with objects. If no node changes, the original
 * text is returned (rule C-4).
 */
export function rewriteSchema(raw: string, rewrite: RewriteNode): string {
  const root = parseSchema(raw);
  if (root === undefined) return raw;
  const rewritten = rewriteNode(root, 0, rewrite);
  return rewritten === root ? raw : JSON.stringify(rewritten);
}

/** `undefined` if the text is not a JSON object, or is nested too deep. */
export function parseSchema(raw: string): SchemaNode | undefined {
  const result = parseJson(raw, BOUNDS);
  const value = result.kind === 'parsed' ? (result.value as JsonValue) : undefined;
  return isObject(value) ? value : undefined;
}

/** Adds a description to a schema, for vendors without another field for it. */
export function describedSchema(raw: string, description: string | undefined): string {
  const root = description === undefined ? undefined : parseSchema(raw);
  if (root === undefined || root.description !== undefined) return raw;
  const rest = raw.trim().slice(1);
  const comma = Object.keys(root).length === 0 ? '' : ',';
  return `{"description":${JSON.stringify(description)}${comma}${rest}`;
}

/** Calls `visit` for every node of a schema, the outermost first. */
export function visitSchema(root: SchemaNode, visit: (node: SchemaNode) => void): void {
  visitNode(root, 0, visit);
}

function visitNode(node: SchemaNode, depth: number, visit: (node: SchemaNode) => void): void {
  visit(node);
  if (depth >= JSON_DEPTH_MAX) return;
  for (const child of listChildren(node)) visitNode(child, depth + 1, visit);
}

function listChildren(node: SchemaNode): readonly SchemaNode[] {
  const children: SchemaNode[] = [];
  for (const [key, value] of Object.entries(node)) {
    const isSchemaMap = MAPS.has(key) && isObject(value);
    if (isSchemaMap || (LISTS.has(key) && isArray(value))) {
      for (const child of Object.values(value as JsonObject)) if (isObject(child)) children.push(child);
    } else if (SINGLES.has(key) && isObject(value)) children.push(value);
  }
  return children;
}

function rewriteNode(node: SchemaNode, depth: number, rewrite: RewriteNode): SchemaNode | boolean {
  // Nodes nested deeper than any body may be stay unchanged.
  if (depth >= JSON_DEPTH_MAX) return node;
  const within = mapFields(node, (key, value) => rewriteKeyword(key, value, depth + 1, rewrite));
  return rewrite(within, { isRoot: depth === 0, depth });
}

function rewriteKeyword(key: string, value: JsonValue, depth: number, rewrite: RewriteNode): JsonValue {
  if (MAPS.has(key) && isObject(value)) {
    return mapFields(value, (_name, schema) => rewriteValue(schema, depth, rewrite));
  }
  if (LISTS.has(key) && isArray(value)) {
    const items = value.map((item) => rewriteValue(item, depth, rewrite));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  return SINGLES.has(key) ? rewriteValue(value, depth, rewrite) : value;
}

function rewriteValue(value: JsonValue, depth: number, rewrite: RewriteNode): JsonValue {
  return isObject(value) ? rewriteNode(value, depth, rewrite) : value;
}

/** Returns the same object if no field changed. The order of keys stays. */
function mapFields(node: JsonObject, map: (key: string, value: JsonValue) => JsonValue): JsonObject {
  const entries = Object.entries(node);
  let changed = false;
  const mapped = entries.map(([key, value]): [string, JsonValue | undefined] => {
    const result = value === undefined ? undefined : map(key, value);
    changed ||= result !== value;
    return [key, result];
  });
  // `fromEntries` defines fields, so a property named `__proto__` is an ordinary one.
  return changed ? Object.fromEntries(mapped) : node;
}
