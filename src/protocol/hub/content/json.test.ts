import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, RawJson, readJson, writeJson } from './json.ts';

const NONE = new Set<string>();

describe('JSON that keeps its spelling where it matters', () => {
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

  test('a text is read if and only if the engine reads it', () => {
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
      { numRuns: 500 },
    );
  });

  test('the value of a raw key keeps key order, large integers, spelling and duplicates', () => {
    const schema = '{"10":1, "2":9007199254740993,"x":1.0,"x":2,"s":"\\u0041"}';
    const read = readJson(`{"tools":[{"input_schema": ${schema} ,"name":"a"}]}`, new Set(['input_schema']));
    expect(writeJson(read ?? null)).toBe(`{"tools":[{"input_schema":${schema},"name":"a"}]}`);
  });

  test('a string or null under a raw key is an ordinary value', () => {
    expect(readJson('{"arguments":"{}","schema":null}', new Set(['arguments', 'schema']))).toEqual({
      arguments: '{}',
      schema: null,
    });
  });

  test('a prototype is no field, and too deep is no JSON', () => {
    expect(readJson('{"__proto__":{"a":1},"b":2}', NONE)).toEqual({ b: 2 });
    expect(readJson(`{"a":${'['.repeat(300)}${']'.repeat(300)}}`, NONE)).toBeUndefined();
  });

  test.each(['{"', '{"a', '{"a":"b', '{"a":"b\\\\"c', '{"a":"b\\"}'])(
    'a string that stays open is no JSON: %s',
    (text) => {
      expect(readJson(text, NONE)).toBeUndefined();
    },
  );

  test('fields without a value are left out and raw text is written as it is', () => {
    expect(writeJson({ a: undefined, b: new RawJson('{"z":1.0}'), c: [null, true, 'ü"'] })).toBe(
      '{"b":{"z":1.0},"c":[null,true,"ü\\""]}',
    );
  });
});

test('a string of escapes is read within its budget, and given up beyond it', () => {
  const text = `{"a":"${'\\"'.repeat(2_000)}","b":1}`;
  expect(readJson(text, NONE, { left: 10, escapedLeft: 5_000 })).toEqual({ a: '"'.repeat(2_000), b: 1 });
  const budget = { left: 10, escapedLeft: 1_500 };
  expect(readJson(text, NONE, budget)).toBeUndefined();
  expect(budget.left).toBeLessThan(0);
});
