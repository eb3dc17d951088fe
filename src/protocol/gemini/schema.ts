import { isArray, isObject, type JsonValue } from '../hub/content/json.ts';
import { parseSchema, rewriteSchema, type SchemaNode } from '../hub/schema/schema.ts';
import { mergeAllOf } from '../hub/schema/schema-shape.ts';

type Fields = Record<string, JsonValue | undefined>;

/** int64 fields, which protobuf writes as strings. */
const LONGS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

/** Converts Google's Schema to JSON Schema (rule C-27). */
export function schemaFromProto(raw: string): string {
  return rewriteSchema(raw, fromProto);
}

function fromProto(node: SchemaNode): SchemaNode {
  const fields = noFields();
  for (const [key, value] of Object.entries(node)) if (value !== undefined) readKeyword(fields, key, value);
  orderProperties(fields, node.propertyOrdering ?? node.property_ordering);
  if (node.nullable === true) allowNull(fields);
  return isSame(fields, node) ? node : fields;
}

/** Property names are chosen by the user, so one may be `__proto__`. */
function noFields(): Fields {
  return Object.create(null) as Fields;
}

function isSame(fields: Fields, node: SchemaNode): boolean {
  const keys = Object.keys(node);
  return keys.length === Object.keys(fields).length && keys.every((key) => Object.is(fields[key], node[key]));
}

function readKeyword(fields: Fields, key: string, value: JsonValue): void {
  const name = key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  if (name === 'nullable' || name === 'propertyOrdering') return;
  if (name === 'format' && value === 'enum') return;
  if (name === 'type' && typeof value === 'string') {
    const type = value.toLowerCase();
    if (type !== 'type_unspecified') fields.type = type;
  } else if (name === 'example') {
    fields.examples = [value];
  } else if (key === 'any_of' && isArray(value)) {
    // Its snake-case name was not visited before.
    fields.anyOf = value.map((item) => (isObject(item) ? fromProto(item) : item));
  } else {
    const isLong = LONGS.has(name) && typeof value === 'string' && /^\d{1,15}$/.test(value);
    fields[name] = isLong ? Number(value) : value;
  }
}

function orderProperties(fields: Fields, order: JsonValue | undefined): void {
  const { properties } = fields;
  if (!isArray(order) || !isObject(properties)) return;
  const names = new Set([...order.filter((name) => typeof name === 'string'), ...Object.keys(properties)]);
  const known = [...names].filter((name) => Object.hasOwn(properties, name));
  fields.properties = Object.fromEntries(known.map((name) => [name, properties[name]]));
}

function allowNull(fields: Fields): void {
  if (typeof fields.type === 'string') fields.type = [fields.type, 'null'];
  if (isArray(fields.anyOf)) fields.anyOf = [...fields.anyOf, { type: 'null' }];
  if (isArray(fields.enum)) fields.enum = [...fields.enum, null];
}

/** Keywords that Gemini's JSON Schema does not know. Without them the schema is only less strict. */
const UNKNOWN: ReadonlySet<string> = new Set([
  '$schema',
  '$comment',
  'examples',
  'readOnly',
  'writeOnly',
  'deprecated',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'patternProperties',
  'not',
  'if',
  'then',
  'else',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
]);

/**
 * JSON Schema for `parametersJsonSchema` and `responseJsonSchema`. The same text if nothing has to change.
 */
export function schemaForGoogle(raw: string): string {
  return rewriteSchema(raw, forGoogle);
}

function forGoogle(node: SchemaNode): SchemaNode {
  const { $ref } = node;
  const fields = noFields();
  for (const [key, value] of Object.entries(node)) {
    // Beside a reference only keywords that begin with `$` are allowed.
    if (UNKNOWN.has(key) || (typeof $ref === 'string' && !key.startsWith('$'))) continue;
    fields[key] = value;
  }
  if (typeof $ref === 'string') fields.$ref = $ref.replace(/^#\/definitions\//, '#/$defs/');
  renameDefinitions(fields);
  const merged = { ...mergeAll(fields) };
  limitChoices(merged);
  limitBounds(merged);
  return isSame(merged, node) ? node : merged;
}

function renameDefinitions(fields: Fields): void {
  const { definitions } = fields;
  if (!isObject(definitions)) return;
  delete fields.definitions;
  fields.$defs = { ...definitions, ...(isObject(fields.$defs) ? fields.$defs : {}) };
}

/** Merges `allOf` if every member is written out. A single reference replaces it. */
function mergeAll(fields: Fields): SchemaNode {
  const { allOf } = fields;
  if (!isArray(allOf)) return fields;
  const [only, second] = allOf;
  if (second === undefined && isObject(only) && typeof only.$ref === 'string') {
    const kept = Object.entries(fields).filter(([key]) => key.startsWith('$'));
    return { ...Object.fromEntries(kept), ...only };
  }
  const isWrittenOut = allOf.every((member) => isObject(member) && member.$ref === undefined);
  return isWrittenOut ? mergeAllOf(fields) : fields;
}

/** Choices are strings and numbers; `const` is a choice of one. */
function limitChoices(fields: Fields): void {
  const { const: constant } = fields;
  if (constant !== undefined) {
    delete fields.const;
    fields.enum ??= [constant];
  }
  if (!isArray(fields.enum)) return;
  const choices = fields.enum.filter((choice) => typeof choice === 'string' || typeof choice === 'number');
  if (choices.length === 0) delete fields.enum;
  else if (choices.length < fields.enum.length) fields.enum = choices;
}

const BOUNDS = [
  ['exclusiveMinimum', 'minimum', 'greater than'],
  ['exclusiveMaximum', 'maximum', 'less than'],
] as const;

/** An exclusive bound becomes an inclusive one, and the description says so. */
function limitBounds(fields: Fields): void {
  for (const [open, closed, words] of BOUNDS) {
    const bound = fields[open];
    if (bound === undefined) continue;
    delete fields[open];
    if (typeof bound !== 'number') continue;
    fields[closed] ??= bound;
    const note = `Must be ${words} ${bound}.`;
    const { description } = fields;
    fields.description = typeof description === 'string' ? `${description} ${note}` : note;
  }
}

/** The schema has no arguments at all: then the declaration has no schema (rule C-23). */
export function takesNothing(raw: string): boolean {
  const root = parseSchema(raw);
  if (root === undefined) return true;
  const keys = Object.keys(root).filter((key) => !['type', 'properties', 'required'].includes(key));
  const hasProperties = isObject(root.properties) && Object.keys(root.properties).length > 0;
  const rest = keys.filter((key) => key !== 'additionalProperties' || root[key] !== false);
  return !hasProperties && rest.length === 0;
}
