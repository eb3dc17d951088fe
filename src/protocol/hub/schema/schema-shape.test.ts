import { expect, test } from 'vitest';
import { mergeAllOf, objectRoot } from './schema-shape.ts';

/** Each of these took from ten seconds to a minute, in which nobody else was served. */
const named = (count: number, schema: (index: number) => object): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema(index)]));

test('many alternatives with many properties are merged quickly', () => {
  const anyOf = Array.from({ length: 256 }, (_, number) => ({
    type: 'object',
    properties: named(300, () => ({ const: `${'x'.repeat(50)}${number}` })),
  }));
  const merged = JSON.parse(objectRoot(JSON.stringify({ anyOf })));
  expect(merged.properties.p0.anyOf).toHaveLength(256);
});

test.each(['allOf', 'anyOf'])('%s that leads to one large object repeatedly terminates', (keyword) => {
  const $defs = { a: { type: 'object', properties: named(60_000, () => ({ type: 'string' })) } };
  const parts = Array.from({ length: 256 }, () => ({ $ref: '#/$defs/a' }));
  const merged = JSON.parse(objectRoot(JSON.stringify({ $defs, [keyword]: parts })));
  expect(Object.keys(merged.properties)).toHaveLength(60_000);
});

test('many parts of one object are merged in place', () => {
  const part = (number: number) => ({ properties: { [`a${number}`]: {}, ...named(300, () => ({})) } });
  const merged = mergeAllOf({ allOf: Array.from({ length: 256 }, (_, number) => part(number)) });
  expect(Object.keys(merged.properties ?? {})).toHaveLength(300 + 256);
});

test('a chain of references is followed up to a bound', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [
      `d${index}`,
      { $ref: `#/$defs/d${index + 1}`, [`own${index}`]: true },
    ]),
  );
  const merged = JSON.parse(objectRoot(JSON.stringify({ $ref: '#/$defs/d0', $defs })));
  expect(merged).toMatchObject({ type: 'object', own0: true, own100: true });
  expect(merged.own300).toBeUndefined();
});
