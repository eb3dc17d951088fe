import fc from 'fast-check';
import TypeBox from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { REMOVABLE, type TSchema, Type } from '../../operations/schema.ts';
import { createCheck } from './check.ts';

const ID = Type.Integer({ minimum: 1 });
const NAME = Type.String({ minLength: 2, maxLength: 3, pattern: '^[^x]*$', form: 'a text without x' });
const WAY = Type.Union([Type.Literal('in'), Type.Literal('out'), Type.Literal(3)]);

const told = (schema: TSchema, value: unknown) => createCheck(schema)(value);

test('null is accepted where it takes a value back, and the JSON of the schema stays as it is', () => {
  const form = { ...Type.Object({ id: ID }), [REMOVABLE]: true } as const;
  expect([null, { id: 1 }].map((value) => told(form, value))).toEqual([undefined, undefined]);
  expect(told(form, { id: null })).toBe('id must be a whole number');
  expect(JSON.stringify(form)).toBe(JSON.stringify(Type.Object({ id: ID })));
});

describe('the validation message', () => {
  test.each<[TSchema, unknown, string]>([
    [ID, 0, 'body must be at least 1'],
    [Type.Number({ maximum: 1 }), 1.5, 'body must be at most 1'],
    [Type.Number(), Number.NaN, 'body must be a number'],
    [Type.Boolean(), 'true', 'body must be true or false'],
    [Type.Null(), undefined, 'body must be null'],
    [Type.Array(ID), { 0: 1 }, 'body must be a list'],
    [Type.Record(ID), [], 'body must be an object'],
    [NAME, 'a', 'body must have at least 2 characters'],
    [NAME, 'aaaa', 'body must have at most 3 characters'],
    [NAME, 'ax', 'body must be a text without x'],
    [NAME, 'xxxx', 'body must be a text without x'],
    [NAME, 7, 'body must be a text without x'],
    [Type.Union([NAME, Type.Null()]), 'ax', 'body must be a text without x, or null'],
    [WAY, 'up', 'body must be one of in, out, 3'],
    [Type.Union([WAY, Type.Null()]), 1, 'body must be one of in, out, 3, or null'],
    [Type.Union([]), 1, 'body has an unknown form'],
  ])('about %j and %j: %s', (schema, value, sentence) => {
    expect(told(schema, value)).toBe(sentence);
  });

  test('is about a missing field first, then about the first field of the schema', () => {
    const schema = Type.Object({ a: Type.Optional(ID), b: ID, c: ID });
    expect(told(schema, { a: 'x', b: 'x' })).toBe('c is required');
    expect(told(schema, { c: 'x', b: 'x', a: 'x' })).toBe('a must be a whole number');
    expect(told(Type.Object({ rows: Type.Array(schema) }), { rows: [{}] })).toBe('rows.0.b is required');
  });

  test('is about an item before it is about the number of items', () => {
    const schema = Type.Array(ID, { maxItems: 1 });
    expect(told(schema, [1, 'x'])).toBe('1 must be a whole number');
    expect(told(schema, [1, 2])).toBe('body must not have more than 1 items');
  });

  test('is about the first form of a value, unless there is a choice in the same place', () => {
    expect(told(Type.Union([NAME, Type.Null()]), 5)).toBe('body must be a text without x, or null');
    expect(told(Type.Union([Type.Object({ a: ID }), Type.Null()]), {})).toBe('a is required');
    expect(told(Type.Union([Type.Array(ID), Type.Literal('*')]), 5)).toBe('body must be one of *');
    expect(told(Type.Union([Type.Array(ID), Type.Literal('*')]), [0])).toBe('0 must be at least 1');
    const kinds = (['a', 'b'] as const).map((kind) => Type.Object({ kind: Type.Literal(kind) }));
    expect(told(Type.Union(kinds), { kind: 'c' })).toBe('kind must be one of a, b');
  });

  test('contains all values of a long choice', () => {
    const names = Array.from('abcdefghijkl');
    const schema = Type.Union(names.map((name) => Type.Literal(name)));
    expect(told(schema, 0)).toBe(`body must be one of ${names.join(', ')}`);
  });

  test('shortens a foreign name', () => {
    expect(told(Type.Record(ID), { [`é\n${'n'.repeat(99)}`]: 0 })).toBe(
      `??${'n'.repeat(58)} must be at least 1`,
    );
  });
});

describe('a value', () => {
  test('has its own fields and not those of every object', () => {
    const NAMES = ['constructor', 'toString', '__proto__'];
    const entries = (value: unknown) => Object.fromEntries(NAMES.map((name) => [name, value]));
    const open = Type.Object(entries(Type.Optional(ID)) as Record<string, typeof ID>);
    const closed = Type.Object(entries(ID) as Record<string, typeof ID>);
    expect(told(open, {})).toBeUndefined();
    expect(told(closed, {})).toBe('constructor is required');
    expect(told(closed, entries(1))).toBeUndefined();
    expect(told(open, JSON.parse('{"__proto__":"x"}'))).toBe('__proto__ must be a whole number');
    expect(told(Type.Object({ a: ID }), JSON.parse('{"__proto__":{"a":1}}'))).toBe('a is required');
  });

  test('may leave out optional fields', () => {
    const schema = Type.Object({ a: Type.Optional(ID) });
    expect(told(schema, { a: undefined, other: 1 })).toBeUndefined();
    expect(told(schema, { a: null })).toBe('a must be a whole number');
  });

  test('is measured in code points: a family of emoji counts its members and joiners', () => {
    expect(told(NAME, '😀')).toBe('body must have at least 2 characters');
    expect(told(NAME, '😀😀😀')).toBeUndefined();
    expect(told(NAME, '👨‍👩‍👧')).toBe('body must have at most 3 characters');
  });

  test('is matched with patterns by code points too', () => {
    expect(told(Type.String({ pattern: '^.$' }), '😀')).toBeUndefined();
  });

  test('may be nested without limit where the schema does not look', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(told(Type.Object({ a: Type.Unknown(), b: Type.Optional(ID) }), { a: deep, b: 1 })).toBeUndefined();
    expect(told(Type.Object({ a: ID }), { a: deep })).toBe('a must be a whole number');
  });
});

/** The same schema of ours and of TypeBox, which rows were made of before. */
interface Twins {
  readonly ours: TSchema;
  readonly theirs: TypeBox.TSchema;
}

const FIELD_NAMES = ['a', 'b', 'c-d', 'é'] as const;

const TEXTS = fc.record(
  {
    minLength: fc.nat(3),
    maxLength: fc.nat(6),
    pattern: fc.constantFrom('^.$', '\\S', '^[a-c]*$', '^\\d{1,3}(\\.\\d+)?$'),
    description: fc.string(),
  },
  { requiredKeys: [] },
);
const NUMBERS = fc.record({ minimum: fc.integer({ max: 3 }), maximum: fc.nat(5) }, { requiredKeys: [] });
const CONSTANTS = fc.constantFrom('a', 'abc', '', 1, 0, 2.5, true, false);

const twins = (ours: TSchema, theirs: TypeBox.TSchema): Twins => ({ ours, theirs });
const ourParts = (parts: readonly Twins[]) => parts.map(({ ours }) => ours);
const theirParts = (parts: readonly Twins[]) => parts.map(({ theirs }) => theirs);

const { schema: SCHEMA } = fc.letrec<{ schema: Twins }>((tie) => {
  const part = tie('schema');
  const field = fc.record({ part, presence: fc.constantFrom('required', 'optional') });
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      TEXTS.map((options) => twins(Type.String(options), TypeBox.String(options))),
      NUMBERS.map((options) => twins(Type.Integer(options), TypeBox.Integer(options))),
      NUMBERS.map((options) => twins(Type.Number(options), TypeBox.Number(options))),
      CONSTANTS.map((constant) => twins(Type.Literal(constant), TypeBox.Literal(constant))),
      fc.constant(twins(Type.Boolean(), TypeBox.Boolean())),
      fc.constant(twins(Type.Null(), TypeBox.Null())),
      fc.constant(twins(Type.Unknown(), TypeBox.Unknown())),
      fc
        .tuple(part, fc.record({ maxItems: fc.nat(3) }, { requiredKeys: [] }))
        .map(([{ ours, theirs }, options]) =>
          twins(Type.Array(ours, options), TypeBox.Array(theirs, options)),
        ),
      part.map(({ ours, theirs }) => twins(Type.Record(ours), TypeBox.Record(TypeBox.String(), theirs))),
      fc
        .array(part, { minLength: 1, maxLength: 4 })
        .map((parts) => twins(Type.Union(ourParts(parts)), TypeBox.Union(theirParts(parts)))),
      fc.dictionary(fc.constantFrom(...FIELD_NAMES), field).map(objectTwins),
    ),
  };
});

function objectTwins(fields: Record<string, { part: Twins; presence: string }>): Twins {
  const ours: Record<string, TSchema> = {};
  const theirs: Record<string, TypeBox.TSchema> = {};
  for (const [name, { part, presence }] of Object.entries(fields)) {
    ours[name] = presence === 'optional' ? Type.Optional(part.ours) : part.ours;
    theirs[name] = presence === 'optional' ? TypeBox.Optional(part.theirs) : part.theirs;
  }
  return twins(Type.Object(ours), TypeBox.Object(theirs));
}

const LEAF = fc.oneof(
  CONSTANTS,
  fc.constantFrom(
    null,
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    '😀',
    '😀😀',
    '\ud83d',
    'e\u0301',
  ),
  fc.integer({ min: -5, max: 8 }),
  fc.double(),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** Values that often fit: objects have the names of the schemas, and a leaf may be what a schema wants. */
const { value: VALUE } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    LEAF,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...FIELD_NAMES, 'other'), tie('value'), { maxKeys: 5 }),
  ),
}));

describe('compared with TypeBox', () => {
  test('a schema is the same JSON, and accepts the same values', () => {
    const verdicts = { fits: 0, 'fits not': 0 };
    fc.assert(
      fc.property(SCHEMA, fc.array(VALUE, { minLength: 10, maxLength: 20 }), ({ ours, theirs }, values) => {
        expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs));
        const check = createCheck(ours);
        const compiled = Compile(theirs);
        for (const value of values) {
          const fits = check(value) === undefined;
          expect(fits, JSON.stringify(value)).toBe(compiled.Check(value));
          verdicts[fits ? 'fits' : 'fits not'] += 1;
        }
      }),
      { numRuns: runs(300) },
    );
    expect(Math.min(verdicts.fits, verdicts['fits not'])).toBeGreaterThan(100);
  });
});
