import fc from 'fast-check';
import type { Operation } from '../../src/operations/operation.ts';
import { type Form, formOf } from '../tenants/walk.ts';

/** What a schema takes, as far as its form says so. */
export function valid(form: Form): fc.Arbitrary<unknown> {
  if (form.const !== undefined) return fc.constant(form.const);
  if (form.enum !== undefined) return fc.constantFrom(...form.enum);
  if (form.anyOf !== undefined) return fc.oneof(...form.anyOf.map(valid));
  switch (form.type) {
    case 'integer':
      return integers(form);
    case 'number':
      return fc.double({ min: form.minimum ?? -1e6, max: form.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return texts(form);
    case 'array':
      return fc.array(valid(form.items ?? {}), { maxLength: Math.min(form.maxItems ?? 4, 4) });
    case 'object':
      return objects(form);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function integers({ minimum = -1_000, maximum = 1_000 }: Form): fc.Arbitrary<number> {
  const small = { min: minimum, max: Math.min(maximum, Math.max(minimum, 40)) };
  const any = fc.bigInt({ min: BigInt(minimum), max: BigInt(maximum) }).map(Number);
  return fc.oneof(fc.integer(small), any);
}

const WORDS = ['openai', 'gpt-5', 'PRO', 'spare', 'user@example.com', 'https://example.com/v1', 'chat', '1'];
const TIMES = /^\^\\d\{4\}-/;

function texts({ pattern, minLength = 0, maxLength = 100 }: Form): fc.Arbitrary<string> {
  if (pattern === undefined) {
    const any = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) });
    return fc.oneof(fc.constantFrom(...WORDS), any);
  }
  // The pattern of a time takes many that no calendar has: most should have one.
  if (TIMES.test(pattern)) return fc.date({ noInvalidDate: true, ...YEARS }).map(shownTime);
  // Lookaheads are beyond the generator; what they forbid is rare enough to be refused by the server.
  const plain = pattern.replaceAll(/\(\?![^)]*\)/g, '');
  return fc.stringMatching(new RegExp(plain), { maxLength: Math.min(maxLength, 60) });
}

const YEARS = { min: new Date('2020-01-01T00:00:00Z'), max: new Date('2030-01-01T00:00:00Z') };

function shownTime(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ');
}

function objects({ properties = {}, required = [] }: Form): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, form]) => [name, valid(form)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
}

/** What nobody expects in any place. */
export const STRANGE = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    [],
    {},
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    2 ** 64,
    1e308,
    '1e400',
    '0x1f',
    '\u0000',
  ),
  fc.constantFrom<unknown>(
    '%',
    "'; --",
    '\r\n',
    '../..',
    'A'.repeat(10_000),
    '🙂'.repeat(300),
    '\u202e',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.nat({ max: 60 }).map(nested),
);

function nested(depth: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

/** One field is left out, replaced, or added. */
function mutated(form: Form, good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const names = [...Object.keys(form.properties ?? {}), 'unknown', '__proto__', 'constructor', '', 'length'];
  return fc
    .tuple(good, fc.constantFrom(...names), fc.constantFrom('drop', 'replace', 'whole'), STRANGE)
    .map(([value, name, how, strange]) => {
      if (how === 'whole') return strange;
      const { [name]: _gone, ...rest } = value as Record<string, unknown>;
      return how === 'drop' ? rest : { ...rest, [name]: strange };
    });
}

export interface Shot {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** A request to one row: mostly nearly right, because what is quite wrong is refused at the door. */
export function shotAt(row: Operation, ids: readonly unknown[]): fc.Arbitrary<Shot> {
  const known = fc.constantFrom(...ids);
  const params = Object.entries(row.params?.properties ?? {}).map(([name, schema]) => [
    name,
    fc.oneof({ arbitrary: known, weight: 6 }, valid(formOf(schema)), STRANGE),
  ]);
  const part = (form: Form, example: unknown) => {
    const good = fc.oneof({ arbitrary: valid(form), weight: 2 }, fc.constant(example));
    return fc.oneof({ arbitrary: good, weight: 3 }, mutated(form, good));
  };
  return fc.record({
    params: fc.record(Object.fromEntries(params) as Record<string, fc.Arbitrary<unknown>>),
    query: row.query === undefined ? fc.constant({}) : part(formOf(row.query), {}),
    body: row.body === undefined ? fc.constant(undefined) : part(formOf(row.body), row.example.body),
  });
}
