import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { isJsonObject, parseJson } from './json.ts';

const BOUNDS = { bytesMax: 1_000_000, depthMax: 20 };

function reasonOf(text: string, bounds = BOUNDS): string {
  const result = parseJson(text, bounds);
  return result.kind === 'invalid' ? result.reason : 'parsed';
}

describe('bounded JSON', () => {
  it('returns what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('__proto__'));
        expect(parseJson(text, BOUNDS)).toEqual({ kind: 'parsed', value: JSON.parse(text) });
      }),
    );
  });

  it('never throws and accepts exactly the JSON that the engine accepts', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '1',
      'true',
      ' ',
      '"a"',
      '\\u00',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let expected = 'parsed';
        try {
          JSON.parse(text);
        } catch {
          expected = 'not-json';
        }
        expect(reasonOf(text)).toBe(expected);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('counts bytes, not characters', () => {
    expect(reasonOf('"é"', { bytesMax: 4, depthMax: 5 })).toBe('parsed');
    expect(reasonOf('"é"', { bytesMax: 3, depthMax: 5 })).toBe('too-large');
    expect(reasonOf('"ab"', { bytesMax: 3, depthMax: 5 })).toBe('too-large');
  });

  it('refuses one level more than the depth and ignores brackets inside strings', () => {
    expect(reasonOf('[[[]]]', { bytesMax: 100, depthMax: 3 })).toBe('parsed');
    expect(reasonOf('[[[[]]]]', { bytesMax: 100, depthMax: 3 })).toBe('too-deep');
    expect(reasonOf('["[[[[\\"[[", "\\\\"]', { bytesMax: 100, depthMax: 1 })).toBe('parsed');
    expect(reasonOf('['.repeat(500_000))).toBe('too-deep');
  });

  it('drops __proto__ however it is written and wherever it stands', () => {
    const result = parseJson('{"a":[{"\\u005f_proto__":{"admin":true},"b":1}],"__proto__":{"x":1}}', BOUNDS);
    expect(result.kind).toBe('parsed');
    const value = result.kind === 'parsed' ? result.value : undefined;
    expect(JSON.stringify(value)).toBe('{"a":[{"b":1}]}');
    expect(Object.assign({}, value)).not.toHaveProperty('x');
  });

  it('keeps texts that only mention __proto__', () => {
    expect(parseJson('{"text":"__proto__"}', BOUNDS)).toEqual({
      kind: 'parsed',
      value: { text: '__proto__' },
    });
  });

  it('quotes nothing of the text in its messages', () => {
    expect(JSON.stringify(parseJson('{"password": hunter2}', BOUNDS))).not.toContain('hunter2');
  });

  it('distinguishes objects from arrays and null', () => {
    expect([isJsonObject({}), isJsonObject([]), isJsonObject(null), isJsonObject('')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
