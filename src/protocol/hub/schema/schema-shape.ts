import { JSON_DEPTH_MAX, SCHEMA_ALTERNATIVES_MAX, SCHEMA_VISITS_MAX } from '../../../bounds.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../content/json.ts';
import { parseSchema, type SchemaNode, visitSchema } from './schema.ts';

/** The schema of a tool without arguments. */
export const EMPTY_OBJECT_SCHEMA = '{"type":"object","properties":{}}';

const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * The schema with an object at its root and no combinator beside it, as Messages and OpenAI require of tools
 * (rule C-23). A reference is followed, combinators are merged, and anything else is put under `value`.
 */
export function objectRoot(raw: string): string {
  const root = parseSchema(raw);
  if (root === undefined) return EMPTY_OBJECT_SCHEMA;
  const needsMerge = root.$ref !== undefined || COMBINATORS.some((key) => root[key] !== undefined);
  if (!needsMerge && root.type === 'object') return raw;
  const merged = needsMerge ? mergeAlternatives(resolveRoot(root), root) : root;
  if (canBeObject(merged)) return JSON.stringify({ ...merged, type: 'object' });
  const { $defs, definitions, ...value } = merged;
  return JSON.stringify({ type: 'object', properties: { value }, required: ['value'], $defs, definitions });
}

function canBeObject({ type, anyOf, oneOf, enum: values }: SchemaNode): boolean {
  if (anyOf !== undefined || oneOf !== undefined) return false;
  if (type === undefined) return values === undefined;
  return type === 'object' || (isArray(type) && type.includes('object'));
}

/**
 * Whether a reference leads back to a schema that contains it. Also true if this takes too long to find out.
 */
export function isRecursive(raw: string): boolean {
  const root = parseSchema(raw);
  if (root === undefined) return false;
  const search: Search = { root, done: new Set(), visits: 0 };
  return listReferences(root, search).some((reference) => leadsBack(reference, [], search));
}

/** Merges `allOf` into one node: properties and required names of each; of other keywords the last one. */
export function mergeAllOf(node: SchemaNode): SchemaNode {
  const { allOf, ...rest } = node;
  if (!isArray(allOf)) return node;
  return mergeNodes(rest, allOf.filter(isObject).slice(0, SCHEMA_ALTERNATIVES_MAX), BOTH);
}

/** The node that a local reference (`#/$defs/Name`, `#`) leads to. */
export function lookUp(root: SchemaNode, reference: string): SchemaNode | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let node: JsonValue | undefined = root;
  for (const step of reference.split('/').slice(1, JSON_DEPTH_MAX)) {
    const key = unescapeStep(step);
    if (isArray(node)) node = node[Number(key)];
    else node = isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  return isObject(node) ? node : undefined;
}

function unescapeStep(step: string): string {
  const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!key.includes('%')) return key;
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Follows the root's own reference. Keywords beside it stay (above all `$defs`). */
function resolveRoot(root: SchemaNode): SchemaNode {
  let node = root;
  const seen = new Set<string>();
  while (typeof node.$ref === 'string' && !seen.has(node.$ref) && seen.size < JSON_DEPTH_MAX) {
    const { $ref, ...rest } = node;
    seen.add($ref as string);
    node = { ...lookUp(root, $ref as string), ...rest };
  }
  const { $ref: _unresolved, ...resolved } = node;
  return resolved;
}

/** Every alternative's properties are allowed. Only what all of them require is required. */
function mergeAlternatives(node: SchemaNode, root: SchemaNode): SchemaNode {
  let merged = mergeAllOf(withResolvedParts(node, 'allOf', root));
  for (const key of ['anyOf', 'oneOf'] as const) {
    const { [key]: _list, ...rest } = merged;
    const parts = withResolvedParts(merged, key, root)[key];
    if (!isArray(parts)) continue;
    const isObjectAnyway = isObjectSchema(rest);
    const objects = parts
      .filter(isObject)
      .slice(0, SCHEMA_ALTERNATIVES_MAX)
      .filter((part) => isObjectSchema(part) || (isObjectAnyway && part.type === undefined));
    // Alternatives that are not objects (above all `null`) cannot be the arguments of a tool.
    if (objects.length === 0 && !isObjectAnyway) continue;
    const [first = {}, ...others] = objects;
    merged = mergeNodes(rest, [mergeNodes(first, others, EITHER)], BOTH);
  }
  return merged;
}

function isObjectSchema({ type, properties }: SchemaNode): boolean {
  return type === 'object' || isObject(properties);
}

function withResolvedParts(
  node: SchemaNode,
  key: (typeof COMBINATORS)[number],
  root: SchemaNode,
): SchemaNode {
  const list = node[key];
  if (!isArray(list)) return node;
  return { ...node, [key]: list.map((part) => (isObject(part) ? resolvePart(part, root) : part)) };
}

function resolvePart(part: JsonObject, root: SchemaNode): SchemaNode {
  if (typeof part.$ref !== 'string') return part;
  const { $ref, ...rest } = part;
  return { ...lookUp(root, $ref as string), ...rest };
}

/** How two nodes are merged: what they require, and what a shared property becomes. */
interface Merging {
  readonly required: (left: readonly JsonValue[], right: readonly JsonValue[]) => readonly JsonValue[];
  readonly property: (left: JsonValue, right: JsonValue) => JsonValue;
}

const BOTH: Merging = {
  required: (left, right) => [...new Set([...left, ...right])],
  property: (_left, right) => right,
};

/** The value that distinguishes the alternatives differs in each: all of them are allowed. */
const EITHER: Merging = {
  required: (left, right) => {
    const names = new Set(right);
    return left.filter((name) => names.has(name));
  },
  property: (left, right) => {
    const alternatives = isObject(left) && isArray(left.anyOf) ? left.anyOf : [left];
    if (alternatives.length >= SCHEMA_ALTERNATIVES_MAX) return left;
    const texts = listTexts(left, alternatives);
    const text = JSON.stringify(right);
    if (texts.has(text)) return left;
    const merged = { anyOf: [...alternatives, right] };
    textsOfMerged.set(merged, texts.add(text));
    return merged;
  },
};

/** Each alternative is compared with all before it, so their texts are cached. */
const textsOfMerged = new WeakMap<object, Set<string>>();

function listTexts(merged: JsonValue, alternatives: readonly JsonValue[]): Set<string> {
  const known = isObject(merged) ? textsOfMerged.get(merged) : undefined;
  return known ?? new Set(alternatives.map((one) => JSON.stringify(one)));
}

/**
 * Merges all parts into one node, in place. References may lead to one large object many times: after too
 * many properties the rest of the parts is left out.
 */
function mergeNodes(first: SchemaNode, parts: readonly SchemaNode[], merging: Merging): SchemaNode {
  const merged: Record<string, JsonValue | undefined> = { ...first };
  const properties: Record<string, JsonValue | undefined> = { ...asObject(first.properties) };
  let required = asArray(first.required);
  let visits = 0;
  for (const part of parts) {
    const own = Object.entries(asObject(part.properties));
    visits += own.length + asArray(part.required).length;
    if (visits > SCHEMA_VISITS_MAX) break;
    Object.assign(merged, part);
    required = merging.required(required, asArray(part.required));
    for (const [name, schema] of own) {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      properties[name] =
        known === undefined || schema === undefined ? schema : merging.property(known, schema);
    }
  }
  const { required: _required, ...rest } = merged;
  return {
    ...rest,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function asArray(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

interface Search {
  readonly root: SchemaNode;
  /** References that were followed to their ends. Each is followed once. */
  readonly done: Set<string>;
  visits: number;
}

function listReferences(node: SchemaNode, search: Search): readonly string[] {
  const references = new Set<string>();
  visitSchema(node, (inner) => {
    search.visits++;
    if (typeof inner.$ref === 'string') references.add(inner.$ref);
  });
  return [...references];
}

function leadsBack(reference: string, path: readonly string[], search: Search): boolean {
  if (path.includes(reference) || reference === '#') return true;
  if (search.done.has(reference)) return false;
  if (path.length >= JSON_DEPTH_MAX || search.visits > SCHEMA_VISITS_MAX) return true;
  const node = lookUp(search.root, reference);
  const isCycle =
    node !== undefined &&
    listReferences(node, search).some((next) => leadsBack(next, [...path, reference], search));
  search.done.add(reference);
  return isCycle;
}
