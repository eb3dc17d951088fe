import { expect, test } from 'vitest';
import { matchEndpoint } from './endpoints.ts';

function found(url: string) {
  const match = matchEndpoint('POST', url);
  return match.kind === 'endpoint' ? match.endpoint : undefined;
}

test('each protocol has its path', () => {
  expect(found('/v1/chat/completions')?.protocol).toBe('chat');
  expect(found('/v1/responses')?.protocol).toBe('responses');
  expect(found('/v1/messages?beta=true')).toMatchObject({ protocol: 'messages', query: 'beta=true' });
  expect(found('/v1/images/generations')).toMatchObject({ protocol: 'images', edit: false });
  expect(found('/v1/images/edits')).toMatchObject({ protocol: 'images', edit: true });
  expect(found('/v1/images/edits')?.action).toBeUndefined();
  expect(found('/v1/images/variations')).toMatchObject({ protocol: 'images', action: 'variation' });
});

test.each(['embeddings', 'moderations', 'rerank', 'completions'])('%s has its path', (protocol) => {
  expect(found(`/v1/${protocol}`)).toMatchObject({ protocol, edit: false, query: '' });
  expect(found('/v2/rerank')?.protocol).toBe('rerank');
  expect(found('/v1/audio/speech')).toMatchObject({ protocol: 'speech', edit: false });
  expect(found('/v1/videos')).toMatchObject({ protocol: 'videos', edit: false, query: '' });
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

test('another method is refused with the allowed one', () => {
  expect(matchEndpoint('GET', '/v1/chat/completions')).toEqual({ kind: 'method-not-allowed', allow: 'POST' });
  expect(matchEndpoint('PUT', '/v1beta/models/m:generateContent').kind).toBe('method-not-allowed');
});

test.each([
  ['/v1/messages/count_tokens?beta=true', 'messages'],
  ['/v1/responses/input_tokens', 'responses'],
  ['/v1beta/models/gemini-3-pro:countTokens', 'gemini'],
  ['/v1/v1beta/models/gemini-3-pro%3AcountTokens', 'gemini'],
])('%s counts tokens in %s', (url, protocol) => {
  expect(matchEndpoint('POST', url)).toMatchObject({ kind: 'count', endpoint: { protocol, edit: false } });
  expect(matchEndpoint('GET', url)).toEqual({ kind: 'method-not-allowed', allow: 'POST' });
});

test('a count takes the model from its path', () => {
  const match = matchEndpoint('POST', '/v1beta/models/acme%2Fx:countTokens?key=k');
  expect(match).toMatchObject({ endpoint: { path: { model: 'acme/x', stream: false }, query: '' } });
});

const STREAM = '/v1beta/models/m:streamGenerateContent';

test.each([
  [`${STREAM}?alt=sse`, 'alt=sse'],
  [`${STREAM}?%61lt=sse&alt=json`, 'alt=sse'],
  [`${STREAM}?$alt=sse`, 'alt=sse'],
  [`${STREAM}?alt=json&alt=sse`, ''],
  [`${STREAM}?ALT=sse`, ''],
  [`${STREAM}?alt=SSE`, ''],
  [`${STREAM}?alt=sse&fields=candidates&$fields=x&%66ields=y&prettyPrint=false&callback=f&key=k`, 'alt=sse'],
  ['/v1beta/models/m:generateContent?alt=sse&$httpMethod=GET&alt=proto&fields=candidates', ''],
  ['/v1beta/models/m:countTokens?alt=proto', ''],
  ['/v1/messages?beta=true&model=other&beta=false', 'beta=true'],
  ['/v1/messages?beta=1', ''],
  ['/v1/messages?BETA=true', ''],
  ['/v1/messages/count_tokens?x=1&beta=true', 'beta=true'],
  ['/v1/chat/completions?beta=true&api-version=2', ''],
  ['/v1/responses?include[]=x', ''],
  ['/v1/images/edits?n=10', ''],
])('the path %s sends the vendor "%s"', (url, query) => {
  expect(matchEndpoint('POST', url)).toMatchObject({ endpoint: { query } });
});

test.each([
  ['/v1/models', 'by-client', undefined],
  ['/v1/models?limit=1000', 'by-client', undefined],
  ['/v1beta/models', 'google', undefined],
  ['/v1/v1beta/models', 'google', undefined],
  ['/v1alpha/models', 'google', undefined],
  ['/v1/models/gpt-5', 'by-client', 'gpt-5'],
  ['/v1/models/acme/model-9', 'by-client', 'acme/model-9'],
  ['/v1/models/acme%2Fmodel-9', 'by-client', 'acme/model-9'],
  ['/v1/models/a%3Ab', 'by-client', 'a:b'],
  ['/v1beta/models/gemini-3-pro', 'google', 'gemini-3-pro'],
  ['/v1/v1beta/models/gemini-3-pro', 'google', 'gemini-3-pro'],
])('%s lists models', (url, style, modelId) => {
  for (const method of ['GET', 'HEAD']) {
    expect(matchEndpoint(method, url)).toMatchObject({ kind: 'models', models: { style, modelId } });
  }
});

test('models are read-only', () => {
  const refused = { kind: 'method-not-allowed', allow: 'GET, HEAD' };
  expect(matchEndpoint('POST', '/v1/models')).toEqual(refused);
  expect(matchEndpoint('DELETE', '/v1/models/gpt-5')).toEqual(refused);
  // Below a model a POST is an action, and this is none.
  expect(matchEndpoint('POST', '/v1/models/gpt-5').kind).toBe('no-endpoint');
});

test.each(['/v1/models/', '/v1/model', '/v1/models/%zz', '/models', '/v2/models'])(
  '%s does not list models',
  (url) => {
    expect(matchEndpoint('GET', url).kind).toBe('no-endpoint');
  },
);
