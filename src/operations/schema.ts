/**
 * The part of JSON Schema that the rows of the API need, with the types of the values. It has only keywords
 * that check.ts checks.
 */
export interface TSchema<Value = unknown> {
  readonly type?: TypeName;
  readonly description?: string;
  /** The value of an absent query parameter. */
  readonly default?: unknown;
  readonly const?: Constant;
  readonly anyOf?: readonly TSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: TProperties;
  readonly patternProperties?: TProperties;
  /** What the pattern means, in words for a message: `a time such as …`. Not in the JSON. */
  readonly [FORM]?: string;
  /** Null is accepted, too: it takes the value back. The summary of the operation says so, not the JSON. */
  readonly [REMOVABLE]?: true;
  /** Never set. It carries the type of the values to Static. */
  readonly [VALUE]?: Value;
}

export type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';
export type Constant = string | number | boolean;
export type TProperties = Readonly<Record<string, TSchema>>;

export interface TObject<Properties extends TProperties = TProperties> extends TSchema<Fields<Properties>> {
  readonly type: 'object';
  readonly properties: Properties;
}

export type TOptional<Schema extends TSchema = TSchema> = Schema & { readonly [OPTIONAL]: true };

/** The type of the values that fit. */
export type Static<Schema extends TSchema> = Schema extends TSchema<infer Value> ? Value : never;

type Fields<Properties extends TProperties> = Flat<
  Omit<Values<Properties>, OptionalNames<Properties>> &
    Partial<Pick<Values<Properties>, OptionalNames<Properties>>>
>;

type Values<Properties extends TProperties> = { [Name in keyof Properties]: Static<Properties[Name]> };

type OptionalNames<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends TOptional ? Name : never;
}[keyof Properties];

/** Shows an intersection of two objects as one object. */
type Flat<Both> = { [Name in keyof Both]: Both[Name] };

type Options<Keyword extends keyof TSchema = never> = Pick<TSchema, 'description' | 'default' | Keyword>;

declare const VALUE: unique symbol;
const OPTIONAL: unique symbol = Symbol('optional');
export const FORM: unique symbol = Symbol('form');
export const REMOVABLE: unique symbol = Symbol('removable');

/** Builders of schemas: plain objects, ready for the OpenAPI document. */
export const Type = {
  String: text,
  Integer: (options?: Options<'minimum' | 'maximum'>) => typed<number>('integer', options),
  Number: (options?: Options<'minimum' | 'maximum'>) => typed<number>('number', options),
  Boolean: (options?: Options) => typed<boolean>('boolean', options),
  Null: (options?: Options) => typed<null>('null', options),
  Unknown: (options?: Options): TSchema => ({ ...options }),
  Literal: literal,
  Union: union,
  Array: list,
  Record: record,
  Object: object,
  Optional: optional,
};

function typed<Value>(type: TypeName, options: TSchema = {}): TSchema<Value> {
  return { type, ...options } as TSchema<Value>;
}

type TextOptions = Options<'minLength' | 'maxLength' | 'pattern' | typeof FORM> & { readonly form?: string };

function text({ form, ...options }: TextOptions = {}): TSchema<string> {
  return typed<string>('string', form === undefined ? options : { ...options, [FORM]: form });
}

function literal<const Value extends Constant>(value: Value, options?: Options): TSchema<Value> {
  return { type: typeof value as 'string' | 'number' | 'boolean', const: value, ...options };
}

function union<Member extends TSchema>(anyOf: readonly Member[], options?: Options): TSchema<Static<Member>> {
  return { anyOf, ...options };
}

function list<Item extends TSchema>(items: Item, options?: Options<'maxItems'>): TSchema<Static<Item>[]> {
  return { type: 'array', items, ...options };
}

/** An object with fields of any name. */
function record<Item extends TSchema>(
  values: Item,
  options?: Options,
): TSchema<Record<string, Static<Item>>> {
  return { type: 'object', patternProperties: { '^.*$': values }, ...options };
}

function object<Properties extends TProperties>(
  properties: Properties,
  options?: Options,
): TObject<Properties> {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name]));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

/** Marks a field as optional. The mark is not in the JSON, and a shared schema is not changed. */
function optional<Schema extends TSchema>(schema: Schema): TOptional<Schema> {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true }) as TOptional<Schema>;
}

function isOptional(schema: object = {}): boolean {
  return OPTIONAL in schema;
}
