import { expect, test } from 'vitest';
import { judgeWebhookAddress } from './webhook-address.ts';

const OWN = new Set(['10.0.0.7:8080']);

test.each([
  ['https://example.com/hooks?key=1&a=b?c', 'https://example.com/hooks?key=1&a=b?c'],
  ['https://EXAMPLE.com/hooks/', 'https://example.com/hooks/'],
  ['http://10.0.0.7:8080/x', 'http://10.0.0.7:8080/x'],
])('%s is taken as %s', (text, url) => {
  expect(judgeWebhookAddress(text, OWN)).toEqual({ kind: 'address', url });
});

test.each([
  'http://example.com/hooks',
  'https://127.0.0.1/',
  'https://localhost/?a',
  'https://10.0.0.7:8443/',
  'https://169.254.169.254/latest?x=1',
  'https://[::1]/',
  'https://user:word@example.com/',
  'https://example.com/#a',
  'https://example.com/?a#b',
  'https://example.com:25/',
  'javascript:alert(1)',
  'https://example.com/\r\nhost: evil',
  '',
])('%j is refused', (text) => {
  expect(judgeWebhookAddress(text, OWN).kind).toBe('refused');
});
