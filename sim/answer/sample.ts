import type { Random } from '../../src/kernel/random.ts';
import { SAMPLE_DEPTH_MAX } from '../bounds.ts';
import { type Json, record, strings } from '../request/json.ts';
import { drawTokens } from './words.ts';

/** A value that a JSON Schema (or Google's Schema) accepts: tool arguments and structured answers. */
export function sampleJson(schema: Json, random: Random): unknown {
  return sample({ schema, random, root: schema, depth: 0 });
}

interface Sampling {
  readonly schema: Json;
  readonly random: Random;
  /** Where `$ref` is looked up. */
  readonly root: Json;
  readonly depth: number;
}

function sample(sampling: Sampling): unknown {
  const { schema, random, depth } = sampling;
  if (typeof schema.$ref === 'string') return sample(into(sampling, follow(sampling.root, schema.$ref)));
  const values = schema.enum;
  if (Array.isArray(values) && values.length > 0) return values[Math.floor(random.unit() * values.length)];
  if (schema.const !== undefined) return schema.const;
  const options = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
  if (options !== undefined && options.length > 0) return sample(into(sampling, record(options[0])));
  switch (typeOf(schema)) {
    case 'object':
      return depth >= SAMPLE_DEPTH_MAX ? {} : sampleObject(sampling);
    case 'array':
      return depth >= SAMPLE_DEPTH_MAX ? [] : sampleArray(sampling);
    case 'integer':
      return Math.ceil(bounded(schema, random));
    case 'number':
      return Math.round(bounded(schema, random) * 10) / 10;
    case 'boolean':
      return random.unit() < 0.5;
    case 'null':
      return null;
    default:
      return drawTokens(random, 2, 'plain').join('');
  }
}

function into(sampling: Sampling, schema: Json): Sampling {
  return { ...sampling, schema, depth: sampling.depth + 1 };
}

function typeOf(schema: Json): string {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (typeof type === 'string') return type.toLowerCase();
  return schema.properties === undefined ? 'string' : 'object';
}

function sampleObject(sampling: Sampling): Json {
  const properties = Object.entries(record(sampling.schema.properties));
  const required = strings(sampling.schema.required);
  // Deep inside a recursive schema only what must be there is made.
  const wanted = sampling.depth < 2 ? properties : properties.filter(([name]) => required.includes(name));
  return Object.fromEntries(wanted.map(([name, schema]) => [name, sample(into(sampling, record(schema)))]));
}

function sampleArray(sampling: Sampling): readonly unknown[] {
  const count = Math.max(1, Number(sampling.schema.minItems ?? 1));
  return Array.from({ length: Math.min(count, 10) }, () =>
    sample(into(sampling, record(sampling.schema.items))),
  );
}

function bounded(schema: Json, random: Random): number {
  const min = Number(schema.minimum ?? schema.exclusiveMinimum ?? 0);
  const max = Number(schema.maximum ?? schema.exclusiveMaximum ?? min + 100);
  return min + random.unit() * (max - min);
}

/** `#/$defs/City` */
function follow(root: Json, reference: string): Json {
  let node: Json = root;
  for (const step of reference.replace(/^#\/?/, '').split('/').slice(0, 20)) {
    if (step !== '') node = record(node[step]);
  }
  return node;
}
