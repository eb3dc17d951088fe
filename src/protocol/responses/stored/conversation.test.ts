import { expect, test } from 'vitest';
import { packConversation, withItemId } from './conversation.ts';
import { unpackResponse } from './kept-response.ts';

test('a conversation is read back as it was stored, with any number of items', () => {
  for (const items of [[], ['{"id":"a"}'], ['{"id":"a"}', '{"id":"b","content":"é"}']]) {
    const kept = unpackResponse(packConversation('{"id":"conv_1","metadata":{}}', items));
    expect(kept?.input.map(String)).toEqual(items);
    expect(kept?.output).toEqual([]);
    expect(String(kept?.response)).toBe('{"id":"conv_1","metadata":{}}');
  }
});

test('an item gets an id if it has none, and keeps the spelling of its arguments', () => {
  const newId = (type: string): string => `${type}_1`;
  expect(withItemId('{"role":"user","content":"x"}', newId)).toBe(
    '{"role":"user","content":"x","type":"message","id":"message_1"}',
  );
  const call = '{"type":"function_call","arguments":"{\\"n\\": 1.0}","id":"fc_1"}';
  expect(withItemId(call, newId)).toBe(call);
  expect(withItemId('[1]', newId)).toBeUndefined();
});
