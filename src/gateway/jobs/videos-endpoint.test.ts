import { expect, test } from 'vitest';
import { matchEndpoint } from '../endpoints/endpoints.ts';

test.each([
  ['GET', '/v1/videos?limit=2', { action: 'list', id: '', query: '?limit=2' }],
  ['GET', '/v1/videos/video_1', { action: 'read', id: 'video_1', query: '' }],
  ['DELETE', '/v1/videos/a%20b', { action: 'delete', id: 'a b', query: '' }],
  [
    'GET',
    '/v1/videos/video_1/content?variant=thumbnail',
    { action: 'content', id: 'video_1', query: '?variant=thumbnail' },
  ],
  ['POST', '/v1/videos/video_1/remix', { action: 'unserved', id: 'video_1', query: '' }],
  ['POST', '/v1/videos/edits', { action: 'unserved', id: 'edits', query: '' }],
  ['POST', '/v1/videos/extensions', { action: 'unserved', id: 'extensions', query: '' }],
  ['POST', '/v1/videos/characters', { action: 'unserved', id: 'characters', query: '' }],
  ['GET', '/v1/videos/characters/char_1', { action: 'unserved', id: '', query: '' }],
])('%s %s is about videos', (method, url, videos) => {
  expect(matchEndpoint(method, url)).toEqual({ kind: 'videos', videos });
});

test.each([
  ['PUT', '/v1/videos', 'POST, GET'],
  ['POST', '/v1/videos/video_1', 'GET, DELETE'],
  ['DELETE', '/v1/videos/video_1/content', 'GET'],
  ['GET', '/v1/videos/video_1/remix', 'POST'],
])('%s %s is refused with the allowed methods', (method, url, allow) => {
  expect(matchEndpoint(method, url)).toEqual({ kind: 'method-not-allowed', allow });
});

test.each(['/v1/videos/', '/v1/videos/%zz', '/v1/videos/a/b/content', '/v1/videos/a/else'])(
  '%s is not a path of the gateway',
  (url) => {
    expect(matchEndpoint('GET', url).kind).toBe('no-endpoint');
  },
);
