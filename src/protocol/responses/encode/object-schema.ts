import { isArray, type JsonObject, readJson } from '../../hub/content/json.ts';

const NO_KEYS: ReadonlySet<string> = new Set();
const EMPTY = '{"type":"object","properties":{}}';

/**
 * The parameters of a function, whose root must be explicitly an object. `undefined` if the schema describes
 * something else: then no arguments could match it.
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

/** The type is inserted at the front; everything after it keeps its spelling. */
function withType(raw: string, schema: JsonObject): string {
  if (Object.keys(schema).length === 0) return EMPTY;
  return `{"type":"object",${raw.slice(raw.indexOf('{') + 1)}`;
}
