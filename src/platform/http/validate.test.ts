import { describe, expect, test } from 'vitest';
import { data, type Operation } from '../../operations/operation.ts';
import { type TObject, Type } from '../../operations/schema.ts';
import { readQuery } from './texts.ts';
import { createValidator, findBrokenPromise } from './validate.ts';

const row = (parts: Partial<Operation>): Operation => ({
  ...{
    id: 'test',
    name: 'test',
    method: 'POST',
    path: '/test',
    surface: 'user',
    access: 'public',
    tag: 'Test',
  },
  ...{ title: 'Test a row', summary: '', data: Type.Null(), example: { data: null } },
  handle: () => Promise.resolve(data(null)),
  ...parts,
});

function query(schema: TObject, text: string): unknown {
  const read = readQuery(text);
  if (read.kind === 'problem') return read.message;
  const checked = createValidator(row({ query: schema }))({
    params: new Map(),
    query: read.texts,
    body: undefined,
  });
  return checked.kind === 'input' ? checked.input.query : checked.message;
}

function body(schema: TObject, value: unknown): unknown {
  const raw = { params: new Map<string, string>(), query: new Map<string, string>(), body: value };
  const checked = createValidator(row({ body: schema }))(raw);
  return checked.kind === 'input' ? checked.input.body : checked.message;
}

describe('a value of the query', () => {
  const WHOLE = Type.Object({ n: Type.Integer({ minimum: -5 }) });

  test.each(['1e3', '1.0', ' 1', '+1', '0x10', '١', '', '-0', '007', '1e400', 'NaN', 'Infinity', '1,2'])(
    'is not a whole number: "%s"',
    (text) => {
      expect(query(WHOLE, `n=${encodeURIComponent(text)}`)).toBe('n must be a whole number');
    },
  );

  test('is a whole number up to 2^53−1 and within its schema', () => {
    expect(query(WHOLE, 'n=9007199254740991')).toEqual({ n: 9_007_199_254_740_991 });
    expect(query(WHOLE, 'n=9007199254740992')).toBe(
      'n must be a number within ±9007199254740991, and not -0',
    );
    expect(query(WHOLE, 'n=99999999999999999999')).toBe('n must be a whole number');
    expect(query(WHOLE, 'n=-5')).toEqual({ n: -5 });
    expect(query(WHOLE, 'n=-6')).toBe('n must be at least -5');
    expect(query(WHOLE, '')).toBe('n is required');
  });

  test('is true or false, one of a choice, or a comma-separated list', () => {
    const schema = Type.Object({
      on: Type.Optional(Type.Boolean()),
      by: Type.Optional(Type.Union([Type.Literal('hour'), Type.Literal('day')])),
      level: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(2)])),
      ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: 3 })),
    });
    expect(query(schema, 'on=false&by=day&level=2&ids=1,2')).toEqual({
      ...{ on: false, by: 'day', level: 2, ids: [1, 2] },
    });
    expect(query(schema, 'on=1')).toBe('on must be true or false');
    expect(query(schema, 'by=week')).toBe('by must be one of hour, day');
    expect(query(schema, 'level=3')).toBe('level must be one of 1, 2');
    expect(query(schema, 'ids=1,,2')).toBe('ids must be a list of whole numbers, separated by commas');
    expect(query(schema, 'ids=1,2,3,4')).toMatch(/^ids must not have more than 3 items$/);
  });

  test('that is absent has the default', () => {
    const schema = Type.Object({ size: Type.Optional(Type.Integer({ default: 20 })) });
    expect(query(schema, '')).toEqual({ size: 20 });
    expect(query(schema, 'size=')).toBe('size must be a whole number');
  });

  test('is decoded strictly and given once', () => {
    const schema = Type.Object({ q: Type.String() });
    expect(query(schema, 'q=a+b%20c%26')).toEqual({ q: 'a b c&' });
    expect(query(schema, '&q=%25_&')).toEqual({ q: '%_' });
    expect(query(schema, 'q=%ff')).toBe('The query is not percent-encoded UTF-8');
    expect(query(schema, 'q=1&q=2')).toBe('q is given twice');
    expect(query(schema, 'q=a%00b')).toBe('q contains characters that are not allowed');
  });
});

describe('an unknown parameter', () => {
  const schema = Type.Object({ from: Type.Optional(Type.String()), to: Type.Optional(Type.String()) });

  test.each([
    ['form=1', 'form'],
    ['from=1&From=2', 'From'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['a%0Ab=1', 'a?b'],
    ['=1', 'A parameter without a name'],
  ])('is refused by name: %s', (text, name) => {
    expect(query(schema, text)).toBe(`${name} is not known: the parameters are from, to`);
  });

  test('is also refused where there is no parameter at all', () => {
    const raw = { params: new Map(), query: new Map([['page', '1']]), body: undefined };
    const message = 'page is not known: this path has no parameters';
    expect(createValidator(row({}))(raw)).toEqual({ kind: 'problem', message });
  });
});

describe('a body', () => {
  const schema = Type.Object({
    name: Type.String({ minLength: 1, maxLength: 5 }),
    count: Type.Optional(Type.Integer({ maximum: 10 })),
    rows: Type.Optional(Type.Array(Type.Object({ id: Type.Integer() }))),
  });

  test.each([
    [
      { name: 'a', count: Number.POSITIVE_INFINITY },
      'count must be a number within ±9007199254740991, and not -0',
    ],
    [{ name: 'a', count: 2 ** 53 }, 'count must be a number within ±9007199254740991, and not -0'],
    [{ name: 'a', count: -0 }, 'count must be a number within ±9007199254740991, and not -0'],
    [{ name: 'a', count: 1.5 }, 'count must be a whole number'],
    [{ name: 'a', count: '1' }, 'count must be a whole number'],
    [{ name: 'a', count: null }, 'count must be a whole number'],
    [{ name: 'a', count: 11 }, 'count must be at most 10'],
    [{ name: '' }, 'name must have at least 1 characters'],
    [{ name: 'abcdef' }, 'name must have at most 5 characters'],
    [{ name: 'a\u0000' }, 'name contains characters that are not allowed'],
    [{ name: '\ud800' }, 'name contains characters that are not allowed'],
    [{ name: ['a'] }, 'name must be a text'],
    [{ name: 'a', rows: [{ id: 1 }, { id: 'x' }] }, 'rows.1.id must be a whole number'],
    [{ name: 'a', rows: [{}] }, 'rows.0.id is required'],
    [{ name: 'a', 'x\u0000': 1 }, 'body has a field whose name is not allowed'],
    [
      { name: 'a', unknown: { deep: 2 ** 60 } },
      'unknown.deep must be a number within ±9007199254740991, and not -0',
    ],
    [{}, 'name is required'],
    [[], 'body must be an object'],
  ])('%j is refused: %s', (value, message) => {
    expect(body(schema, value)).toBe(message);
  });

  test('is measured in characters, not in halves of them', () => {
    expect(body(schema, { name: '😀😀😀😀😀' })).toEqual({ name: '😀😀😀😀😀' });
  });

  test('is refused for unknown fields at every depth', () => {
    expect(body(schema, { name: 'a', role: 'operator' })).toBe('role is not known');
    expect(body(schema, { name: 'a', constructor: 1 })).toBe('constructor is not known');
    expect(body(schema, { name: 'a', rows: [{ id: 1, x: 2 }] })).toBe('rows.0.x is not known');
  });

  test('may hold fields of any name only where its schema says so', () => {
    const open = Type.Object({ words: Type.Record(Type.String()) });
    expect(body(open, { words: { a: 'b' } })).toEqual({ words: { a: 'b' } });
  });
});

test('an answer with missing or additional fields is found', () => {
  const promise = { data: Type.Array(Type.Object({ id: Type.Integer() })) };
  expect(findBrokenPromise(promise, [{ id: 1 }])).toBeUndefined();
  expect(findBrokenPromise(promise, [{ id: 1, secret: 'x' }])).toBe('0.secret is not declared');
  expect(findBrokenPromise(promise, [{}])).toBe('0.id is required');
});
