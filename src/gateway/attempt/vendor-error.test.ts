import { expect, test } from 'vitest';
import { isSignatureRefused, vendorErrorBody, vendorErrorStatus, withTrueStatus } from './vendor-error.ts';

test.each([
  ['{"type":"error","error":{"type":"overloaded_error","message":"x"}}', 529],
  ['{"error":{"message":"x","type":"invalid_request_error","code":null}}', 400],
  ['{"error":{"message":"x","type":"requests","code":"rate_limit_exceeded"}}', 429],
  ['{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}', 503],
  ['[{"error":{"code":429,"message":"x"}}]', 429],
  ['{"type":"response.failed","response":{"error":{"code":"server_error","message":"x"}}}', 500],
  ['{"type":"error","code":"rate_limit_exceeded","message":"x"}', 429],
  ['{"error":{"code":20}}', 502],
  ['{"error":"x"}', 502],
  ['not json', 502],
  ['', 502],
  ['null', 502],
])('%s becomes %i', (text, status) => {
  expect(vendorErrorStatus(text)).toBe(status);
});

test.each([
  ['{"error":{"message":"x"}}', '{"error":{"message":"x"}}'],
  [
    '{"type":"error","code":"server_error","message":"x","param":null,"sequence_number":0}',
    '{"error":{"message":"x","type":"server_error","param":null,"code":"server_error"}}',
  ],
  [
    '{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"x"}}}',
    '{"error":{"message":"x","type":"server_error","param":null,"code":"rate_limit_exceeded"}}',
  ],
  ['not json', 'not json'],
])('%s is %s as the body of an error', (text, body) => {
  expect(vendorErrorBody(text)).toBe(body);
});

test('a key that Google does not know is unauthorized, with any status', () => {
  const body = Buffer.from('{"error":{"code":400,"details":[{"reason": "API_KEY_INVALID"}]}}');
  expect(withTrueStatus({ status: 400, headers: {}, body }).status).toBe(401);
  const other = { status: 400, headers: {}, body: Buffer.from('{"error":{"code":400}}') };
  expect(withTrueStatus(other)).toBe(other);
});

test.each([
  ['{"error":{"code":"invalid_encrypted_content","message":"could not be verified"}}', true],
  [
    '{"type":"error","error":{"message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}',
    true,
  ],
  ['{"error":{"code":400,"message":"Corrupted thought signature."}}', true],
  ['{"error":{"message":"max_tokens: too large"}}', false],
])('%s is about a signature: %s', (text, expected) => {
  expect(isSignatureRefused({ status: 400, headers: {}, body: Buffer.from(text) })).toBe(expected);
});
