import { DEPTH_MAX } from '../bounds.ts';
import { type Json, record, records, strings } from '../request/json.ts';

/** Keywords that strict schemas may not have (rule V-8). */
const FORBIDDEN = ['allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'oneOf'];

/** What is wrong with the parameters of a function tool. */
export function parametersProblem(parameters: Json, strict: unknown): string | undefined {
  if (parameters.type !== 'object' && Object.keys(parameters).length > 0) {
    const got = typeof parameters.type === 'string' ? parameters.type : 'None';
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`;
  }
  return strict === true ? strictProblem(parameters) : undefined;
}

/** What a strict schema lacks, in the words of the vendor, or nothing. */
export function strictProblem(schema: Json, context: readonly string[] = []): string | undefined {
  if (context.length > DEPTH_MAX) return undefined;
  // Written as Python writes a tuple.
  const steps = context.map((step) => `'${step}'`).join(', ');
  const where = `In context=(${steps}${context.length === 1 ? ',' : ''})`;
  const forbidden = FORBIDDEN.find((keyword) => schema[keyword] !== undefined);
  if (forbidden !== undefined) return `${where}, '${forbidden}' is not permitted.`;
  return objectProblem(schema, where) ?? innerProblem(schema, context);
}

function objectProblem(schema: Json, where: string): string | undefined {
  const properties = Object.keys(record(schema.properties));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (!types.includes('object')) return undefined;
  if (schema.additionalProperties !== false) {
    return `${where}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  const required = strings(schema.required);
  const missing = properties.find((name) => !required.includes(name));
  if (missing === undefined) return undefined;
  return (
    `${where}, 'required' is required to be supplied and to be an array including every key in properties. ` +
    `Missing '${missing}'.`
  );
}

function innerProblem(schema: Json, context: readonly string[]): string | undefined {
  const inner: [readonly string[], Json][] = [];
  for (const keyword of ['properties', '$defs', 'definitions']) {
    for (const [name, value] of Object.entries(record(schema[keyword]))) {
      inner.push([[...context, keyword, name], record(value)]);
    }
  }
  if (schema.items !== undefined) inner.push([[...context, 'items'], record(schema.items)]);
  for (const [index, option] of records(schema.anyOf).entries()) {
    inner.push([[...context, 'anyOf', String(index)], option]);
  }
  for (const [path, value] of inner) {
    const problem = strictProblem(value, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
