import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHAT,
  GENERATE,
  PLATFORM_MODEL,
  type RecordedWorld,
  SHAPES,
  startRecordedWorld,
  VENDOR_MODEL,
  withModel,
} from './shapes.ts';

let world: RecordedWorld;
beforeAll(async () => {
  world = await startRecordedWorld();
});
afterAll(() => world.close());

interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly error: { readonly type: string; readonly code: string; readonly message: string };
}

const ESCAPED = PLATFORM_MODEL.replace('/', '%2F');

describe('generate-content is reached by every path its clients use', () => {
  const paths = [
    `/v1beta/models/${PLATFORM_MODEL}:generateContent`,
    `/v1/v1beta/models/${PLATFORM_MODEL}:generateContent`,
    `/v1/models/${PLATFORM_MODEL}:generateContent`,
    `/v1alpha/models/${PLATFORM_MODEL}:generateContent`,
    `/v1beta/models/${PLATFORM_MODEL}%3AgenerateContent`,
    `/v1beta/models/${ESCAPED}%3agenerateContent`,
    `/v1/v1beta/models/${ESCAPED}:generateContent?alt=json`,
  ];
  for (const path of paths) {
    it(`POST ${path}`, async () => {
      world.vendor.say({ pieces: [withModel(GENERATE.answer, VENDOR_MODEL)] });
      const response = await world.post(path, '{"contents":[]}');
      expect(response.status).toBe(200);
      expect(((await response.json()) as { modelVersion: string }).modelVersion).toBe(PLATFORM_MODEL);
      expect(world.vendor.heard().url.split('?')[0]).toBe(GENERATE.vendorPath);
    });
  }

  it('streams events with alt=sse and a JSON array without', async () => {
    const chunk = '{"candidates":[{"finishReason":"STOP"}],"modelVersion":"MODEL"}';
    const path = `/v1/v1beta/models/${ESCAPED}%3AstreamGenerateContent`;
    const events = withModel(`data: ${chunk}\r\n\r\n`, VENDOR_MODEL);
    world.vendor.say({ headers: { 'content-type': 'text/event-stream' }, pieces: [events] });
    const sse = await world.post(`${path}?alt=sse`, '{}');
    expect(await sse.text()).toBe(withModel(`data: ${chunk}\r\n\r\n`, PLATFORM_MODEL).toString());
    expect(world.vendor.heard().url).toBe(GENERATE.vendorStreamPath);
    world.vendor.say({ pieces: [withModel(`[${chunk}]`, VENDOR_MODEL)] });
    const array = await world.post(path, '{}');
    expect(await array.json()).toMatchObject([{ modelVersion: PLATFORM_MODEL }]);
    expect(world.vendor.heard().url).toBe(GENERATE.vendorStreamPath.split('?')[0]);
  });
});

describe('a request that is not a call', () => {
  it('has a request id of its own each time, like every answer', async () => {
    const ids = new Set<string | null>();
    for (const path of ['/', '/healthz', '/readyz', '/metrics', '/nowhere']) {
      for (const method of ['GET', 'HEAD']) {
        ids.add((await fetch(world.url + path, { method })).headers.get('x-request-id'));
      }
    }
    expect([...ids].filter((id) => id !== null && id.length > 10)).toHaveLength(10);
  });

  it('such as HEAD / is answered, because Claude Code sends it first', async () => {
    const response = await fetch(`${world.url}/`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('is answered at / when it reads, and is an unknown path when it writes', async () => {
    expect((await fetch(`${world.url}/`)).status).toBe(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const [root, nowhere] = await Promise.all(
        ['/', '/nowhere'].map((path) => fetch(world.url + path, { method })),
      );
      expect([method, root?.status]).toEqual([method, 404]);
      expect(root?.status).toBe(nowhere?.status);
    }
  });

  it('for health and readiness needs no key; the metrics are not public', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const response = await fetch(world.url + path);
      expect([path, response.status]).toEqual([path, 200]);
      expect((await response.text()).length).toBeGreaterThan(0);
    }
    expect((await fetch(`${world.url}/metrics`)).status).toBe(404);
  });
});

/** Path, and what the message must tell the person who configured it. */
const UNKNOWN: readonly (readonly [string, RegExp])[] = [
  ['/v1/v1/chat/completions', /\/v1 is doubled/],
  ['/v1/v1/messages', /\/v1 is doubled/],
  ['/chat/completions', /\/v1 is missing/],
  ['/responses', /\/v1 is missing/],
  ['/messages', /\/v1 is missing/],
  ['/images/generations', /\/v1 is missing/],
  ['/models', /\/v1 is missing/],
  ['/v1/chat/completions/', /leave out the slash/],
  ['/v1/fine_tuning/jobs', /Unknown path: Tollgate does not serve \/v1\/fine_tuning\/jobs/],
  ['/v1/realtime', /Tollgate does not serve \/v1\/realtime/],
  ['/v1/assistants', /Tollgate does not serve \/v1\/assistants/],
  ['/v1/threads/runs', /Tollgate does not serve \/v1\/threads\/runs/],
  ['/v1/containers', /Tollgate does not serve \/v1\/containers/],
  ['/v1/evals', /Tollgate does not serve \/v1\/evals/],
  ['/v1/vector_stores', /Tollgate does not serve \/v1\/vector_stores/],
  ['/v1/uploads', /Tollgate does not serve \/v1\/uploads/],
  ['/v1/audio/voices', /Tollgate does not serve \/v1\/audio\/voices/],
  ['/v1beta/models/x:unknownAction', /Unknown path/],
  ['/v1beta/models/:generateContent', /Unknown path/],
  ['/v1beta/models/%E0%A4%A:generateContent', /Unknown path/],
  ['/v1/responses/resp_1/else', /Unknown path/],
  ['/nowhere?secret=1', /Unknown path/],
];

describe('an unknown path', () => {
  it('is refused in the format of the SDK behind it', async () => {
    const anthropic = await (await world.post('/v1/messages/else', '{}')).json();
    expect(anthropic).toMatchObject({ type: 'error', request_id: expect.any(String), code: 40401 });
    const google = await (await world.post('/v1beta/cachedContents', '{}')).json();
    expect(google).toMatchObject({ code: 40401, error: { type: 'gateway_error', status: 'NOT_FOUND' } });
    const openai = (await (await world.post('/v1/assistants', '{}')).json()) as ErrorBody;
    expect(openai.error).toEqual({ type: 'gateway_error', code: '40401', message: openai.message });
    const method = await (await fetch(`${world.url}/v1/messages`)).json();
    expect(method).toMatchObject({ type: 'error', code: 40501 });
  });

  for (const [path, hint] of UNKNOWN) {
    it(`POST ${path} is 40401 with what may be wrong`, async () => {
      const response = await world.post(path, '{}');
      expect(response.status).toBe(404);
      const body = (await response.json()) as ErrorBody;
      expect(body.code).toBe(40401);
      expect(body.message).toMatch(hint);
      expect(body.error).toMatchObject({ type: 'gateway_error', code: '40401', message: body.message });
      expect(body.message).not.toContain('secret');
      expect(response.headers.get('x-request-id')).toBeTruthy();
    });
  }
});

describe('another method on a known path', () => {
  for (const { name, path } of SHAPES) {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      it(`${name}: ${method} is 40501 and names the right method`, async () => {
        const response = await fetch(world.url + path, { method, headers: world.headers() });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('POST');
        expect(((await response.json()) as ErrorBody).error.code).toBe('40501');
      });
    }
  }
});

describe('a client with Expect: 100-continue', () => {
  /** What it heard before it had sent anything, and the status in the end. */
  function ask(headers: Record<string, string>): Promise<{ continued: boolean; status: number }> {
    const body = `{"model":"${PLATFORM_MODEL}"}`;
    return new Promise((resolve, reject) => {
      let continued = false;
      const outgoing = request(
        world.url + CHAT.path,
        {
          method: 'POST',
          headers: { ...world.headers(), 'content-length': body.length, expect: '100-continue', ...headers },
          agent: false,
        },
        (response) => {
          response.resume();
          response.on('end', () => resolve({ continued, status: response.statusCode ?? 0 }));
        },
      );
      outgoing.on('continue', () => {
        continued = true;
        outgoing.end(body);
      });
      outgoing.on('error', reject);
      outgoing.flushHeaders();
    });
  }

  it('is asked for its body', async () => {
    world.vendor.say({ pieces: [withModel(CHAT.answer, VENDOR_MODEL)] });
    expect(await ask({})).toEqual({ continued: true, status: 200 });
  });

  it('is refused without sending it', async () => {
    expect(await ask({ authorization: 'Bearer sk-garbage' })).toEqual({ continued: false, status: 401 });
    expect(await ask({ 'content-length': '104857601' })).toEqual({ continued: false, status: 413 });
    expect(await ask({ 'content-type': 'text/plain' })).toEqual({ continued: false, status: 415 });
  });
});
