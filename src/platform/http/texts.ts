import type { TObject, TSchema, TypeName } from '../../operations/schema.ts';
import { TYPE_NAMES } from './check.ts';
import { decodeText } from './router.ts';

/** Path and query are texts; a schema may want a number, a boolean or a list of them. */
export type ConvertedTexts =
  | { readonly kind: 'value'; readonly value: Record<string, unknown> }
  | { readonly kind: 'problem'; readonly message: string };

const INTEGER = /^(?:0|-?[1-9]\d{0,15})$/;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,9})?$/;

/** Reads only what the schema names. An absent value takes the schema's default. */
export function convertTexts(schema: TObject, texts: ReadonlyMap<string, string>): ConvertedTexts {
  const value: Record<string, unknown> = {};
  for (const [name, wanted] of Object.entries(schema.properties)) {
    const text = texts.get(name);
    if (text === undefined) {
      if (wanted.default !== undefined) value[name] = wanted.default;
      continue;
    }
    const converted = convert(wanted, text);
    if (converted === undefined) return { kind: 'problem', message: `${name} must be ${wordsFor(wanted)}` };
    value[name] = converted;
  }
  return { kind: 'value', value };
}

const LISTS: Partial<Record<TypeName, string>> = {
  integer: 'a list of whole numbers, separated by commas',
  number: 'a list of numbers, separated by commas',
};

function wordsFor({ type = 'string', items }: TSchema): string {
  if (type !== 'array') return TYPE_NAMES[type];
  return LISTS[items?.type ?? 'string'] ?? 'a list, separated by commas';
}

/** Undefined if the text has not the wanted type. A value that stays a text is checked by the schema. */
function convert(wanted: TSchema, text: string): unknown {
  switch (wanted.type) {
    case 'integer':
      return INTEGER.test(text) ? Number(text) : undefined;
    case 'number':
      return NUMBER.test(text) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'array':
      return convertList(wanted.items ?? {}, text);
    default:
      return readChoice(wanted, text) ?? text;
  }
}

function convertList(items: TSchema, text: string): unknown {
  const values = text.split(',').map((part) => convert(items, part));
  return values.includes(undefined) ? undefined : values;
}

/** A choice among values that are not texts, such as 1, 2 and 3. */
function readChoice({ anyOf = [] }: TSchema, text: string): unknown {
  return anyOf.map((one) => one.const).find((choice) => choice !== undefined && String(choice) === text);
}

export type QueryTexts =
  | { readonly kind: 'texts'; readonly texts: ReadonlyMap<string, string> }
  | { readonly kind: 'problem'; readonly message: string };

/** Strict where browsers guess: a repeated name and text that is not percent-encoded UTF-8 are refused. */
export function readQuery(query: string): QueryTexts {
  const texts = new Map<string, string>();
  if (query === '') return { kind: 'texts', texts };
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const [rawName, rawValue] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    const name = decodeText(rawName.replaceAll('+', ' '));
    const value = decodeText(rawValue.replaceAll('+', ' '));
    if (name === undefined || value === undefined) {
      return { kind: 'problem', message: 'The query is not percent-encoded UTF-8' };
    }
    if (texts.has(name)) return { kind: 'problem', message: `${shown(name)} is given twice` };
    texts.set(name, value);
  }
  return { kind: 'texts', texts };
}

function shown(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : 'A parameter of the query';
}
