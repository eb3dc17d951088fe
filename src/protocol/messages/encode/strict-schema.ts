import { isArray, isObject, type JsonObject, type JsonValue } from '../../hub/content/json.ts';
import { parseSchema, rewriteSchema, type SchemaNode, visitSchema } from '../../hub/schema/schema.ts';
import { isRecursive } from '../../hub/schema/schema-shape.ts';

/** Keywords that constrained output supports (rule C-26). It refuses all others. */
const KEPT: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'default',
  'enum',
  'const',
  'anyOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  'properties',
  'required',
  'additionalProperties',
  'items',
]);
/** Keywords that do not restrict values. */
const IGNORED: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', '$anchor']);
const FORMATS: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
/** Lookarounds, back references and word boundaries. */
const HARD_PATTERN = /\(\?|\\[1-9bB]/;
const OPTIONAL_MAX = 24;
const UNIONS_MAX = 16;

/**
 * The schema for constrained output. Objects are closed, and restrictions that it cannot enforce go into the
 * description, as in the vendor's own SDK. `undefined` if the schema needs something that is not supported:
 * recursion, objects with free property names, too many optional properties.
 */
export function strictSchema(raw: string): string | undefined {
  if (isRecursive(raw)) return undefined;
  const strict = rewriteSchema(raw, closeNode);
  const root = parseSchema(strict);
  if (root === undefined) return undefined;
  const tally: Tally = { optional: 0, unions: 0, open: false };
  visitSchema(root, (node) => count(node, tally));
  if (tally.open || tally.optional > OPTIONAL_MAX || tally.unions > UNIONS_MAX) return undefined;
  return strict;
}

function closeNode(node: SchemaNode): SchemaNode {
  const kept: Record<string, JsonValue | undefined> = {};
  const restrictions: string[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (value === undefined || IGNORED.has(key)) continue;
    if (key === 'oneOf' && node.anyOf === undefined) kept.anyOf = value;
    else if (isKept(key, value)) kept[key] = value;
    else restrictions.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (restrictions.length > 0) {
    const words = typeof node.description === 'string' ? `${node.description}\n\n` : '';
    kept.description = `${words}{${restrictions.join(', ')}}`;
  }
  const isBareObject = isObjectNode(node) && !isOpen(node);
  if (isBareObject && node.additionalProperties !== false) kept.additionalProperties = false;
  return isSame(node, kept) ? node : kept;
}

function isSame(node: SchemaNode, kept: JsonObject): boolean {
  const keys = Object.keys(kept);
  return keys.length === Object.keys(node).length && keys.every((key) => kept[key] === node[key]);
}

function isKept(key: string, value: JsonValue): boolean {
  switch (key) {
    case 'format':
      return typeof value === 'string' && FORMATS.has(value);
    case 'minItems':
      return value === 0 || value === 1;
    case 'pattern':
      return typeof value === 'string' && !HARD_PATTERN.test(value);
    default:
      return KEPT.has(key);
  }
}

function isObjectNode(node: SchemaNode): boolean {
  const { type } = node;
  return type === 'object' || (isArray(type) && type.includes('object')) || isObject(node.properties);
}

/** A map: the model chooses its property names, which a closed object would forbid. */
function isOpen(node: SchemaNode): boolean {
  const more = node.additionalProperties;
  return isObject(more) || (more !== false && !isObject(node.properties));
}

interface Tally {
  optional: number;
  unions: number;
  open: boolean;
}

function count(node: SchemaNode, tally: Tally): void {
  if (isObjectNode(node) && isOpen(node)) tally.open = true;
  if (isArray(node.allOf) && node.allOf.some((part) => isObject(part) && part.$ref !== undefined)) {
    tally.open = true;
  }
  if (isArray(node.type) || node.anyOf !== undefined) tally.unions++;
  const required = new Set(isArray(node.required) ? node.required : []);
  const names = isObject(node.properties) ? Object.keys(node.properties) : [];
  tally.optional += names.filter((name) => !required.has(name)).length;
}
