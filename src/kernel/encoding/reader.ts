import { assert } from '../assert.ts';
import { isJsonObject } from './json.ts';

/**
 * Readers of our own data that comes back from a file or a database. It may be damaged, or from another
 * version. A reader returns the value in its form, or a Misfit with the place and the form that was expected.
 * Nothing is thrown, and a value that fits costs no more than its checks.
 */
export type Read<Value> = (value: unknown) => Value | Misfit;

/** One reader for each field. Fields that are not named are left out of the result. */
export type Fields<Value> = { readonly [Name in keyof Value]-?: Read<Value[Name]> };

export class Misfit {
  /** `rates.userMicro`, `attempts[2].outcome`; empty for the value itself. */
  readonly path: string;
  /** Completes "is not …". */
  readonly wanted: string;

  constructor(wanted: string, path = '') {
    this.wanted = wanted;
    this.path = path;
  }

  below(name: string): Misfit {
    const isItem = this.path === '' || this.path.startsWith('[');
    return new Misfit(this.wanted, `${name}${isItem ? '' : '.'}${this.path}`);
  }
}

/** For data that only we write: it fits, or something is broken. `what` begins the message. */
export function readOwn<Value>(read: Read<Value>, value: unknown, what: string): Value {
  const made = read(value);
  assert(!(made instanceof Misfit), made instanceof Misfit ? describeMisfit(made, what) : what);
  return made;
}

function describeMisfit({ path, wanted }: Misfit, what: string): string {
  return path === '' ? `${what} is not ${wanted}` : `${path} of ${what} is not ${wanted}`;
}

export function objectWith<Value>(fields: Fields<Value>): Read<Value> {
  const readers = Object.entries(fields) as [string, Read<unknown>][];
  return (value) => {
    if (!isJsonObject(value)) return new Misfit('an object');
    const made: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const field = read(value[name]);
      if (field instanceof Misfit) return field.below(name);
      made[name] = field;
    }
    return made as Value;
  };
}

export function listOf<Value>(read: Read<Value>): Read<readonly Value[]> {
  return (value) => {
    if (!Array.isArray(value)) return new Misfit('a list');
    const made: Value[] = [];
    for (const item of value) {
      const field = read(item);
      if (field instanceof Misfit) return field.below(`[${made.length}]`);
      made.push(field);
    }
    return made;
  };
}

export function oneOf<Value extends string>(...values: readonly Value[]): Read<Value> {
  return (value) => values.find((one) => one === value) ?? new Misfit(`one of ${values.join(', ')}`);
}

export function orNull<Value>(read: Read<Value>): Read<Value | null> {
  return (value) => (value === null ? null : read(value));
}

/** A value that is not set is null or absent. */
export function orUnset<Value>(read: Read<Value>): Read<Value | undefined> {
  return (value) => (value === null || value === undefined ? undefined : read(value));
}

/** An absent value is the fallback. */
export function orElse<Value, Fallback>(read: Read<Value>, fallback: Fallback): Read<Value | Fallback> {
  return (value) => (value === undefined ? fallback : read(value));
}

export const text: Read<string> = (value) => (typeof value === 'string' ? value : new Misfit('a text'));
export const flag: Read<boolean> = (value) =>
  typeof value === 'boolean' ? value : new Misfit('true or false');
export const integer: Read<number> = (value) =>
  Number.isSafeInteger(value) ? (value as number) : new Misfit('a whole number');
export const count: Read<number> = (value) => (isCount(value) ? value : new Misfit('a whole number from 0'));
export const duration: Read<number> = (value) =>
  isDuration(value) ? value : new Misfit('a number of milliseconds');
/** An amount in micro-units. JSON has no bigint, so it is a text of digits. */
export const micro: Read<bigint> = (value) =>
  typeof value === 'string' && /^\d{1,30}$/.test(value)
    ? BigInt(value)
    : new Misfit('a whole number as a text');

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isDuration(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}
