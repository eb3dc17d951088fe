import { isJsonObject } from '../../kernel/encoding/json.ts';
import { SHOWN_NAME_CHARS_MAX } from '../../operations/bounds.ts';
import {
  type Constant,
  FORM,
  REMOVABLE,
  type TProperties,
  type TSchema,
  type TypeName,
} from '../../operations/schema.ts';

/** Reports the first problem in one sentence. It names the field and repeats nothing of the value. */
export type Check = (value: unknown) => string | undefined;

/** Patterns are compiled here, once. The schema bounds the depth of a check. */
export function createCheck(schema: TSchema): Check {
  const find = compileFinder(schema);
  return (value) => {
    const breach = find(value);
    return breach && `${breach.path.slice(1) || 'body'} ${breach.problem}`;
  };
}

/** What is wrong, relative to the checked value. */
interface Breach {
  /** For example `.models.0.name`; empty for the value itself. */
  readonly path: string;
  readonly problem: string;
  /** The allowed values, if they are constants. */
  readonly choices?: readonly Constant[];
}

type Finder = (value: unknown) => Breach | undefined;

function compileFinder(schema: TSchema): Finder {
  const find = compileForm(schema);
  return schema[REMOVABLE] ? (value) => (value === null ? undefined : find(value)) : find;
}

function compileForm(schema: TSchema): Finder {
  if (schema.const !== undefined) return constantFinder(schema.const);
  if (schema.anyOf !== undefined) return unionFinder(schema.anyOf);
  switch (schema.type) {
    case 'string':
      return textFinder(schema);
    case 'integer':
    case 'number':
      return numberFinder(schema, schema.type);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? undefined : notOfType('boolean'));
    case 'null':
      return (value) => (value === null ? undefined : notOfType('null'));
    case 'array':
      return listFinder(schema);
    case 'object':
      return schema.properties === undefined ? recordFinder(schema) : objectFinder(schema, schema.properties);
    default:
      return () => undefined;
  }
}

function constantFinder(constant: Constant): Finder {
  const breach = wrongChoice([constant]);
  return (value) => (value === constant ? undefined : breach);
}

/** For constants, all of them are named. Otherwise the problem with the first form is reported. */
function unionFinder(anyOf: readonly TSchema[]): Finder {
  const finders = anyOf.map(compileFinder);
  const mayBeNull = anyOf.length > 1 && anyOf.some(({ type }) => type === 'null');
  return (value) => {
    const breaches: Breach[] = [];
    for (const find of finders) {
      const breach = find(value);
      if (breach === undefined) return undefined;
      breaches.push(breach);
    }
    const first = breaches[0] ?? wrong('has an unknown form');
    const choices = breaches.flatMap(({ path, choices = [] }) => (path === first.path ? choices : []));
    const breach = choices.length === 0 ? first : { ...wrongChoice(choices), path: first.path };
    return mayBeNull && breach.path === '' ? { ...breach, problem: `${breach.problem}, or null` } : breach;
  };
}

/** The form is checked before the length: for a wrongly written time the form is the useful message. */
function textFinder(schema: TSchema): Finder {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  const form = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const formless = wrong(`must be ${schema[FORM] ?? 'in another form'}`);
  return (value) => {
    if (typeof value !== 'string') return schema[FORM] === undefined ? notOfType('string') : formless;
    if (form !== undefined && !form.test(value)) return formless;
    if (isShorter(value, minLength)) return wrong(`must have at least ${minLength} characters`);
    if (isLonger(value, maxLength)) return wrong(`must have at most ${maxLength} characters`);
    return undefined;
  };
}

/** A character is one or two units, so most texts need no counting. */
function isShorter(text: string, length: number): boolean {
  return text.length < length || (text.length < 2 * length && countCharacters(text) < length);
}

function isLonger(text: string, length: number): boolean {
  return text.length > 2 * length || (text.length > length && countCharacters(text) > length);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function numberFinder({ minimum, maximum }: TSchema, type: 'integer' | 'number'): Finder {
  const isNumber = type === 'integer' ? Number.isInteger : Number.isFinite;
  return (value) => {
    if (typeof value !== 'number' || !isNumber(value)) return notOfType(type);
    if (minimum !== undefined && value < minimum) return wrong(`must be at least ${minimum}`);
    if (maximum !== undefined && value > maximum) return wrong(`must be at most ${maximum}`);
    return undefined;
  };
}

function listFinder({ items = {}, maxItems = Number.POSITIVE_INFINITY }: TSchema): Finder {
  const find = compileFinder(items);
  return (value) => {
    if (!Array.isArray(value)) return notOfType('array');
    for (const [index, item] of value.entries()) {
      const breach = find(item);
      if (breach !== undefined) return inside(String(index), breach);
    }
    return value.length > maxItems ? wrong(`must not have more than ${maxItems} items`) : undefined;
  };
}

function recordFinder({ patternProperties = {} }: TSchema): Finder {
  const finders = Object.values(patternProperties).map(compileFinder);
  return (value) => {
    if (!isJsonObject(value)) return notOfType('object');
    for (const [name, item] of Object.entries(value)) {
      for (const find of finders) {
        const breach = find(item);
        if (breach !== undefined) return inside(name, breach);
      }
    }
    return undefined;
  };
}

/** Own fields only, because every object has a `constructor`. Missing fields are reported first. */
function objectFinder({ required = [] }: TSchema, properties: TProperties): Finder {
  const finders = Object.entries(properties).map(([name, schema]) => [name, compileFinder(schema)] as const);
  const needed = new Set(required);
  return (value) => {
    if (!isJsonObject(value)) return notOfType('object');
    for (const name of required) {
      if (!Object.hasOwn(value, name)) return inside(name, wrong('is required'));
    }
    for (const [name, find] of finders) {
      const field = Object.hasOwn(value, name) ? value[name] : undefined;
      if (field === undefined && !needed.has(name)) continue;
      const breach = find(field);
      if (breach !== undefined) return inside(name, breach);
    }
    return undefined;
  };
}

function wrong(problem: string): Breach {
  return { path: '', problem };
}

function wrongChoice(choices: readonly Constant[]): Breach {
  return { path: '', problem: `must be one of ${choices.join(', ')}`, choices };
}

function notOfType(type: TypeName): Breach {
  return wrong(`must be ${TYPE_NAMES[type]}`);
}

function inside(name: string, breach: Breach): Breach {
  return { ...breach, path: `.${shownName(name)}${breach.path}` };
}

export const TYPE_NAMES: Readonly<Record<TypeName, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/** A foreign name in a form that a message may repeat. */
export function shownName(name: string): string {
  return name.slice(0, SHOWN_NAME_CHARS_MAX).replace(/[^\x21-\x7e]/g, '?');
}
