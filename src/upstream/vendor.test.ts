import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import type { Credential, Route } from '../catalog/contract.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { answerHeaders, downloadHeaders } from './answer-headers.ts';
import type { VendorAction } from './contract.ts';
import { addressVendor } from './vendor.ts';

function route(baseUrl: string, credential: Partial<Credential> = {}, forwardModelId = 'm-1'): Route {
  return {
    id: 1,
    modelId: 'm',
    vendor: {
      code: 'v',
      name: 'V',
      icon: '',
      protocols: [],
      baseUrl,
      rateMicro: 100_000_000n,
      byok: true,
      customBaseUrl: false,
    },
    credential: {
      id: 7,
      name: 'main',
      vendorCode: 'v',
      secret: 'sk-secret',
      baseUrl: undefined,
      rateMicro: 100_000_000n,
      limits: {},
      status: 'enabled',
      ownerAccountId: undefined,
      ...credential,
    },
    forwardModelId,
    protocols: [],
    priority: 1,
    weight: 1,
    rateMultiplierMicro: 1_000_000n,
    status: 'enabled',
    capabilities: undefined,
  };
}

interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
}

function sent(
  protocol: Protocol,
  to: Route,
  more: { action?: VendorAction; headers?: IncomingHttpHeaders; query?: string } = {},
): Sent {
  const address = addressVendor({
    route: to,
    protocol,
    action: more.action ?? 'generate',
    clientHeaders: more.headers ?? {},
    contentType: 'application/json',
    query: more.query ?? '',
  });
  const headers: Record<string, string> = {};
  for (let index = 0; index < address.headers.length; index += 2) {
    const name = address.headers[index] ?? '';
    expect(headers, `${name} once`).not.toHaveProperty(name);
    headers[name] = address.headers[index + 1] ?? '';
  }
  return { url: address.origin + address.path, headers };
}

test.each([
  ['chat', 'generate', 'https://api.openai.com/v1', 'https://api.openai.com/v1/chat/completions'],
  ['chat', 'stream', 'http://127.0.0.1:4010/v1/', 'http://127.0.0.1:4010/v1/chat/completions'],
  ['responses', 'stream', 'https://h/api/paas/v4', 'https://h/api/paas/v4/responses'],
  ['images', 'generate', 'https://h/v1', 'https://h/v1/images/generations'],
  ['images', 'edit', 'https://h/v1', 'https://h/v1/images/edits'],
  ['responses', 'compact', 'https://h/v1', 'https://h/v1/responses/compact'],
  ['images', 'variation', 'https://h/v1', 'https://h/v1/images/variations'],
  ['moderations', 'generate', 'https://h/v1', 'https://h/v1/moderations'],
  ['rerank', 'generate', 'https://api.cohere.com/v2', 'https://api.cohere.com/v2/rerank'],
  ['completions', 'stream', 'https://h/v1', 'https://h/v1/completions'],
  ['speech', 'stream', 'https://h/v1', 'https://h/v1/audio/speech'],
  ['transcriptions', 'generate', 'https://h/v1', 'https://h/v1/audio/transcriptions'],
  ['transcriptions', 'translation', 'https://h/v1', 'https://h/v1/audio/translations'],
  ['videos', 'generate', 'https://h/v1', 'https://h/v1/videos'],
  ['messages', 'stream', 'https://api.anthropic.com', 'https://api.anthropic.com/v1/messages'],
  ['messages', 'generate', 'https://h/anthropic/', 'https://h/anthropic/v1/messages'],
  ['messages', 'generate', 'https://h/v1', 'https://h/v1/messages'],
  ['messages', 'count', 'https://h', 'https://h/v1/messages/count_tokens'],
  ['gemini', 'generate', 'https://h', 'https://h/v1beta/models/m-1:generateContent'],
  ['gemini', 'stream', 'https://h/v1beta', 'https://h/v1beta/models/m-1:streamGenerateContent'],
  ['gemini', 'count', 'https://h/', 'https://h/v1beta/models/m-1:countTokens'],
  ['chat', 'generate', 'https://h/v1?api-version=x', 'https://h/v1/chat/completions?api-version=x'],
] as const)('%s (%s) at %s goes to %s', (protocol, action, base, url) => {
  expect(sent(protocol, route(base), { action }).url).toBe(url);
});

test('an object of a protocol stands below its path, and a request without a body has no type', () => {
  const { path, headers } = addressVendor({
    ...{ route: route('https://h/v1?a=b'), protocol: 'videos', action: 'generate', clientHeaders: {} },
    ...{ below: '/video_1/content', query: 'variant=video' },
  });
  expect(path).toBe('/v1/videos/video_1/content?a=b&variant=video');
  expect(headers).not.toContain('content-type');
});

test('a forwarded model name becomes one escaped segment of the path', () => {
  const gemini = (name: string): string => sent('gemini', route('https://h', {}, name)).url;
  expect(gemini('tunedModels/a b')).toBe('https://h/v1beta/tunedModels/a%20b:generateContent');
  expect(gemini('models/x')).toBe('https://h/v1beta/models/x:generateContent');
  expect(gemini('x?key=1#')).toBe('https://h/v1beta/models/x%3Fkey%3D1%23:generateContent');
});

test('the address of a credential replaces that of its vendor', () => {
  expect(sent('chat', route('https://vendor/v1', { baseUrl: 'https://own/v1' })).url).toBe(
    'https://own/v1/chat/completions',
  );
});

test('each vendor gets the key in its own header and no other key', () => {
  const client: IncomingHttpHeaders = {
    authorization: 'Bearer client',
    'x-api-key': 'client',
    'x-goog-api-key': 'client',
    'proxy-authorization': 'Basic client',
    cookie: 'client=1',
  };
  const keyed = (protocol: Protocol): object => {
    const { headers } = sent(protocol, route('https://h'), { headers: client });
    expect(JSON.stringify(headers)).not.toContain('client');
    const { authorization, 'x-api-key': anthropic, 'x-goog-api-key': google } = headers;
    return { authorization, anthropic, google };
  };
  expect(keyed('chat')).toEqual({ authorization: 'Bearer sk-secret' });
  expect(keyed('responses')).toEqual({ authorization: 'Bearer sk-secret' });
  expect(keyed('images')).toEqual({ authorization: 'Bearer sk-secret' });
  expect(keyed('messages')).toEqual({ anthropic: 'sk-secret' });
  expect(keyed('gemini')).toEqual({ google: 'sk-secret' });
});

const CURIOUS: IncomingHttpHeaders = {
  host: 'gateway',
  connection: 'keep-alive, x-hop',
  'transfer-encoding': 'chunked',
  'content-length': '12',
  'content-encoding': 'gzip',
  'content-type': 'application/json; charset=utf-8',
  'accept-encoding': 'gzip',
  expect: '100-continue',
  forwarded: 'for=1.2.3.4',
  'x-forwarded-for': '1.2.3.4',
  'openai-organization': 'org',
  'openai-project': 'proj',
  'openai-beta': 'responses=v1',
  'x-client-request-id': 'crid',
  'idempotency-key': 'once',
  'anthropic-beta': 'a-2025,unknown-2030',
  'anthropic-version': '2026-10-21',
  'anthropic-workspace-id': 'ws',
  'anthropic-user-profile-id': 'up',
  'x-claude-code-session-id': 's',
  'x-claude-code-agent-id': 'a',
  'x-claude-code-parent-agent-id': 'p',
  'x-stainless-lang': 'js',
  'x-stainless-retry-count': '0',
  'user-agent': 'claude-cli/2',
  'x-goog-api-client': 'genai/2',
  'x-server-timeout': '60',
};

test('the forwarded headers are those of rule I-23 and no others', () => {
  const names = (protocol: Protocol): string[] =>
    Object.keys(sent(protocol, route('https://h'), { headers: CURIOUS }).headers).sort();
  const always = ['accept-encoding', 'content-type', 'user-agent'];
  const openai = [...always, 'authorization', 'openai-beta', 'x-client-request-id'].sort();
  expect(names('chat')).toEqual(openai);
  expect(names('responses')).toEqual(openai);
  expect(names('images')).toEqual(openai);
  expect(names('messages')).toEqual(
    [
      ...always,
      'anthropic-beta',
      'anthropic-version',
      'x-api-key',
      'x-claude-code-agent-id',
      'x-claude-code-parent-agent-id',
      'x-claude-code-session-id',
      'x-stainless-lang',
      'x-stainless-retry-count',
    ].sort(),
  );
  expect(names('gemini')).toEqual(
    [...always, 'x-goog-api-client', 'x-goog-api-key', 'x-server-timeout'].sort(),
  );
});

test('values are forwarded unchanged, and missing ones have a default', () => {
  const messages = sent('messages', route('https://h'), { headers: CURIOUS }).headers;
  expect(messages).toMatchObject({
    'anthropic-beta': 'a-2025,unknown-2030',
    'anthropic-version': '2026-10-21',
    'user-agent': 'claude-cli/2',
    'content-type': 'application/json',
    'accept-encoding': 'identity',
  });
  expect(sent('messages', route('https://h')).headers).toMatchObject({
    'anthropic-version': '2023-06-01',
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^tollgate\/\d/),
  });
  expect(sent('chat', route('https://h'), { headers: CURIOUS }).headers['user-agent']).toMatch(/^tollgate\//);
});

test('workspace and profile belong to the key: they are forwarded with a BYOK key only', () => {
  const owned = sent('messages', route('https://h', { ownerAccountId: 3 }), { headers: CURIOUS }).headers;
  expect(owned).toMatchObject({ 'anthropic-workspace-id': 'ws', 'anthropic-user-profile-id': 'up' });
});

test('a value with a line end or a null byte is not sent', () => {
  for (const value of ['a\r\nx-api-key: evil', 'a\nb', 'a\0b', 'a\u2028b']) {
    const { headers } = sent('messages', route('https://h'), {
      headers: {
        'anthropic-beta': value,
        'anthropic-version': value,
        'user-agent': value,
        'content-type': value,
      },
    });
    expect(Object.values(headers).join()).not.toContain(value);
    expect(headers['anthropic-version']).toBe('2023-06-01');
  }
  expect(() => sent('chat', route('https://h', { secret: 'sk-1\nx: y' }))).toThrow(/credential 7/);
  try {
    sent('chat', route('https://h', { secret: 'sk-1\nx: y' }));
  } catch (error) {
    expect(String(error)).not.toContain('sk-1');
  }
});

test('the query of a call follows that of the address', () => {
  const search = (base: string, query: string): string =>
    new URL(sent('gemini', route(base), { query }).url).search;
  expect(search('https://h', 'alt=sse')).toBe('?alt=sse');
  expect(search('https://h?api-version=x', 'alt=sse')).toBe('?api-version=x&alt=sse');
  expect(search('https://h?api-version=x', '')).toBe('?api-version=x');
  expect(search('https://h', '')).toBe('');
});

test('values cached per credential are dropped at a change of the catalogue', () => {
  const first = route('https://one/v1');
  expect(sent('chat', first).url).toContain('https://one');
  const moved: Route = { ...first, vendor: { ...first.vendor, baseUrl: 'https://two/v1' } };
  expect(sent('chat', moved).url).toContain('https://two');
});

test('the client sees type, limits, retry hints and the vendor’s id of the answer, no more', () => {
  expect(
    answerHeaders({
      'content-type': 'application/json',
      'content-length': '5',
      'transfer-encoding': 'chunked',
      'set-cookie': '__cf_bm=1',
      server: 'cloudflare',
      'cf-ray': '1',
      'alt-svc': 'h3',
      'x-request-id': 'req_vendor',
      'openai-organization': 'ours',
      'openai-project': 'ours',
      'openai-processing-ms': '12',
      'openai-version': '2020-10-01',
      'anthropic-organization-id': 'ours',
      'x-ratelimit-remaining-tokens': '9',
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:00Z',
      'retry-after': '3',
      'retry-after-ms': '2500',
      'x-should-retry': 'false',
      'strict-transport-security': 'max-age=1',
    }),
  ).toEqual([
    'content-type',
    'application/json',
    'x-upstream-request-id',
    'req_vendor',
    'openai-processing-ms',
    '12',
    'openai-version',
    '2020-10-01',
    'x-ratelimit-remaining-tokens',
    '9',
    'anthropic-ratelimit-requests-reset',
    '2026-01-01T00:00:00Z',
    'retry-after',
    '3',
    'retry-after-ms',
    '2500',
    'x-should-retry',
    'false',
  ]);
  const twoIds = { 'content-type': 'application/json', 'request-id': 'req_011', 'x-request-id': 'other' };
  expect(answerHeaders(twoIds).slice(2)).toEqual(['x-upstream-request-id', 'req_011']);
});

test('an answer that a browser could show gets a policy, and content is saved', () => {
  const policy = ['content-security-policy', "sandbox; default-src 'none'"];
  expect(answerHeaders({})).toEqual(policy);
  expect(answerHeaders({ 'content-type': 'text/html' })).toEqual(['content-type', 'text/html', ...policy]);
  for (const type of ['application/json', 'text/event-stream ; charset=utf-8', 'APPLICATION/JSON']) {
    expect(answerHeaders({ 'content-type': type })).toEqual(['content-type', type]);
  }
  expect(answerHeaders({ 'content-type': 'application/json-seq' }).slice(2)).toEqual(policy);
  const saved = [...policy, 'content-disposition', 'attachment'];
  expect(downloadHeaders({ 'content-type': 'application/json', 'content-disposition': 'inline' })).toEqual([
    'content-type',
    'application/json',
    ...saved,
  ]);
});
