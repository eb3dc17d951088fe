import { expect, test } from 'vitest';
import { nameResponse, readBackground, writeBackground } from './background.ts';

const STATE = { id: 'resp_1', model: 'm', createdAtMs: 1_700_000_000_000 } as const;

test.each([
  { ...STATE, status: 'in_progress' },
  { ...STATE, status: 'cancelled' },
  { ...STATE, status: 'failed', message: 'the vendor said no' },
] as const)('$status is read as it was written', (state) => {
  expect(readBackground(Buffer.from(writeBackground(state)))).toEqual(state);
});

test.each([
  '{"id":"resp_1","status":"completed","background":true,"model":"m"}',
  '{"id":"resp_1","status":"in_progress","background":false,"model":"m"}',
  '[]',
  '',
])('%s is not work in the background', (text) => {
  expect(readBackground(Buffer.from(text))).toBeUndefined();
});

test('an answer gets the id that its client knows, and nothing else changes', () => {
  const answer = '{"id":"resp_v","output":[{"id":"msg_1"}],"background":false,"n":1.0}';
  expect(String(nameResponse(Buffer.from(answer), 'resp_1'))).toBe(
    '{"id":"resp_1","output":[{"id":"msg_1"}],"background":true,"n":1.0}',
  );
  expect(String(nameResponse(Buffer.from('{"n":1}'), 'resp_1'))).toBe('{"n":1}');
});
