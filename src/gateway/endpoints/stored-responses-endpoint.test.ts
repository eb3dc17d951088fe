import { expect, test } from 'vitest';
import { matchEndpoint } from './endpoints.ts';

test.each([
  ['GET', '/v1/responses/resp_1?include=x', { action: 'read', id: 'resp_1', query: '?include=x' }],
  ['DELETE', '/v1/responses/resp_1', { action: 'delete', id: 'resp_1', query: '' }],
  ['GET', '/v1/responses/a%2Fb/input_items', { action: 'list-input', id: 'a/b', query: '' }],
  ['POST', '/v1/responses/resp_1/cancel', { action: 'cancel', id: 'resp_1', query: '' }],
])('%s %s addresses a stored response', (method, url, stored) => {
  expect(matchEndpoint(method, url)).toEqual({ kind: 'stored', stored });
});

test.each([
  ['PUT', '/v1/responses/resp_1', 'GET, DELETE'],
  ['POST', '/v1/responses/resp_1/input_items', 'GET'],
  ['GET', '/v1/responses/resp_1/cancel', 'POST'],
  ['GET', '/v1/responses/compact', 'POST'],
])('%s %s is refused with the allowed methods', (method, url, allow) => {
  expect(matchEndpoint(method, url)).toEqual({ kind: 'method-not-allowed', allow });
});

test.each(['/v1/responses/', '/v1/responses/%zz', '/v1/responses/a/b/input_items', '/v1/responses/a/else'])(
  '%s is not a path of the gateway',
  (url) => {
    expect(matchEndpoint('GET', url).kind).toBe('no-endpoint');
  },
);
