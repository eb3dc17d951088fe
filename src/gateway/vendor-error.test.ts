import { expect, test } from 'vitest';
import { vendorErrorStatus } from './vendor-error.ts';

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
])('%s stands for %i', (text, status) => {
  expect(vendorErrorStatus(text)).toBe(status);
});
