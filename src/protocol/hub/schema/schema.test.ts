import { describe, expect, it } from 'vitest';
import { rewriteSchema, type SchemaNode } from './schema.ts';
import { isRecursive, lookUp, mergeAllOf, objectRoot } from './schema-shape.ts';

const withoutFormat = (node: SchemaNode): SchemaNode => {
  if (node.format === undefined) return node;
  const { format: _format, ...rest } = node;
  return rest;
};

/** A definition that leads to the next one, and so on. */
function chainOfReferences(length: number): string {
  const definitions = Array.from({ length }, (_, index) => [
    `d${index}`,
    { items: { $ref: `#/$defs/d${index + 1}` } },
  ]);
  return JSON.stringify({ $ref: '#/$defs/d0', $defs: Object.fromEntries(definitions) });
}

describe('the rewriting of a schema', () => {
  it('returns the original text when nothing changes', () => {
    const raw = '{ "type":"object", "properties":{"10":{"minimum":1.0},"2":{"maximum":9007199254740993}} }';
    expect(rewriteSchema(raw, (node) => node)).toBe(raw);
  });

  it('never takes the name of a property as a keyword', () => {
    const raw = JSON.stringify({
      type: 'object',
      properties: { format: { type: 'string', format: 'uri' }, properties: { format: 'date' } },
      required: ['format'],
    });
    expect(rewriteSchema(raw, withoutFormat)).toBe(
      '{"type":"object","properties":{"format":{"type":"string"},"properties":{}},"required":["format"]}',
    );
  });

  it.each([
    [{ $defs: { a: { format: 'x' } } }, { $defs: { a: {} } }],
    [{ definitions: { a: { format: 'x' } } }, { definitions: { a: {} } }],
    [{ patternProperties: { '^a': { format: 'x' } } }, { patternProperties: { '^a': {} } }],
    [{ items: { format: 'x' } }, { items: {} }],
    [{ items: [{ format: 'x' }] }, { items: [{}] }],
    [{ prefixItems: [true, { format: 'x' }] }, { prefixItems: [true, {}] }],
    [{ anyOf: [{ oneOf: [{ allOf: [{ format: 'x' }] }] }] }, { anyOf: [{ oneOf: [{ allOf: [{}] }] }] }],
    [{ not: { format: 'x' } }, { not: {} }],
    [
      { if: { format: 'x' }, else: { format: 'x' } },
      { if: {}, else: {} },
    ],
    [{ additionalProperties: { format: 'x' } }, { additionalProperties: {} }],
    [{ additionalProperties: false }, { additionalProperties: false }],
    // Values that only look like schemas.
    [{ default: { format: 'x' } }, { default: { format: 'x' } }],
    [{ const: { format: 'x' } }, { const: { format: 'x' } }],
    [
      { enum: [{ format: 'x' }], examples: [{ format: 'x' }] },
      { enum: [{ format: 'x' }], examples: [{ format: 'x' }] },
    ],
  ])('visits %j', (schema, expected) => {
    expect(JSON.parse(rewriteSchema(JSON.stringify(schema), withoutFormat))).toEqual(expected);
  });

  it('keeps the order of keys around a change, and drops __proto__, which no protocol has', () => {
    const raw = '{"b":1,"properties":{"z":{"format":"x"},"__proto__":{"type":"string"},"a":{}},"a":2}';
    expect(rewriteSchema(raw, withoutFormat)).toBe('{"b":1,"properties":{"z":{},"a":{}},"a":2}');
  });

  it('visits inner nodes first and marks the root', () => {
    const seen: string[] = [];
    rewriteSchema('{"title":"root","items":{"title":"inner"}}', (node, context) => {
      seen.push(`${String(node.title)} ${context.depth} ${context.isRoot}`);
      return node;
    });
    expect(seen).toEqual(['inner 1 false', 'root 0 true']);
  });

  it('leaves nodes below the maximum depth unchanged', () => {
    const raw = `${'{"items":'.repeat(5000)}{"format":"x"}${'}'.repeat(5000)}`;
    expect(rewriteSchema(raw, withoutFormat)).toBe(raw);
  });

  it('returns text that is not a schema object', () => {
    for (const raw of ['true', '[]', '{', '']) expect(rewriteSchema(raw, () => ({}))).toBe(raw);
  });
});

describe('the root of a tool schema', () => {
  it('stays unchanged when it is an object', () => {
    const raw = '{"properties":{"a":{}}, "type":"object"}';
    expect(objectRoot(raw)).toBe(raw);
  });

  it.each<[string, unknown]>([
    ['true', { type: 'object', properties: {} }],
    ['{}', { type: 'object' }],
    ['{"type":["object","null"],"properties":{"a":{}}}', { type: 'object', properties: { a: {} } }],
    ['{"type":"array"}', { type: 'object', properties: { value: { type: 'array' } }, required: ['value'] }],
    [
      '{"$ref":"#/$defs/T","$defs":{"T":{"type":"object","properties":{"a":{}}}}}',
      { type: 'object', properties: { a: {} }, $defs: { T: { type: 'object', properties: { a: {} } } } },
    ],
    [
      '{"anyOf":[{"type":"object","properties":{"a":{},"k":{}},"required":["a","k"]},{"type":"null"},' +
        '{"type":"object","properties":{"b":{},"k":{}},"required":["b","k"]}]}',
      { type: 'object', properties: { a: {}, b: {}, k: {} }, required: ['k'] },
    ],
    [
      '{"type":"object","properties":{"a":{}},"required":["a"],' +
        '"allOf":[{"properties":{"b":{}},"required":["b"]}]}',
      { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
    ],
    ['{"$ref":"#"}', { type: 'object' }],
    [
      '{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}',
      { type: 'object', properties: { a: {}, b: {} } },
    ],
    [
      '{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},' +
        '{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]},' +
        '{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]}]}',
      {
        type: 'object',
        properties: { k: { anyOf: [{ const: 'a' }, { const: 'b' }] } },
        required: ['k'],
      },
    ],
    [
      '{"anyOf":[{"type":"string"},{"$ref":"#/$defs/N"}],"$defs":{"N":{"type":"number"}}}',
      {
        type: 'object',
        properties: { value: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/N' }] } },
        required: ['value'],
        $defs: { N: { type: 'number' } },
      },
    ],
  ])('becomes an object: %.60s', (raw, expected) => {
    expect(JSON.parse(objectRoot(raw))).toEqual(expected);
  });
});

describe('references', () => {
  it('resolve to the node they name', () => {
    const root = { $defs: { 'a/b': { title: 'x' } }, anyOf: [{ title: 'y' }] };
    expect(lookUp(root, '#/$defs/a~1b')).toEqual({ title: 'x' });
    expect(lookUp(root, '#/anyOf/0')).toEqual({ title: 'y' });
    expect(lookUp(root, '#/$defs/constructor')).toBeUndefined();
    expect(lookUp(root, 'https://elsewhere')).toBeUndefined();
  });

  it.each([
    ['{"properties":{"child":{"$ref":"#"}}}', true],
    [
      '{"$ref":"#/$defs/A","$defs":{"A":{"items":{"$ref":"#/$defs/B"}},"B":{"items":{"$ref":"#/$defs/A"}}}}',
      true,
    ],
    [
      '{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}',
      false,
    ],
    ['{"properties":{"$ref":{"type":"string"}}}', false],
    [chainOfReferences(100), false],
    // Longer than anybody's: taken for recursive rather than followed.
    [chainOfReferences(5000), true],
  ])('that are circular are found: %.60s', (raw, expected) => {
    expect(isRecursive(raw)).toBe(expected);
  });
});

it('allOf is merged into one node', () => {
  const node = {
    title: 't',
    allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { minimum: 1 }],
  };
  expect(mergeAllOf(node)).toEqual({
    title: 't',
    minimum: 1,
    properties: { a: { type: 'string' } },
    required: ['a'],
  });
});
