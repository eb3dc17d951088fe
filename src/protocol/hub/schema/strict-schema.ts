import { isArray, isObject, type JsonValue } from '../content/json.ts';
import { parseSchema, type SchemaNode, visitSchema } from './schema.ts';

/** Keywords that OpenAI refuses in strict schemas (rule C-25). */
const REFUSED: readonly string[] = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties'],
];

/**
 * Whether OpenAI would accept a schema as strict, in either of its protocols: an object at the root, every
 * object closed and all its properties required. In doubt false: schemas that are not strict are never
 * refused.
 */
export function isStrictSchema(raw: string): boolean {
  const root = parseSchema(raw);
  if (root === undefined || root.type !== 'object' || root.anyOf !== undefined) return false;
  let isStrict = true;
  visitSchema(root, (node) => {
    isStrict &&= isStrictNode(node);
  });
  return isStrict;
}

function isStrictNode(node: SchemaNode): boolean {
  if (REFUSED.some((keyword) => node[keyword] !== undefined)) return false;
  // OpenAI does not accept `true` and `false` as schemas.
  const inner = [node.items, ...(isArray(node.anyOf) ? node.anyOf : [])];
  if (!inner.every((schema) => schema === undefined || isObject(schema))) return false;
  const types: readonly (JsonValue | undefined)[] = isArray(node.type) ? node.type : [node.type];
  if (!types.includes('object')) return node.properties === undefined;
  return node.additionalProperties === false && isEveryPropertyRequired(node);
}

function isEveryPropertyRequired({ properties, required }: SchemaNode): boolean {
  const names = new Set(isArray(required) ? required : []);
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return entries.every(([name, schema]) => names.has(name) && isObject(schema));
}
