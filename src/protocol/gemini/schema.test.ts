import { describe, expect, it } from 'vitest';
import { schemaForGoogle, schemaFromProto, takesNothing } from './schema.ts';

const fromProto = (schema: object): unknown => JSON.parse(schemaFromProto(JSON.stringify(schema)));
const forGoogle = (schema: object): unknown => JSON.parse(schemaForGoogle(JSON.stringify(schema)));

describe("Google's Schema", () => {
  it('becomes JSON Schema for other vendors', () => {
    const schema = {
      type: 'OBJECT',
      properties: {
        format: { type: 'STRING', format: 'enum', enum: ['a'], nullable: true },
        list: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '1', max_items: '3' },
        either: { any_of: [{ type: 'STRING' }], nullable: true },
        nullable: { type: 'BOOLEAN', example: true },
      },
      propertyOrdering: ['list', 'format'],
      required: ['format'],
    };
    expect(fromProto(schema)).toEqual({
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 3 },
        format: { type: ['string', 'null'], enum: ['a', null] },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        nullable: { type: 'boolean', examples: [true] },
      },
      required: ['format'],
    });
    const { properties } = fromProto(schema) as { properties: object };
    expect(Object.keys(properties)).toEqual(['list', 'format', 'either', 'nullable']);
  });

  it('stays unchanged where it already is JSON Schema', () => {
    const raw = '{ "type":"object", "properties":{"n":{"type":"number","minimum":1.0}} }';
    expect(schemaFromProto(raw)).toBe(raw);
    expect(schemaForGoogle(raw)).toBe(raw);
  });
});

describe('a JSON Schema for Google', () => {
  it('loses unknown keywords, but no property of such a name', () => {
    const schema = {
      $schema: 'x',
      type: 'object',
      properties: { not: { type: 'string', examples: ['x'] }, const: { const: 'v' }, examples: true },
      patternProperties: { '^x': {} },
    };
    expect(forGoogle(schema)).toEqual({
      type: 'object',
      properties: { not: { type: 'string' }, const: { enum: ['v'] }, examples: true },
    });
  });

  it('contains references alone, under the name that Google knows', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/definitions/A', description: 'x' }, b: { allOf: [{ $ref: '#/$defs/A' }] } },
      definitions: { A: { type: 'string' } },
    };
    expect(forGoogle(schema)).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } },
      $defs: { A: { type: 'string' } },
    });
  });

  it('has enums of strings and numbers only', () => {
    expect(forGoogle({ enum: ['a', null, 1] })).toEqual({ enum: ['a', 1] });
    expect(forGoogle({ type: 'boolean', const: true })).toEqual({ type: 'boolean' });
  });

  it('closes exclusive bounds and reports it', () => {
    expect(forGoogle({ type: 'number', exclusiveMinimum: 0, description: 'Size.' })).toEqual({
      type: 'number',
      minimum: 0,
      description: 'Size. Must be greater than 0.',
    });
  });

  it('has the union of all its members', () => {
    const allOf = [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { b: { type: 'string' } }, required: ['b'] },
    ];
    expect(forGoogle({ allOf })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
    });
  });

  it('is left out where a function takes nothing', () => {
    expect(takesNothing('{"type":"object","properties":{}}')).toBe(true);
    expect(takesNothing('{"type":"object","properties":{},"additionalProperties":false}')).toBe(true);
    expect(takesNothing('true')).toBe(true);
    expect(takesNothing('{"type":"object","properties":{"a":{}}}')).toBe(false);
    expect(takesNothing('{"type":"object","additionalProperties":{"type":"string"}}')).toBe(false);
    expect(takesNothing('{"$ref":"#/$defs/A","$defs":{"A":{}}}')).toBe(false);
  });
});
