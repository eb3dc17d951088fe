import { expect, test } from 'vitest';
import { matchEndpoint } from './endpoints.ts';

function found(url: string) {
  const match = matchEndpoint('POST', url);
  return match.kind === 'endpoint' ? match.endpoint : undefined;
}

test('each of the five shapes has its path', () => {
  expect(found('/v1/chat/completions')?.protocol).toBe('chat');
  expect(found('/v1/responses')?.protocol).toBe('responses');
  expect(found('/v1/messages?beta=true')).toMatchObject({ protocol: 'messages', query: '?beta=true' });
  expect(found('/v1/images/generations')).toMatchObject({ protocol: 'images', edit: false });
  expect(found('/v1/images/edits')).toMatchObject({ protocol: 'images', edit: true });
});

test.each([
  ['/v1beta/models/gemini-3-pro:generateContent', 'gemini-3-pro', false, 'json-array'],
  ['/v1/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse', 'gemini-3-pro', true, 'sse'],
  ['/v1beta/models/gemini-3-pro:streamGenerateContent', 'gemini-3-pro', true, 'json-array'],
  ['/v1beta/models/gemini-3-pro%3AgenerateContent', 'gemini-3-pro', false, 'json-array'],
  ['/v1beta/models/google/gemini:x:generateContent', 'google/gemini:x', false, 'json-array'],
  ['/v1beta/models/google%2Fgemini:generateContent', 'google/gemini', false, 'json-array'],
  ['/v1alpha/models/m:generateContent?key=x&alt=sse', 'm', false, 'sse'],
])('%s names model %s', (url, model, stream, framing) => {
  expect(found(url)).toMatchObject({ protocol: 'gemini', path: { model, stream, framing } });
});

test.each([
  '/v1/v1/chat/completions',
  '/chat/completions',
  '/v1/chat/completions/',
  '//v1/chat/completions',
  '/V1/chat/completions',
  '/v1beta/models/m:deleteEverything',
  '/v1beta/models/:generateContent',
  '/v1beta/models/%zz:generateContent',
  '/v1beta/models/m',
])('%s is not a path of the gateway', (url) => {
  expect(matchEndpoint('POST', url).kind).toBe('no-endpoint');
});

test('another method is refused with the one that is allowed', () => {
  expect(matchEndpoint('GET', '/v1/chat/completions')).toEqual({ kind: 'method-not-allowed', allow: 'POST' });
  expect(matchEndpoint('PUT', '/v1beta/models/m:generateContent').kind).toBe('method-not-allowed');
});
