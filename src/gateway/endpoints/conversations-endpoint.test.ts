import { expect, test } from 'vitest';
import { matchEndpoint } from './endpoints.ts';

test.each([
  ['POST', '/v1/conversations', { action: 'create', id: '', itemId: '', query: '' }],
  ['GET', '/v1/conversations/conv_1', { action: 'read', id: 'conv_1', itemId: '', query: '' }],
  ['POST', '/v1/conversations/conv_1', { action: 'update', id: 'conv_1', itemId: '', query: '' }],
  ['DELETE', '/v1/conversations/a%2Fb', { action: 'delete', id: 'a/b', itemId: '', query: '' }],
  [
    ...(['GET', '/v1/conversations/conv_1/items?limit=2'] as const),
    { action: 'list-items', id: 'conv_1', itemId: '', query: '?limit=2' },
  ],
  ['POST', '/v1/conversations/conv_1/items', { action: 'add-items', id: 'conv_1', itemId: '', query: '' }],
  [
    ...(['GET', '/v1/conversations/conv_1/items/msg_1'] as const),
    { action: 'read-item', id: 'conv_1', itemId: 'msg_1', query: '' },
  ],
  [
    ...(['DELETE', '/v1/conversations/conv_1/items/msg_1'] as const),
    { action: 'delete-item', id: 'conv_1', itemId: 'msg_1', query: '' },
  ],
])('%s %s addresses a conversation', (method, url, conversation) => {
  expect(matchEndpoint(method, url)).toEqual({ kind: 'conversation', conversation });
});

test.each([
  ['GET', '/v1/conversations', 'POST'],
  ['PUT', '/v1/conversations/conv_1', 'GET, POST, DELETE'],
  ['DELETE', '/v1/conversations/conv_1/items', 'GET, POST'],
  ['POST', '/v1/conversations/conv_1/items/msg_1', 'GET, DELETE'],
])('%s %s is refused with the allowed methods', (method, url, allow) => {
  expect(matchEndpoint(method, url)).toEqual({ kind: 'method-not-allowed', allow });
});

test.each([
  '/v1/conversations/',
  '/v1/conversations/%zz',
  '/v1/conversations/a/else',
  '/v1/conversations/a/items/b/c',
])('%s is not a path of the gateway', (url) => {
  expect(matchEndpoint('GET', url).kind).toBe('no-endpoint');
});
