import { expect, test } from 'vitest';
import { WHOLE_REQUEST_VALUES_MAX } from '../../../bounds.ts';
import type { RawJson } from '../../hub/content/json.ts';
import { type ListQuery, listInputItems } from './item-list.ts';
import type { StoredResponse } from './kept-response.ts';

function keptOf(...items: readonly object[]): StoredResponse {
  const input = items.map((item) => Buffer.from(JSON.stringify(item)));
  return { input, output: [], response: Buffer.from('{}') };
}

const ALL: ListQuery = { limit: 100, order: 'asc', after: undefined };

test('an item of the list is complete, however little its client sent', () => {
  const kept = keptOf(
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { type: 'function_call_output', call_id: 'c', output: 'sunny' },
    { id: 'msg_own', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
  );
  const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{48}$`));
  const list = listInputItems('resp_1', kept, ALL);
  expect(list?.data).toEqual([
    {
      id: id('msg'),
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'Hello' }],
    },
    {
      id: id('msg'),
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi' }],
    },
    { id: id('fc'), type: 'function_call_output', call_id: 'c', output: 'sunny' },
    { id: 'msg_own', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
  ]);
  expect(listInputItems('resp_1', kept, ALL)).toEqual(list);
});

test('pages continue behind an item, in either order', () => {
  const kept = keptOf({ id: 'a', role: 'user' }, { id: 'b', role: 'user' }, { id: 'c', role: 'user' });
  const page = (query: Partial<ListQuery>) => listInputItems('resp_1', kept, { ...ALL, limit: 2, ...query });
  expect(page({})).toMatchObject({ object: 'list', first_id: 'a', last_id: 'b', has_more: true });
  expect(page({ after: 'b' })).toMatchObject({ first_id: 'c', last_id: 'c', has_more: false });
  expect(page({ order: 'desc' })).toMatchObject({ first_id: 'c', last_id: 'b', has_more: true });
  expect(page({ after: 'c' })).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
  expect(page({ after: 'd' })).toBeUndefined();
});

test('an item that is too large to be inspected is returned unchanged, and blocks nobody', () => {
  const content = `[${'0,'.repeat(WHOLE_REQUEST_VALUES_MAX)}0]`;
  const input = [Buffer.from(`{"role":"user","content":${content}}`)];
  const list = listInputItems('resp_1', { input, output: [], response: Buffer.from('{}') }, ALL);
  const [first] = (list?.data ?? []) as readonly RawJson[];
  expect(first?.text).toBe(input[0]?.toString());
  expect(list?.first_id).toMatch(/^msg_[0-9a-f]{48}$/);
});

test('a page of a very long conversation is read at once', () => {
  const items = Array.from({ length: 200_000 }, () => Buffer.from('{"role":"user","content":"x"}'));
  const kept = { input: items, output: [], response: Buffer.from('{}') };
  const { last_id: after } = listInputItems('resp_1', kept, { ...ALL, limit: 2 }) as { last_id: string };
  const next = listInputItems('resp_1', kept, { ...ALL, limit: 2, after });
  expect(next?.first_id).toBe(`${after.slice(0, -1)}2`);
  expect(next?.has_more).toBe(true);
});
