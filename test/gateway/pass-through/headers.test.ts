import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CannedAnswer, HeardCall } from './recording-vendor.ts';
import {
  CHAT,
  GENERATE,
  MESSAGES,
  PLATFORM_MODEL,
  type RecordedWorld,
  SHAPES,
  type Shape,
  startRecordedWorld,
  VENDOR_MODEL,
  withModel,
} from './shapes.ts';

let world: RecordedWorld;
beforeAll(async () => {
  world = await startRecordedWorld();
});
afterAll(() => world.close());

const BODY = `{"model":"${PLATFORM_MODEL}"}`;

/** Everything a client may send along: credentials of its own, of others, and things for the vendor. */
const SENT = {
  cookie: 'session=secret-cookie',
  'proxy-authorization': 'Basic secret-proxy',
  'x-api-key': 'secret-x-api-key',
  'api-key': 'secret-azure-key',
  'x-goog-api-key': 'secret-goog-key',
  'x-goog-user-project': 'secret-project',
  'openai-organization': 'secret-organization',
  'openai-project': 'secret-openai-project',
  'anthropic-workspace-id': 'secret-workspace',
  'anthropic-user-profile-id': 'secret-profile',
  'x-forwarded-for': '203.0.113.9',
  'x-request-id': 'chosen-by-the-client',
  'accept-encoding': 'gzip, br',
  'anthropic-version': '2026-10-21',
  'anthropic-beta': 'unheard-of-2027-01-01, another-2026-02-02',
  'x-claude-code-session-id': 'session-1',
  'x-stainless-lang': 'js',
  'openai-beta': 'assistants=v9',
  'x-client-request-id': 'client-1',
  'idempotency-key': 'secret-to-the-account',
  'x-goog-api-client': 'genai-js/9',
  'x-server-timeout': '30',
  'user-agent': 'a-client/1.0',
  'content-type': 'application/json; charset=utf-8',
} as const;

/** What the vendor gets beside what every request has; nothing else may be there. */
const EXPECTED: ReadonlyMap<Shape, Readonly<Record<string, string>>> = new Map(
  SHAPES.map((shape): [Shape, Record<string, string>] => {
    if (shape === MESSAGES) {
      const names = ['anthropic-version', 'anthropic-beta', 'x-claude-code-session-id', 'x-stainless-lang'];
      return [shape, { ...pick([...names, 'user-agent']), 'x-api-key': 'sk-of-the-house' }];
    }
    if (shape === GENERATE) {
      const names = pick(['x-goog-api-client', 'x-server-timeout']);
      return [shape, { ...names, 'x-goog-api-key': 'sk-of-the-house' }];
    }
    const names = pick(['openai-beta', 'x-client-request-id']);
    return [shape, { ...names, authorization: 'Bearer sk-of-the-house' }];
  }),
);

function pick(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(SENT).filter(([name]) => names.includes(name)));
}

const EVERY_REQUEST = ['host', 'connection', 'content-length', 'transfer-encoding'];

async function call(shape: Shape, query = '', headers: Record<string, string> = SENT): Promise<HeardCall> {
  world.vendor.say({ pieces: [withModel(shape.answer, VENDOR_MODEL)] });
  const response = await world.post(shape.path + query, BODY, headers);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  return world.vendor.heard();
}

describe('headers to the vendor', () => {
  for (const shape of SHAPES) {
    it(`${shape.name}: are exactly those on the list, unchanged, with the platform’s key`, async () => {
      const { headers } = await call(shape);
      const received = Object.entries(headers).filter(([name]) => !EVERY_REQUEST.includes(name));
      expect(Object.fromEntries(received)).toEqual({
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^tollgate\//),
        ...EXPECTED.get(shape),
      });
    });

    it(`${shape.name}: contain no credential of the client, nor does the query`, async () => {
      const { url, headers, body } = await call(shape, '?key=secret-key&KEY=secret-2&%6Bey=secret-3');
      const whole = `${url} ${JSON.stringify(headers)} ${body.toString()}`;
      expect(whole).not.toContain('secret');
      expect(whole).not.toContain(world.key);
      expect(url).toBe(shape.vendorPath);
    });
  }

  it('of a Messages client without a version have the version that all older clients mean', async () => {
    const { headers } = await call(MESSAGES, '', {});
    expect(headers['anthropic-version']).toBe('2023-06-01');
  });

  it('come with ?beta=true in a Messages call', async () => {
    const { url } = await call(MESSAGES, '?beta=true&api_key=secret');
    expect(url).toBe('/v1/messages?beta=true');
  });

  it('come without the query of generate-content', async () => {
    const { url } = await call(GENERATE, '?key=secret&%24alt=json&fields=candidates&access_token=secret');
    expect(url).toBe(GENERATE.vendorPath);
  });
});

const VENDOR_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'set-cookie': ['__cf_bm=secret; path=/', 'other=secret'],
  server: 'secret-server',
  'openai-organization': 'secret-organization',
  'openai-project': 'secret-project',
  'anthropic-organization-id': 'secret-organization',
  'cf-ray': 'secret-ray',
  'cf-cache-status': 'secret-status',
  'strict-transport-security': 'max-age=secret',
  'alt-svc': 'h3=secret',
  'access-control-allow-origin': 'https://secret.example',
  'www-authenticate': 'Bearer realm=secret',
  'x-tollgate-model': 'secret-forged',
  'x-tollgate-route': 'secret-forged',
  'openai-processing-ms': '12',
  'openai-version': '2020-10-01',
  'x-ratelimit-remaining-requests': '99',
  'anthropic-ratelimit-tokens-limit': '1000',
  'x-request-id': 'req_of_the_vendor',
};

const POLICY = "sandbox; default-src 'none'";
const OURS = ['date', 'connection', 'keep-alive', 'content-length'];

describe('headers to the client', () => {
  for (const shape of SHAPES) {
    it(`${shape.name}: are exactly those on the list, with those of the gateway`, async () => {
      world.vendor.say({ headers: VENDOR_HEADERS, pieces: [withModel(shape.answer, VENDOR_MODEL)] });
      const response = await world.post(shape.path, BODY);
      const received = [...response.headers].filter(([name]) => !OURS.includes(name));
      const requestId = response.headers.get('x-request-id') ?? '';
      expect(requestId).toMatch(/^[\w-]{10,}$/);
      expect(Object.fromEntries(received)).toEqual({
        'content-type': 'application/json; charset=utf-8',
        'openai-processing-ms': '12',
        'openai-version': '2020-10-01',
        'x-ratelimit-remaining-requests': '99',
        'anthropic-ratelimit-tokens-limit': '1000',
        'x-upstream-request-id': 'req_of_the_vendor',
        'x-request-id': requestId,
        'x-content-type-options': 'nosniff',
        // The Anthropic SDK reads its request id there.
        ...(shape === MESSAGES ? { 'request-id': requestId } : {}),
        'x-tollgate-model': PLATFORM_MODEL,
        'x-tollgate-route': expect.stringMatching(/^\d+$/),
        'x-tollgate-attempts': '1',
      });
    });

    it(`${shape.name}: are as few with an error of the vendor`, async () => {
      world.vendor.say({ status: 400, headers: VENDOR_HEADERS, pieces: [Buffer.from('{"error":{}}')] });
      const response = await world.post(shape.path, BODY);
      expect(response.status).toBe(400);
      expect(JSON.stringify([...response.headers])).not.toContain('secret');
      expect(response.headers.get('x-tollgate-model')).toBe(PLATFORM_MODEL);
      expect(response.headers.get('x-request-id')).not.toBe('req_of_the_vendor');
    });
  }

  it('never contain a request id that the client chose', async () => {
    world.vendor.say({ pieces: [withModel(CHAT.answer, VENDOR_MODEL)] });
    const response = await world.post(CHAT.path, BODY, { 'x-request-id': 'chosen-by-the-client' });
    expect(response.headers.get('x-request-id')).not.toBe('chosen-by-the-client');
  });

  it('of a stream forbid buffering', async () => {
    const pieces = [Buffer.from('data: {"choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n')];
    world.vendor.say({ headers: { ...VENDOR_HEADERS, 'content-type': 'text/event-stream' }, pieces });
    const response = await world.post(CHAT.path, `{"stream":true,"model":"${PLATFORM_MODEL}"}`, {
      'accept-encoding': 'gzip, br',
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('x-tollgate-attempts')).toBe('1');
    expect(JSON.stringify([...response.headers])).not.toContain('secret');
    await response.arrayBuffer();
  });

  it('of an answer that a browser could show forbid it to run anything', async () => {
    const policyOf = async (type: string): Promise<string | null> => {
      const headers = { 'content-type': type };
      world.vendor.say({ status: 400, headers, pieces: [Buffer.from('<script>alert(1)</script>')] });
      const response = await world.post(CHAT.path, BODY);
      expect(response.headers.get('content-type')).toBe(type);
      await response.arrayBuffer();
      return response.headers.get('content-security-policy');
    };
    const shown = [
      'text/html',
      'image/svg+xml',
      'application/xml',
      'application/json, text/html',
      'video/mp4',
    ];
    for (const type of shown) expect(await policyOf(type), type).toBe(POLICY);
    const inert = ['application/json', 'Application/JSON; charset=utf-8', 'text/event-stream'];
    for (const type of inert) expect(await policyOf(type), type).toBeNull();
  });

  it('of every answer forbid sniffing', async () => {
    const answer = { headers: { 'content-type': 'text/html' }, pieces: [Buffer.from('<script>')] };
    const event = Buffer.from('data: {"choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n');
    const stream = { headers: { 'content-type': 'text/event-stream' }, pieces: [event] };
    const said = async (vendor: CannedAnswer, path: string, body: string | undefined): Promise<string> => {
      world.vendor.say(vendor);
      const response =
        body === undefined
          ? await fetch(world.url + path, { headers: world.headers() })
          : await world.post(path, body);
      await response.arrayBuffer();
      return `${response.status} ${response.headers.get('x-content-type-options')}`;
    };
    const streamed = `{"stream":true,"model":"${PLATFORM_MODEL}"}`;
    expect(await said(answer, CHAT.path, BODY)).toBe('502 nosniff');
    expect(await said({ ...answer, status: 400 }, CHAT.path, BODY)).toBe('400 nosniff');
    expect(await said(stream, CHAT.path, streamed)).toBe('200 nosniff');
    expect(await said(answer, CHAT.path, '{')).toBe('400 nosniff');
    expect(await said(answer, `${MESSAGES.path}/count_tokens`, BODY)).toBe('200 nosniff');
    expect(await said(answer, '/v1/models', undefined)).toBe('200 nosniff');
    expect(await said(answer, '/v1/responses/resp_1', undefined)).toBe('404 nosniff');
    for (const path of ['/v1/chat/completions', '/nowhere', '/', '/healthz', '/readyz', '/docs', '/api/v1/x'])
      expect(await said(answer, path, undefined), path).toMatch(/nosniff$/);
  });
});

describe('an invalid status', () => {
  it.each([199, 600, 999])('%i is 50202, plain and streamed', async (status) => {
    world.vendor.say({ status, pieces: [Buffer.from(CHAT.answer)] });
    for (const stream of [false, true]) {
      const messages = [{ role: 'user', content: 'hi' }];
      const response = await world.post(CHAT.path, { model: PLATFORM_MODEL, stream, messages });
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject({ code: 50202 });
    }
  });
});
