import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { isObject, RawJson, readJson, writeJson } from './json.ts';

const NONE = new Set<string>();

describe('the JSON parser that keeps the spelling of raw keys', () => {
  test('reads exactly what the engine reads', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        // One field is left out on purpose.
        const expected: unknown = JSON.parse(text, (key, value) => (key === '__proto__' ? undefined : value));
        const read = readJson(text, NONE);
        if (isObject(expected as never)) expect(writeJson(read ?? null)).toBe(JSON.stringify(expected));
        else expect(read).toBeUndefined();
      }),
    );
  });

  test('accepts a text if and only if the engine does', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string(), (json, at, garbage) => {
        const text = `{"a":${json.slice(0, at % (json.length + 1))}${garbage}}`;
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(readJson(text, NONE) !== undefined).toBe(valid);
      }),
      { numRuns: runs(500) },
    );
  });

  test('keeps key order, large integers, spelling and duplicates under a raw key', () => {
    const schema = '{"10":1, "2":9007199254740993,"x":1.0,"x":2,"s":"\\u0041"}';
    const read = readJson(`{"tools":[{"input_schema": ${schema} ,"name":"a"}]}`, new Set(['input_schema']));
    expect(writeJson(read ?? null)).toBe(`{"tools":[{"input_schema":${schema},"name":"a"}]}`);
  });

  test('takes a string or null under a raw key as an ordinary value', () => {
    expect(readJson('{"arguments":"{}","schema":null}', new Set(['arguments', 'schema']))).toEqual({
      arguments: '{}',
      schema: null,
    });
  });

  test('refuses a prototype as a field, and too deep nesting', () => {
    expect(readJson('{"__proto__":{"a":1},"b":2}', NONE)).toEqual({ b: 2 });
    expect(readJson(`{"a":${'['.repeat(300)}${']'.repeat(300)}}`, NONE)).toBeUndefined();
  });

  test.each(['{"', '{"a', '{"a":"b', '{"a":"b\\\\"c', '{"a":"b\\"}'])(
    'refuses an unterminated string: %s',
    (text) => {
      expect(readJson(text, NONE)).toBeUndefined();
    },
  );

  test('leaves out fields without a value and writes raw text unchanged', () => {
    expect(writeJson({ a: undefined, b: new RawJson('{"z":1.0}'), c: [null, true, 'ü"'] })).toBe(
      '{"b":{"z":1.0},"c":[null,true,"ü\\""]}',
    );
  });
});

test('a string of escapes is decoded within its budget, and refused beyond it', () => {
  const text = `{"a":"${'\\"'.repeat(2_000)}","b":1}`;
  expect(readJson(text, NONE, { left: 10, escapedLeft: 5_000 })).toEqual({ a: '"'.repeat(2_000), b: 1 });
  const budget = { left: 10, escapedLeft: 1_500 };
  expect(readJson(text, NONE, budget)).toBeUndefined();
  expect(budget.left).toBeLessThan(0);
});
