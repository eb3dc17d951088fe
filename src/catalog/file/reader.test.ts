import { describe, expect, it } from 'vitest';
import { formatProblem, Problems } from './problems.ts';
import {
  address,
  boolean,
  choice,
  decimal,
  integer,
  list,
  object,
  optional,
  prose,
  type Reader,
  required,
  text,
} from './reader.ts';
import { readTree } from './yaml-tree.ts';

const ENVIRONMENT = { SEVEN: '7', RATE: '85.5', YES: 'true', EMPTY: '' };

/** What a reader makes of a YAML value, and what it complains about. */
function use<T>(read: Reader<T>, yaml: string): { value: T; problems: string[] } {
  const problems = new Problems();
  const tree = readTree(yaml, ENVIRONMENT, problems);
  if (tree === undefined) throw new Error('the test writes good YAML');
  return { value: read({ tree, path: 'at', problems }), problems: problems.list().map(formatProblem) };
}

function good<T>(read: Reader<T>, yaml: string): T {
  const { value, problems } = use(read, yaml);
  expect(problems).toEqual([]);
  return value;
}

function complaint<T>(read: Reader<T>, yaml: string): string {
  const { problems } = use(read, yaml);
  expect(problems, yaml).toHaveLength(1);
  return problems[0] ?? '';
}

describe('a decimal', () => {
  it('is exact, as a number or a text', () => {
    for (const yaml of ['0.85', '"0.85"', "'0.850'"]) expect(good(decimal(10), yaml)).toBe(850_000n);
    expect(good(decimal(1_000_000), '999999.999999')).toBe(999_999_999_999n);
    expect(good(decimal(100), `"\${RATE}"`)).toBe(85_500_000n);
    expect(good(decimal(5), '5')).toBe(5_000_000n);
  });

  it.each(['1e0', '0x1', '1.0000001', '-1', 'true', '.5', 'NaN', '5.000001', '" 1"', `"\${EMPTY}"`])(
    'is not %s',
    (yaml) => expect(complaint(decimal(5), yaml)).toContain('must be a decimal from 0 to 5'),
  );
});

describe('a whole number', () => {
  it('is a number, or a text from the environment', () => {
    expect(good(integer(-5, 5), '-5')).toBe(-5);
    expect(good(integer(1, 9), `"\${SEVEN}"`)).toBe(7);
  });

  it.each(['0', '10', '1.5', '"7"', '7.0', '1e0', 'seven', '99999999999999999'])(
    'from 1 to 9 is not %s',
    (yaml) => expect(complaint(integer(1, 9), yaml)).toContain('must be a whole number from 1 to 9'),
  );
});

it('a switch is true or false, and nothing else', () => {
  expect([good(boolean, 'true'), good(boolean, 'false'), good(boolean, `"\${YES}"`)]).toEqual([
    true,
    false,
    true,
  ]);
  for (const yaml of ['yes', '1', '"true"', `"\${SEVEN}"`])
    expect(complaint(boolean, yaml)).toContain('true or false');
});

it('a choice is one of its values', () => {
  expect(good(choice('a', 'b'), 'b')).toBe('b');
  expect(complaint(choice('a', 'b'), 'c')).toContain('must be one of a, b');
});

describe('a text', () => {
  const rule = text({ lengthMin: 2, lengthMax: 5, pattern: /^[a-z]+$/, shape: 'small letters' });

  it('follows its rule', () => {
    expect(good(rule, 'abc')).toBe('abc');
    for (const yaml of ['a', 'abcdef', '""']) expect(complaint(rule, yaml)).toContain('2 to 5 characters');
    expect(complaint(rule, 'ABC')).toContain('must be small letters');
    expect(complaint(rule, '123')).toContain('put it into quotes');
    expect(complaint(rule, '[a]')).toContain('must be a single value');
  });

  it('holds no invisible characters', () => {
    for (const yaml of ['"a\\u0007b"', '"a\\nb"', '"a\\u202Eb"', '"\\uFEFFab"']) {
      expect(complaint(text({ lengthMax: 9 }), yaml)).toContain('control characters');
    }
    expect(good(prose(9), '"a\\nb"')).toBe('a\nb');
    expect(complaint(prose(2), 'abc')).toContain('at most 2');
  });
});

describe('an address', () => {
  it('is http or https, and loses its trailing slash', () => {
    expect(good(address, '"http://127.0.0.1:4010/v1/"')).toBe('http://127.0.0.1:4010/v1');
    expect(good(address, 'https://example.com')).toBe('https://example.com');
  });

  it.each([
    'ftp://x',
    '/v1',
    'https://',
    'https://u@x',
    'https://u:p@x',
    '"https://x/?q=1"',
    '"https://x/#f"',
    'x',
  ])('is not %s', (yaml) => expect(complaint(address, yaml)).toContain('must be an http or https address'));
});

describe('a map and a list', () => {
  const shape = object({ one: required('one_key', integer(1, 9)), two: optional('two_key', boolean, true) });

  it('accept their keys and fill in what is left out or empty', () => {
    expect(good(shape, '{ one_key: 3 }')).toEqual({ one: 3, two: true });
    expect(good(shape, '{ one_key: 3, two_key: }')).toEqual({ one: 3, two: true });
    expect(good(list(shape), '[{ one_key: 1 }, { one_key: 2, two_key: false }]')).toEqual([
      { one: 1, two: true },
      { one: 2, two: false },
    ]);
  });

  it('name what is missing, unknown or of another kind, with the path', () => {
    expect(complaint(shape, '{}')).toBe('at.one_key: is required (line 1)');
    expect(complaint(shape, '{ one_key: 1, tow_key: true }')).toBe(
      'at.tow_key: unknown key "tow_key" (known: one_key, two_key) (line 1)',
    );
    expect(complaint(shape, 'text')).toContain('at: must be a map with the keys one_key, two_key');
    expect(complaint(list(shape), '{}')).toContain('at: must be a list');
    expect(complaint(list(shape), '[{ one_key: 1 }, { one_key: x }]')).toContain(
      'at[1].one_key: must be a whole',
    );
    expect(complaint(list(shape, 1), '[{ one_key: 1 }, { one_key: 1 }]')).toContain('more than 1 entries');
  });

  it('answer with harmless values beside their errors, so that reading continues', () => {
    expect(use(shape, '{ one_key: x, two_key: x }')).toMatchObject({ value: { one: 1, two: false } });
    expect(use(shape, '[]').value).toEqual({ one: 1, two: true });
    expect(use(list(shape), '1').value).toEqual([]);
  });
});

it('a value whose variable is missing is reported once', () => {
  expect(complaint(integer(1, 9), `"\${MISSING}"`)).toContain('MISSING is not set');
});
