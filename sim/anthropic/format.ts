import { DEPTH_MAX } from '../bounds.ts';
import { type Json, record, records, string } from '../request/json.ts';

/** Keywords that constrained output cannot follow (rule V-8). */
const UNSUPPORTED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'not',
  'if',
];
const OPTIONAL_MAX = 24;

export function refuseFormat(body: Json): string | undefined {
  const { schema } = record(record(body.output_config).format ?? body.output_format);
  if (schema === undefined) return undefined;
  const problem = refuseSchema(record(schema), 0);
  if (problem !== undefined) return `output_config.format.schema: ${problem}`;
  const optional = countOptional(record(schema), 0);
  return optional > OPTIONAL_MAX ? 'Schema is too complex for compilation.' : undefined;
}

function refuseSchema(schema: Json, depth: number): string | undefined {
  if (depth > DEPTH_MAX) return 'Schema is too complex for compilation.';
  const type = string(schema.type);
  if (type === 'object' && schema.additionalProperties !== false) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  const keyword = UNSUPPORTED.find((name) => schema[name] !== undefined);
  if (keyword !== undefined) return `For '${type}' type, property '${keyword}' is not supported`;
  for (const inner of innerSchemas(schema)) {
    const problem = refuseSchema(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function innerSchemas(schema: Json): readonly Json[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((name) => Object.values(record(schema[name])));
  const items = schema.items === undefined ? [] : [schema.items];
  return [...[...named, ...items].map(record), ...records(schema.anyOf), ...records(schema.allOf)];
}

function countOptional(schema: Json, depth: number): number {
  if (depth > DEPTH_MAX) return 0;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.keys(record(schema.properties)).filter((name) => !required.includes(name)).length;
  return innerSchemas(schema).reduce((sum, inner) => sum + countOptional(inner, depth + 1), own);
}
