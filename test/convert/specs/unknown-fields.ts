import type { Shape } from '../../../sim/request/shape.ts';
import type { Node } from './document.ts';

type Schemas = Readonly<Record<string, Node>>;

/** Specifications refer to themselves; this deep nothing new comes. */
const DEPTH_MAX = 12;

/** What a specification takes and a simulator does not: fields, values and kinds of objects. */
export function unknownFields(shape: Shape, schema: Node, schemas: Schemas): readonly string[] {
  const found = new Set<string>();
  new Comparison(schemas, found).compare(shape, schema, []);
  return [...found].sort();
}

class Comparison {
  readonly #schemas: Schemas;
  readonly #found: Set<string>;

  constructor(schemas: Schemas, found: Set<string>) {
    this.#schemas = schemas;
    this.#found = found;
  }

  compare(shape: Shape, schema: Node, path: readonly string[]): void {
    if (path.length > DEPTH_MAX || shape.kind === 'anything') return;
    for (const one of this.#alternatives(schema)) {
      const fitting = fittingShape(shape, typeOf(one));
      if (fitting !== undefined) this.#compareOne(fitting, one, path);
    }
  }

  #compareOne(shape: Shape, schema: Node, path: readonly string[]): void {
    const properties = propertiesOf(schema);
    switch (shape.kind) {
      case 'text':
        for (const value of shape.values === undefined ? [] : valuesOf(schema)) {
          if (!shape.values?.includes(value)) this.#tell([...path, value]);
        }
        return;
      case 'list':
        this.compare(shape.of, (schema.items ?? {}) as Node, [...path, '[]']);
        return;
      case 'struct':
        for (const [name, property] of Object.entries(properties)) {
          const field = shape.fields.get(name);
          if (field === undefined) this.#tell([...path, name]);
          else this.compare(field, property, [...path, name]);
        }
        return;
      case 'variant':
        for (const value of this.#alternatives(properties[shape.tag] ?? {}).flatMap(valuesOf)) {
          const chosen = shape.of.get(value);
          if (chosen === undefined) this.#tell([...path, value]);
          else this.#compareOne(chosen, schema, [...path, value]);
        }
    }
  }

  #tell(path: readonly string[]): void {
    this.#found.add(path.join('.'));
  }

  /** What stands behind references and unions, each with the properties that it shares with the others. */
  #alternatives(schema: Node): readonly Node[] {
    const { $ref, allOf, anyOf } = schema;
    if (typeof $ref === 'string') {
      return this.#alternatives(this.#schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
    }
    if (Array.isArray(anyOf)) {
      return anyOf.flatMap((one) => this.#alternatives(one)).map((one) => merged(schema, one));
    }
    if (!Array.isArray(allOf)) return [schema];
    return allOf.reduce<readonly Node[]>(
      (before, one) => before.flatMap((left) => this.#alternatives(one).map((right) => merged(left, right))),
      [{ properties: propertiesOf(schema) }],
    );
  }
}

function merged(left: Node, right: Node): Node {
  const properties = { ...propertiesOf(left), ...propertiesOf(right) };
  return Object.keys(properties).length === 0 ? right : { ...right, properties };
}

function propertiesOf(schema: Node): Readonly<Record<string, Node>> {
  return (schema.properties ?? {}) as Record<string, Node>;
}

function valuesOf({ const: only, enum: values }: Node): readonly string[] {
  const all = Array.isArray(values) ? values : [only];
  return all.filter((one) => typeof one === 'string');
}

function typeOf(schema: Node): string {
  if (typeof schema.type === 'string') return schema.type;
  if (schema.properties !== undefined) return 'object';
  return valuesOf(schema).length > 0 ? 'string' : 'any';
}

function fittingShape(shape: Shape, type: string): Shape | undefined {
  if (shape.kind === 'either') return shape.of.find((one) => fittingShape(one, type) !== undefined);
  if (shape.kind === 'text') return type === 'string' ? shape : undefined;
  if (shape.kind === 'list') return type === 'array' ? shape : undefined;
  const isObject = shape.kind === 'struct' || shape.kind === 'variant';
  return isObject && type === 'object' ? shape : undefined;
}
