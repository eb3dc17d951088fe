import { expect, test } from 'vitest';
import { data, operation } from '../../operations/operation.ts';
import { Type } from '../../operations/schema.ts';
import { printClient } from './client-code.ts';
import { printType } from './client-types.ts';
import { createDocument } from './openapi.ts';

const TWO_FIELDS = '{ readonly "a": string; readonly "b-c"?: number }';

test.each([
  [Type.Integer(), 'number'],
  [Type.Union([Type.Literal('a'), Type.Literal(2)]), '"a" | 2'],
  [Type.Union([Type.String(), Type.Null()]), 'string | null'],
  [Type.Array(Type.Union([Type.String(), Type.Null()])), 'readonly (string | null)[]'],
  [Type.Array(Type.Array(Type.Boolean())), 'readonly (readonly boolean[])[]'],
  [Type.Object({ a: Type.String(), 'b-c': Type.Optional(Type.Number()) }), TWO_FIELDS],
  [Type.Record(Type.Integer()), 'Readonly<Record<string, number>>'],
  [Type.Unknown(), 'unknown'],
])('a schema becomes a type', (schema, type) => {
  expect(printType(schema)).toBe(type);
});

test('an operation has the types of its input and output, and a summary cannot end its comment', () => {
  const row = operation({
    ...{
      name: 'things.page',
      id: 'listThings',
      method: 'GET',
      surface: 'user',
      path: '/thing/:id',
      access: 'user',
    },
    ...{ tag: 'Things', title: 'List the things', summary: 'All */ of them.', paged: true },
    params: Type.Object({ id: Type.Integer() }),
    query: Type.Object({ page: Type.Optional(Type.Integer()) }),
    data: Type.Array(Type.Object({ id: Type.Integer() })),
    example: { data: [] },
    handle: () => Promise.resolve(data([])),
  });
  const code = printClient(createDocument([row]));
  expect(code).toContain('/** All * / of them. */');
  expect(code).toContain(
    '{ readonly params: { readonly "id": number }; readonly query?: { readonly "page"?: number } }',
  );
  expect(code).toContain('readonly data: readonly { readonly "id": number }[]; readonly total: number;');
  expect(code).toContain('"listThings": ["GET", "/api/v1/user/user/thing/{id}"],');
  expect(code).not.toContain('createChatCompletion');
});
