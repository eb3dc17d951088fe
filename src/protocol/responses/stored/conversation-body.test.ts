import { expect, test } from 'vitest';
import { ITEMS_AT_ONCE_MAX, readConversationBody } from './conversation-body.ts';

const read = (body: string | Buffer) => readConversationBody(Buffer.from(body));

test('a body is an object, and without one nothing is asked for', async () => {
  expect(await read('')).toEqual({});
  const body = { items: [{ role: 'user', content: 'x' }, 'x', [], null], metadata: { a: 'b', A: 'c' } };
  expect(await read(JSON.stringify(body))).toEqual(body);
  expect(await read('{"items":{"a":1}}')).toMatchObject({ message: '"items" must be a list' });
  expect(await read('{"metadata":["a"]}')).toMatchObject({ message: '"metadata" must be an object' });
});

test.each([
  '[]',
  '{',
  '{"items":[],"ITEMS":[]}',
  '{"metadata":{},"meta_data":{}}',
  '{"items":[{"role":"user","Role":"system"}]}',
  '{"items":[{"id":"a"},{"id":"a","id":"b"}]}',
  `{"items":[${'{},'.repeat(ITEMS_AT_ONCE_MAX - 1)}{"type":"a","type":"b"}]}`,
  Buffer.from([0x7b, 0xff, 0x7d]),
])('%s is refused', async (body) => {
  expect(await read(body)).toMatchObject({ error: { code: 40002 } });
});
