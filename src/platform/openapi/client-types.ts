import type { Node } from './openapi-form.ts';

/** The part of JSON Schema that the rows use. */
interface Schema extends Node {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** A schema as a TypeScript type. What it does not understand is unknown, never any. */
export function printType(schema: object): string {
  const known = schema as Schema;
  if (known.const !== undefined) return JSON.stringify(known.const);
  if (known.enum !== undefined) return union(known.enum.map((value) => JSON.stringify(value)));
  if (known.anyOf !== undefined) return union(known.anyOf.map(printType));
  if (known.type === 'array') return `readonly ${wrapped(printType(known.items ?? {}))}[]`;
  if (known.properties !== undefined) return printObject(known.properties, known.required ?? []);
  if (known.type === 'object') return printRecord(known);
  return PLAIN[String(known.type)] ?? 'unknown';
}

function printObject(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string {
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?';
    return `readonly ${JSON.stringify(name)}${mark}: ${printType(field)}`;
  });
  return `{ ${fields.join('; ')} }`;
}

function printRecord({ patternProperties, additionalProperties }: Schema): string {
  const values = Object.values(patternProperties ?? {});
  if (typeof additionalProperties === 'object') values.push(additionalProperties);
  return `Readonly<Record<string, ${values.length === 0 ? 'unknown' : union(values.map(printType))}>>`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

/** `readonly (A | B)[]` and `readonly (readonly A[])[]` need their parentheses. */
function wrapped(type: string): string {
  return /^\w+$|^\{[^|]*\}$/.test(type) ? type : `(${type})`;
}
