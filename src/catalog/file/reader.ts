import { CATALOG_LIST_MAX } from '../../bounds.ts';
import { MICRO, parseMicro } from '../../kernel/money.ts';
import { Problems } from './problems.ts';
import type { Tree, TreeScalar } from './yaml-tree.ts';

/**
 * Readers of a catalogue file. A reader that finds a problem reports it and answers a harmless stand-in, so
 * that reading goes on and every problem is found; a document with problems is never used.
 */
export interface ReadPosition {
  readonly tree: Tree;
  readonly path: string;
  readonly problems: Problems;
}

export type Reader<T> = (place: ReadPosition) => T;

export interface Field<T> {
  readonly key: string;
  readonly read: Reader<T>;
  /** Nothing: the key is required. */
  readonly absent: (() => T) | undefined;
}

export type Fields<T> = { readonly [Name in keyof T]-?: Field<T[Name]> };

export function required<T>(key: string, read: Reader<T>): Field<T> {
  return { key, read, absent: undefined };
}

export function optional<T>(key: string, read: Reader<T>, fallback: NoInfer<T>): Field<T> {
  return { key, read, absent: () => fallback };
}

const NOTHING: Tree = { kind: 'scalar', line: 0, value: null, text: '', origin: 'missing' };

/** A map with these keys and no others. An empty value counts as left out. */
export function object<T extends object>(fields: Fields<T>): Reader<T> {
  const list = Object.entries(fields) as [string, Field<unknown>][];
  const known = new Set(list.map(([, field]) => field.key));
  return (place) => {
    const { tree, path, problems } = place;
    const isMap = tree.kind === 'map';
    if (!isMap) report(place, `must be a map with the keys ${[...known].join(', ')}`);
    const entries = isMap ? tree.entries : new Map<string, Tree>();
    for (const [key, value] of entries) {
      if (known.has(key)) continue;
      const hint = `unknown key "${key}" (known: ${[...known].join(', ')})`;
      problems.add(childPath(path, key), hint, value.line);
    }
    const made: Record<string, unknown> = {};
    for (const [name, { key, read, absent }] of list) {
      const value = entries.get(key);
      if (value !== undefined && !isEmpty(value)) {
        made[name] = read({ tree: value, path: childPath(path, key), problems });
      } else if (absent !== undefined) {
        made[name] = absent();
      } else {
        if (isMap) problems.add(childPath(path, key), 'is required', tree.line);
        made[name] = readDefault(read);
      }
    }
    return made as T;
  };
}

export function list<T>(read: Reader<T>, itemsMax = CATALOG_LIST_MAX): Reader<readonly T[]> {
  return (place) => {
    const { tree, path, problems } = place;
    if (tree.kind !== 'list') return report(place, 'must be a list', []);
    if (tree.items.length > itemsMax) return report(place, `has more than ${itemsMax} entries`, []);
    return tree.items.map((item, index) => read({ tree: item, path: `${path}[${index}]`, problems }));
  };
}

export interface TextRule {
  readonly lengthMax: number;
  readonly lengthMin?: number;
  readonly pattern?: RegExp;
  /** Completes "must be …". */
  readonly shape?: string;
}

// Control and format characters would travel into logs, headers and pages.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}]/u;

export function text(rule: TextRule): Reader<string> {
  return (place) => {
    const scalar = scalarAt(place);
    if (scalar === undefined) return '';
    if (typeof scalar.value !== 'string') return report(place, 'must be a text: put it into quotes', '');
    const { text: content } = scalar;
    const { lengthMin = 1, lengthMax, pattern, shape } = rule;
    if (content.length < lengthMin || content.length > lengthMax) {
      return report(place, `must have ${lengthMin} to ${lengthMax} characters`, '');
    }
    if (pattern !== undefined && !pattern.test(content))
      return report(place, `must be ${shape ?? pattern}`, '');
    if (UNPRINTABLE.test(content)) return report(place, 'must not contain control characters', '');
    return content;
  };
}

/** Of many lines; the only text that may hold line ends. */
export function prose(lengthMax: number): Reader<string> {
  return (place) => {
    const scalar = scalarAt(place);
    if (scalar === undefined) return '';
    if (typeof scalar.value !== 'string' || scalar.text.length > lengthMax) {
      return report(place, `must be a text of at most ${lengthMax} characters`, '');
    }
    return scalar.text;
  };
}

export function choice<const T extends string>(...choices: readonly [T, ...T[]]): Reader<T> {
  return (place) => {
    const scalar = scalarAt(place);
    if (scalar === undefined) return choices[0];
    const found = choices.find((each) => each === scalar.value);
    return found ?? report(place, `must be one of ${choices.join(', ')}`, choices[0]);
  };
}

export function integer(min: number, max: number): Reader<number> {
  return (place) => {
    const scalar = scalarAt(place);
    if (scalar === undefined) return min;
    const isNumber = typeof scalar.value === 'number' || scalar.origin === 'environment';
    const value = isNumber && /^-?\d{1,15}$/.test(scalar.text) ? Number(scalar.text) : Number.NaN;
    if (value >= min && value <= max) return value;
    return report(place, `must be a whole number from ${min} to ${max}`, min);
  };
}

/** An exact decimal, as a number or a text, not negative; in micro-units. */
export function decimal(max: number): Reader<bigint> {
  return (place) => {
    const scalar = scalarAt(place);
    if (scalar === undefined) return 0n;
    const micro = typeof scalar.value === 'boolean' ? undefined : parseMicro(scalar.text);
    if (micro !== undefined && micro >= 0n && micro <= BigInt(max) * MICRO) return micro;
    return report(place, `must be a decimal from 0 to ${max} with at most six decimals`, 0n);
  };
}

export const boolean: Reader<boolean> = (place) => {
  const scalar = scalarAt(place);
  if (scalar === undefined) return false;
  if (typeof scalar.value === 'boolean') return scalar.value;
  const isSwitch = scalar.origin === 'environment' && /^(?:true|false)$/.test(scalar.text);
  return isSwitch ? scalar.text === 'true' : report(place, 'must be true or false', false);
};

/** An http(s) address without credentials, query or fragment; trailing slashes go. */
export const address: Reader<string> = (place) => {
  const content = text({ lengthMax: 2_048 })(place);
  if (content === '') return '';
  const url = URL.parse(content);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isWeb || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return report(place, 'must be an http or https address without user, query and fragment', '');
  }
  return content.replace(/\/{1,16}$/, '');
};

/** Reports a problem at a place and answers the stand-in. */
export function report<T = undefined>(place: ReadPosition, message: string, standIn?: T): T {
  place.problems.add(place.path, message, place.tree.line);
  return standIn as T;
}

export function childPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function isEmpty(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

/** Nothing when there is no value to judge: its problem was reported where it arose. */
function scalarAt(place: ReadPosition): TreeScalar | undefined {
  const { tree } = place;
  if (tree.kind !== 'scalar') return report(place, 'must be a single value');
  return tree.origin === 'missing' ? undefined : tree;
}

/** Reading an absent value gives the default of each reader. Problems with it are not reported. */
function readDefault(read: Reader<unknown>): unknown {
  return read({ tree: NOTHING, path: '', problems: new Problems() });
}
