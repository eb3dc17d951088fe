import { describe, expect, it, test } from 'vitest';
import { isStrictSchema } from './strict-schema.ts';

const closed = (properties: object, more: object = {}): string =>
  JSON.stringify({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  });

describe('OpenAI takes a schema as strict', () => {
  it.each([
    ['when every object is closed and requires all it has', closed({ a: { type: 'string' } }), true],
    [
      'when alternatives stand inside',
      closed({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      true,
    ],
    ['when a property may be null', closed({ a: { type: ['string', 'null'] } }), true],
    ['not with alternatives at the root', closed({}, { anyOf: [{ type: 'object' }] }), false],
    ['not when a property is optional', closed({ a: { type: 'string' } }, { required: [] }), false],
    ['not when it is open', closed({}, { additionalProperties: true }), false],
    ['not when an inner object is open', closed({ a: { type: 'object', properties: {} } }), false],
    ['not when something without a type has properties', closed({ a: { properties: {} } }), false],
    ['not with keywords it refuses', closed({ a: { oneOf: [{ type: 'string' }] } }), false],
    ['not with a schema that is a mere word', closed({ a: true }), false],
    ['not with items that are a mere word', closed({ a: { type: 'array', items: true } }), false],
    ['not when it is no object', '{"type":"string"}', false],
    ['not when it is no JSON', '{', false],
  ])('%s', (_name, schema, expected) => {
    expect(isStrictSchema(schema)).toBe(expected);
  });
});

const MANY = 90_000;

test('a hundred thousand required names are checked in linear time', () => {
  const names = Array.from({ length: MANY }, (_, index) => `p${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  expect(isStrictSchema(closed(properties, { required: names.toReversed() }))).toBe(true);
});
