/**
 * Shapes of requests as data. The vendors agree on what a wrong request is and differ only in how they say
 * it: `check` finds the problems, each vendor's `describe` words them.
 */
export type Shape =
  | { readonly kind: 'anything' }
  | { readonly kind: 'flag' }
  | {
      readonly kind: 'text';
      readonly values?: readonly string[];
      readonly max?: number;
      readonly pattern?: RegExp;
    }
  | { readonly kind: 'number'; readonly min?: number; readonly max?: number; readonly integer?: 'integer' }
  | { readonly kind: 'list'; readonly of: Shape; readonly min?: number; readonly max?: number }
  | { readonly kind: 'map'; readonly of: Shape; readonly max?: number }
  | Struct
  | {
      readonly kind: 'variant';
      readonly tag: string;
      readonly of: ReadonlyMap<string, Shape>;
      readonly absent?: string;
    }
  | { readonly kind: 'either'; readonly of: readonly Shape[] };

export interface Struct {
  readonly kind: 'struct';
  readonly fields: ReadonlyMap<string, Shape>;
  readonly required: readonly string[];
}

export type Path = readonly (string | number)[];

export interface Problem {
  readonly code:
    | 'unknown'
    | 'missing'
    | 'type'
    | 'value'
    | 'below'
    | 'above'
    | 'long'
    | 'few'
    | 'many'
    | 'pattern';
  readonly path: Path;
  readonly got?: unknown;
  readonly expected?: string;
  readonly supported?: readonly string[];
  readonly limit?: number;
}

export const anything: Shape = { kind: 'anything' };
export const flag: Shape = { kind: 'flag' };
export const text = (rest: Omit<Shape & { kind: 'text' }, 'kind'> = {}): Shape => ({ kind: 'text', ...rest });
export const oneOf = (...values: readonly string[]): Shape => ({ kind: 'text', values });
export const number = (min?: number, max?: number): Shape => ({
  kind: 'number',
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});
export const integer = (min?: number, max?: number): Shape =>
  ({ ...number(min, max), integer: 'integer' }) as Shape;
export const list = (of: Shape, rest: { min?: number; max?: number } = {}): Shape => ({
  kind: 'list',
  of,
  ...rest,
});
export const map = (of: Shape, max?: number): Shape => ({
  kind: 'map',
  of,
  ...(max === undefined ? {} : { max }),
});
export const either = (...of: readonly Shape[]): Shape => ({ kind: 'either', of });

/** Field names that end in `!` must be there; the others may also be null. */
export function struct(fields: Readonly<Record<string, Shape>>): Struct {
  const entries = Object.entries(fields);
  return {
    kind: 'struct',
    fields: new Map(entries.map(([name, shape]) => [name.replace('!', ''), shape])),
    required: entries.filter(([name]) => name.endsWith('!')).map(([name]) => name.slice(0, -1)),
  };
}

/** One of several objects, told apart by the value of a field. */
export function variant(tag: string, of: Readonly<Record<string, Shape>>, absent?: string): Shape {
  return {
    kind: 'variant',
    tag,
    of: new Map(Object.entries(of)),
    ...(absent === undefined ? {} : { absent }),
  };
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
