import type { Operation } from '../../src/operations/operation.ts';
import type { TSchema } from '../../src/operations/schema.ts';
import type { Place } from './subjects.ts';

/** A field that a row takes, wherever it stands; only those of the body may be nested. */
export interface Field {
  readonly place: Place;
  readonly schema: Form;
}

export interface Form {
  readonly type?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Form[];
  readonly items?: Form;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Form>>;
}

export function formOf(schema: TSchema): Form {
  return schema as Form;
}

/** Every field of path, query and the first level of the body. */
export function fieldsOf(row: Operation): readonly Field[] {
  return (['params', 'query', 'body'] as const).flatMap((part) =>
    Object.entries(row[part]?.properties ?? {}).map(([name, schema]): Field => {
      return { place: `${part}.${name}`, schema: formOf(schema as TSchema) };
    }),
  );
}

/** The schema itself, or one of its choices. */
export function isOfType({ type, anyOf = [] }: Form, wanted: string): boolean {
  return type === wanted || anyOf.some((choice) => isOfType(choice, wanted));
}

/** A text that somebody may write as they like. */
export function isFreeText({ type, pattern, anyOf = [] }: Form): boolean {
  return (type === 'string' && pattern === undefined) || anyOf.some(isFreeText);
}
