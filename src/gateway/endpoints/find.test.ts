import { expect, test } from 'vitest';
import { ENDPOINT_ROWS } from './contract.ts';
import { findEndpoint } from './find.ts';

function found(url: string) {
  const found = findEndpoint('POST', url);
  return found.kind === 'call' ? found.endpoint : undefined;
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
  expect(findEndpoint('POST', url).kind).toBe('no-endpoint');
});

test('another method is refused with the allowed one', () => {
  expect(findEndpoint('GET', '/v1/chat/completions')).toEqual({ kind: 'method-not-allowed', allow: 'POST' });
  expect(findEndpoint('PUT', '/v1beta/models/m:generateContent').kind).toBe('method-not-allowed');
});

test.each([
  ['/v1/messages/count_tokens?beta=true', 'messages'],
  ['/v1/responses/input_tokens', 'responses'],
  ['/v1beta/models/gemini-3-pro:countTokens', 'gemini'],
  ['/v1/v1beta/models/gemini-3-pro%3AcountTokens', 'gemini'],
])('%s counts tokens in %s', (url, protocol) => {
  expect(findEndpoint('POST', url)).toMatchObject({ kind: 'count', endpoint: { protocol, edit: false } });
  expect(findEndpoint('GET', url)).toEqual({ kind: 'method-not-allowed', allow: 'POST' });
});

test('a count takes the model from its path', () => {
  const match = findEndpoint('POST', '/v1beta/models/acme%2Fx:countTokens?key=k');
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
  expect(findEndpoint('POST', url)).toMatchObject({ endpoint: { query } });
});

test.each([
  ['/v1/models', 'listModelsOfKey', {}],
  ['/v1/models?limit=1000', 'listModelsOfKey', {}],
  ['/v1beta/models', 'listModelsForGoogle', {}],
  ['/v1/v1beta/models', 'listModelsForGoogle', {}],
  ['/v1alpha/models', 'listModelsForGoogle', {}],
  ['/v1/models/gpt-5', 'getModelOfKey', { model: 'gpt-5' }],
  ['/v1/models/acme/model-9', 'getModelOfKey', { model: 'acme/model-9' }],
  ['/v1/models/acme%2Fmodel-9', 'getModelOfKey', { model: 'acme/model-9' }],
  ['/v1/models/a%3Ab', 'getModelOfKey', { model: 'a:b' }],
  ['/v1beta/models/gemini-3-pro', 'getModelForGoogle', { model: 'gemini-3-pro' }],
  ['/v1/v1beta/models/gemini-3-pro', 'getModelForGoogle', { model: 'gemini-3-pro' }],
])('%s is %s', (url, id, params) => {
  for (const method of ['GET', 'HEAD']) {
    expect(findEndpoint(method, url)).toMatchObject({ kind: 'object', asked: { id, params } });
  }
});

test('models are read-only', () => {
  const refused = { kind: 'method-not-allowed', allow: 'GET, HEAD' };
  expect(findEndpoint('POST', '/v1/models')).toEqual(refused);
  expect(findEndpoint('DELETE', '/v1/models/gpt-5')).toEqual(refused);
  // Below a model a POST is an action, and this is none.
  expect(findEndpoint('POST', '/v1/models/gpt-5').kind).toBe('no-endpoint');
});

test.each(['/v1/models/', '/v1/model', '/v1/models/%zz', '/models', '/v2/models'])(
  '%s does not list models',
  (url) => {
    expect(findEndpoint('GET', url).kind).toBe('no-endpoint');
  },
);

test.each([
  ['GET', '/v1/responses/resp_1?include=x', 'getResponse', { id: 'resp_1' }, '?include=x'],
  ['DELETE', '/v1/responses/resp_1', 'deleteResponse', { id: 'resp_1' }, ''],
  ['GET', '/v1/responses/a%2Fb/input_items', 'listInputOfResponse', { id: 'a/b' }, ''],
  ['POST', '/v1/responses/resp_1/cancel', 'cancelResponse', { id: 'resp_1' }, ''],
  ['POST', '/v1/conversations', 'createConversation', {}, ''],
  ['GET', '/v1/conversations/conv_1', 'getConversation', { id: 'conv_1' }, ''],
  ['POST', '/v1/conversations/conv_1', 'updateConversation', { id: 'conv_1' }, ''],
  ['DELETE', '/v1/conversations/a%2Fb', 'deleteConversation', { id: 'a/b' }, ''],
  ['GET', '/v1/conversations/conv_1/items?limit=2', 'listItemsOfConversation', { id: 'conv_1' }, '?limit=2'],
  ['POST', '/v1/conversations/conv_1/items', 'addItemsToConversation', { id: 'conv_1' }, ''],
  ['GET', '/v1/conversations/c/items/msg_1', 'getItemOfConversation', { id: 'c', item: 'msg_1' }, ''],
  ['DELETE', '/v1/conversations/c/items/msg_1', 'deleteItemOfConversation', { id: 'c', item: 'msg_1' }, ''],
  ['GET', '/v1/videos?limit=2', 'listVideos', {}, '?limit=2'],
  ['GET', '/v1/videos/video_1', 'getVideo', { id: 'video_1' }, ''],
  ['DELETE', '/v1/videos/a%20b', 'deleteVideo', { id: 'a b' }, ''],
  ['GET', '/v1/videos/v/content?variant=thumbnail', 'getVideoContent', { id: 'v' }, '?variant=thumbnail'],
  ['POST', '/v1/videos/video_1/remix', 'remixVideo', { id: 'video_1' }, ''],
  ['POST', '/v1/videos/edits', 'editVideo', {}, ''],
  ['POST', '/v1/videos/extensions', 'extendVideo', {}, ''],
  ['POST', '/v1/videos/characters', 'createVideoCharacter', {}, ''],
  ['GET', '/v1/videos/characters/char_1', 'getVideoCharacter', { id: 'char_1' }, ''],
  ['POST', '/v1/files', 'uploadFile', {}, ''],
  ['GET', '/v1/files', 'listFiles', {}, ''],
  ['GET', '/v1/files/a%20b', 'getFile', { id: 'a b' }, ''],
  ['DELETE', '/v1/files/a', 'deleteFile', { id: 'a' }, ''],
  ['GET', '/v1/files/a/content', 'getFileContent', { id: 'a' }, ''],
  ['GET', '/v1/batches', 'listBatches', {}, ''],
  ['GET', '/v1/batches/a', 'getBatch', { id: 'a' }, ''],
  ['POST', '/v1/batches/a/cancel', 'cancelBatch', { id: 'a' }, ''],
  ['GET', '/v1/messages/batches', 'listMessageBatches', {}, ''],
  ['GET', '/v1/messages/batches/a/results', 'getMessageBatchResults', { id: 'a' }, ''],
])('%s %s is %s', (method, url, id, params, query) => {
  expect(findEndpoint(method, url)).toEqual({ kind: 'object', asked: { id, params, query } });
});

test.each([
  ['PUT', '/v1/responses/resp_1', 'GET, DELETE'],
  ['POST', '/v1/responses/resp_1/input_items', 'GET'],
  ['GET', '/v1/responses/resp_1/cancel', 'POST'],
  ['GET', '/v1/responses/compact', 'POST'],
  ['GET', '/v1/conversations', 'POST'],
  ['PUT', '/v1/conversations/conv_1', 'GET, POST, DELETE'],
  ['DELETE', '/v1/conversations/conv_1/items', 'GET, POST'],
  ['POST', '/v1/conversations/conv_1/items/msg_1', 'GET, DELETE'],
  ['PUT', '/v1/videos', 'POST, GET'],
  ['POST', '/v1/videos/video_1', 'GET, DELETE'],
  ['DELETE', '/v1/videos/video_1/content', 'GET'],
  ['GET', '/v1/videos/video_1/remix', 'POST'],
  ['GET', '/v1/videos/edits', 'POST'],
  ['POST', '/v1/files/a', 'GET, DELETE'],
  ['DELETE', '/v1/batches', 'POST, GET'],
  ['DELETE', '/v1/messages/batches', 'POST, GET'],
  ['POST', '/v1/messages/batches/a/results', 'GET'],
])('%s %s is refused with the methods that are served', (method, url, allow) => {
  expect(findEndpoint(method, url)).toEqual({ kind: 'method-not-allowed', allow });
});

test.each([
  '/v1/responses/',
  '/v1/responses/%zz',
  '/v1/responses/a/b/input_items',
  '/v1/responses/a/else',
  '/v1/conversations/',
  '/v1/conversations/%zz',
  '/v1/conversations/a/else',
  '/v1/conversations/a/items/b/c',
  '/v1/videos/',
  '/v1/videos/%zz',
  '/v1/videos/a/b/content',
  '/v1/videos/a/else',
  '/v1/files/a/b',
  '/v1/files/%zz',
  '/v1/files/',
  '/v1/batches/a/content',
  '/v1/messages/batches/%zz',
  '/v1/messages/batches/a/b',
  `/v1/files/${'x'.repeat(1_025)}`,
  `/v1/models/${'x'.repeat(513)}`,
])('%s is no path of the gateway', (url) => {
  expect(findEndpoint('GET', url).kind).toBe('no-endpoint');
});

test.each(ENDPOINT_ROWS)('%s is found at its path, and below the other bases', (_id, row) => {
  const { method, path, alsoBelow = [], call, counts } = row;
  const kind = call !== undefined ? 'call' : counts !== undefined ? 'count' : 'object';
  for (const base of ['/v1beta/models', ...alsoBelow]) {
    const place = path.replace('/v1beta/models', base).replaceAll(/\{\w+\}/g, 'a');
    expect(findEndpoint(method, place).kind, place).toBe(kind);
  }
});

test('what is found for a call without a query is the same object each time', () => {
  const [one, other] = [1, 2].map(() => findEndpoint('POST', '/v1/chat/completions'));
  expect(one).toBe(other);
});

test('every endpoint that is no call says in whose form its errors are', () => {
  const silent = ENDPOINT_ROWS.filter(
    ([, { call, counts, errors }]) => call === undefined && counts === undefined && errors === undefined,
  );
  expect(silent.map(([id]) => id)).toEqual([]);
});
