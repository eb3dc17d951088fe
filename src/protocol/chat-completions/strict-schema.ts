import { isArray, isObject } from '../hub/json.ts';
import { parseSchema, type SchemaNode, visitSchema } from '../hub/schema.ts';

/** Keywords OpenAI refuses in strict schemas (conversion.md 6.3). */
const REFUSED: readonly string[] = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
];

/** Whether OpenAI would take the schema as a strict one: an object, closed, with every property required. */
export function qualifiesAsStrict(raw: string): boolean {
  const root = parseSchema(raw);
  if (root === undefined || root.type !== 'object') return false;
  let qualifies = true;
  visitSchema(root, (node) => {
    qualifies &&= isStrictNode(node);
  });
  return qualifies;
}

function isStrictNode(node: SchemaNode): boolean {
  if (REFUSED.some((keyword) => node[keyword] !== undefined)) return false;
  const isNamed = node.type === 'object' || (isArray(node.type) && node.type.includes('object'));
  const isObjectNode = isNamed || isObject(node.properties);
  if (!isObjectNode) return true;
  const required = isArray(node.required) ? node.required : [];
  const properties = isObject(node.properties) ? Object.keys(node.properties) : [];
  return node.additionalProperties === false && properties.every((name) => required.includes(name));
}
