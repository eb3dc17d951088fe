import { expect, test } from 'vitest';
import { unknownPath } from './unknown-path.ts';

const refusalOf = (path: string, headers = {}, method = 'POST') => {
  const { refusal, protocol } = unknownPath(method, path, headers);
  return { message: refusal.message, protocol };
};

test.each([
  '/v1/fine_tuning/jobs',
  '/v1/assistants',
  '/v1/threads/thread_1/runs',
  '/v1/realtime/sessions',
  '/v1/realtime/client_secrets',
  '/v1/audio/voices',
  '/v1/videos/video_1/frames',
  '/v1/files/file-1/content',
  '/v1/uploads/upload_1/parts',
  '/v1/containers',
  '/v1/evals/eval_1/runs',
  '/v1/vector_stores/vs_1/search',
  '/v1/messages/batches',
  '/v2/chat',
  '/v1beta/models/m:predictLongRunning',
  '/v1beta/models/m:asyncBatchEmbedContent',
  '/v1beta/cachedContents',
  '/upload/v1beta/files',
])('%s is reported as not served', (path) => {
  expect(refusalOf(path).message).toContain(`Tollgate does not serve ${path}`);
});

test.each([
  ['/models', '/v1'],
  ['/models/gpt-5', '/v1'],
  ['/chat/completions', '/v1'],
  ['/responses/resp_1', '/v1'],
  ['/messages/count_tokens', '/v1'],
  ['/images/edits', '/v1'],
  ['/embeddings', '/v1'],
  ['/moderations', '/v1'],
  ['/rerank', '/v1'],
  ['/completions', '/v1'],
  ['/models/gemini-3-pro:generateContent', '/v1beta'],
  ['/models/gemini-3-pro%3AstreamGenerateContent', '/v1beta'],
])('%s is reported to lack %s', (path, version) => {
  for (const method of ['GET', 'POST']) {
    expect(refusalOf(path, {}, method).message).toContain(
      `${version} is missing; use a base address with ${version}`,
    );
  }
});

test.each([
  ['/v1/v1/chat/completions', '/v1'],
  ['/v1beta/v1beta/models/m:generateContent', '/v1beta'],
])('%s is reported to contain %s twice', (path, version) => {
  expect(refusalOf(path).message).toContain(`${version} is doubled`);
});

test.each([
  ['//v1/chat/completions', '/v1/chat/completions', undefined],
  ['/v1//chat/completions', '/v1/chat/completions', undefined],
  ['/openai/v1/chat/completions', '/v1/chat/completions', undefined],
  ['/anthropic/v1/messages', '/v1/messages', 'messages'],
  ['/anthropic/v1/messages/', '/v1/messages', 'messages'],
  ['/api/v1/proxy/v1/embeddings', '/v1/embeddings', undefined],
  ['/v1beta/openai/chat/completions', '/v1/chat/completions', undefined],
  ['/gemini/v1beta/models/m:generateContent', '/v1beta/models/m:generateContent', 'gemini'],
])('%s is reported to be %s', (path, meant, protocol) => {
  expect(refusalOf(path)).toEqual({
    message: `Unknown path ${path}: here it is ${meant}; correct the base address`,
    protocol,
  });
});

test('a WebSocket is reported as one, whatever its path, and nothing behind the path is repeated', () => {
  for (const upgrade of ['websocket', 'WebSocket']) {
    const { message, protocol } = refusalOf('/v1/realtime?model=gpt-realtime&key=sk-1', { upgrade }, 'GET');
    expect(message).toBe('Unknown path: Tollgate serves no WebSocket, not at /v1/realtime nor elsewhere');
    expect(protocol).toBeUndefined();
  }
  expect(refusalOf('/v1/realtime', { upgrade: 'h2c' }, 'GET').message).toContain(
    'does not serve /v1/realtime',
  );
});

test('a trailing slash is reported, and an unknown path has the general message', () => {
  expect(refusalOf('/v1/chat/completions/').message).toContain('leave out the slash at its end');
  expect(refusalOf('/nowhere?secret=1').message).toBe(
    'Unknown path; check the base address for a doubled or missing /v1 (/nowhere)',
  );
  expect(refusalOf('/v1/\u0007é').message).toContain('does not serve /v1/??');
  expect(refusalOf(`/v1/${'x'.repeat(9_000)}`).message.length).toBeLessThan(300);
});

test.each([
  ['/v1/fine_tuning/jobs', {}, undefined],
  ['/v1/messages/batches', {}, 'messages'],
  ['/messages', {}, 'messages'],
  ['/v1/v1/messages', {}, 'messages'],
  ['/v1/files', { 'anthropic-version': '2023-06-01' }, 'messages'],
  ['/v1/files', { 'x-goog-api-key': 'x' }, 'gemini'],
  ['/v1beta/models/m:predict', {}, 'gemini'],
  ['/v1/models/m:predict', {}, 'gemini'],
  ['/models/m:generateContent', {}, 'gemini'],
  ['/upload/v1beta/files', {}, 'gemini'],
])('%s with %j is answered in the form of %s', (path, headers, protocol) => {
  expect(refusalOf(path, headers).protocol).toBe(protocol);
});
