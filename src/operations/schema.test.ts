import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Static, type TObject, Type } from './schema.ts';

const ID = Type.Integer({ minimum: 1 });

describe('a schema', () => {
  test('is plain JSON Schema, with its keywords in the order of the document', () => {
    const schema = Type.Object(
      {
        id: ID,
        name: Type.Optional(Type.String({ minLength: 1, pattern: '\\S' })),
        by: Type.Optional(Type.Union([Type.Literal('hour'), Type.Literal(2)], { default: 'hour' })),
        words: Type.Record(Type.Boolean(), { description: 'Any.' }),
        rows: Type.Array(Type.Unknown(), { maxItems: 3 }),
      },
      { description: 'All.' },
    );
    expect(JSON.stringify(schema)).toBe(
      '{"type":"object","required":["id","words","rows"],"properties":{' +
        '"id":{"type":"integer","minimum":1},"name":{"type":"string","minLength":1,"pattern":"\\\\S"},' +
        '"by":{"anyOf":[{"type":"string","const":"hour"},{"type":"number","const":2}],"default":"hour"},' +
        '"words":{"type":"object","patternProperties":{"^.*$":{"type":"boolean"}},"description":"Any."},' +
        '"rows":{"type":"array","items":{},"maxItems":3}},"description":"All."}',
    );
  });

  test('without a required field has no list of them, as OpenAPI requires', () => {
    expect(Type.Object({ id: Type.Optional(ID) })).toEqual({ type: 'object', properties: { id: ID } });
  });

  test('that is optional in one place is required in others', () => {
    const optional = Type.Optional(ID);
    expect(Type.Object({ a: optional, b: ID }).required).toEqual(['b']);
    // Made into another schema it is a schema like any other.
    expect(Type.Object({ a: Type.Integer({ ...optional, maximum: 2 }) }).required).toEqual(['a']);
  });
});

test('the types of the values follow from the schema', () => {
  const schema = Type.Object({
    id: ID,
    name: Type.Optional(Type.String()),
    by: Type.Union([Type.Literal('hour'), Type.Literal(2), Type.Null()]),
    rows: Type.Array(Type.Object({ on: Type.Boolean() })),
    words: Type.Record(Type.Number()),
    any: Type.Unknown(),
  });
  expectTypeOf<Static<typeof schema>>().toEqualTypeOf<{
    id: number;
    by: 'hour' | 2 | null;
    rows: { on: boolean }[];
    words: Record<string, number>;
    any: unknown;
    name?: string;
  }>();
  const names = ['a', 'b'] as const;
  const choice = Type.Union(names.map((name) => Type.Literal(name)));
  expectTypeOf<Static<typeof choice>>().toEqualTypeOf<'a' | 'b'>();
  expectTypeOf<Static<TObject>>().toEqualTypeOf<{ readonly [name: string]: unknown }>();
});
