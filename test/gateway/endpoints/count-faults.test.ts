import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  PLATFORM_MODEL,
  type RecordedWorld,
  startRecordedWorld,
  VENDOR_MODEL,
} from '../pass-through/shapes.ts';

let world: RecordedWorld;
beforeAll(async () => {
  world = await startRecordedWorld();
});
beforeEach(() => world.vendor.say({ pieces: [Buffer.from('{"input_tokens":4711}')] }));
afterAll(() => world.close());

const BODY = `{"n":1.0,"model":"${PLATFORM_MODEL}","messages":[{"role":"user","content":"hello"}]}`;
const COUNT = '/v1/messages/count_tokens';

function answerWith(status: number, text: string, headers: Record<string, string> = {}): void {
  world.vendor.say({ status, headers, pieces: [Buffer.from(text)] });
}

async function counted(path = COUNT, body = BODY): Promise<{ body: unknown; headers: Headers }> {
  const response = await world.post(path, body);
  expect(response.status).toBe(200);
  return { body: await response.json(), headers: response.headers };
}

describe('the vendor’s request of a count', () => {
  it('has the client’s bytes with the vendor’s model name, at the vendor’s path', async () => {
    const answer = await counted(`${COUNT}?beta=true&key=secret`);
    expect(answer.body).toEqual({ input_tokens: 4711 });
    const heard = world.vendor.heard();
    expect(heard.url).toBe(`${COUNT}?beta=true`);
    expect(heard.body.toString()).toBe(BODY.replace(PLATFORM_MODEL, VENDOR_MODEL));
    expect(heard.headers['x-api-key']).toBe('sk-of-the-house');
    expect(heard.headers.authorization).toBeUndefined();
    expect(answer.headers.get('x-tollgate-route')).toBeTruthy();
  });

  it('has the path of each protocol', async () => {
    await counted('/v1/responses/input_tokens', `{"model":"${PLATFORM_MODEL}","input":"hello"}`);
    expect(world.vendor.heard().url).toBe('/v1/responses/input_tokens');
    answerWith(200, '{"totalTokens":12,"cachedContentTokenCount":3}');
    const path = `/v1/v1beta/models/${encodeURIComponent(PLATFORM_MODEL)}%3AcountTokens`;
    const answer = await counted(path, '{"contents":[]}');
    expect(answer.body).toEqual({ totalTokens: 12, cachedContentTokenCount: 3 });
    expect(world.vendor.heard().url).toBe(`/v1beta/models/${VENDOR_MODEL}:countTokens`);
    expect(world.vendor.heard().body.toString()).toBe('{"contents":[]}');
  });
});

describe('the vendor’s error about the request is passed on unchanged', () => {
  it.each([400, 413, 422])('%i', async (status) => {
    const text = '{"type":"error","error":{"type":"invalid_request_error","message":"no"}}';
    answerWith(status, text, { 'request-id': 'req_vendor', 'set-cookie': 'a=b' });
    const response = await world.post(COUNT, BODY);
    expect([response.status, await response.text()]).toEqual([status, text]);
    expect(response.headers.get('x-upstream-request-id')).toBe('req_vendor');
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('the gateway counts when the vendor cannot', () => {
  const house = '{"error":{"code":400,"details":[{"reason":"API_KEY_INVALID"}]}}';
  const signature = '{"error":{"message":"messages.1: Invalid `signature` in `thinking` block"}}';
  it.each([
    ['its endpoint is missing', 404, '{"error":"not found"}'],
    ['it takes no such method', 405, ''],
    ['it refuses our key', 401, '{"error":{"message":"sk-of-the-house is wrong"}}'],
    ['it forbids it to our key', 403, '{"error":{"message":"sk-of-the-house is forbidden"}}'],
    ['it refuses our key the Google way', 400, house],
    ['it does not know a signature', 400, signature],
    ['it is at its limit', 429, '{}'],
    ['it is broken', 500, 'oops'],
    ['it is overloaded', 529, '{}'],
    ['it redirects', 302, ''],
    ['it answers with a page', 200, '<html>hello</html>'],
    ['it answers with something else', 200, '{"tokens":12}'],
    ['it answers without end', 200, `{"input_tokens":1,"x":"${'x'.repeat(70_000)}"}`],
  ])('%s', async (_, status, text) => {
    answerWith(status, text, { location: 'http://127.0.0.1:1/' });
    const { body, headers } = await counted();
    expect(body).toEqual({ input_tokens: expect.any(Number) });
    expect((body as { input_tokens: number }).input_tokens).toBeLessThan(20);
    expect(headers.get('x-tollgate-estimated')).toBe('true');
    expect(JSON.stringify([...headers])).not.toContain('house');
  });

  it('and reports it in the metrics, without effect on the route', async () => {
    answerWith(500, 'oops');
    for (let times = 0; times < 8; times++) await counted();
    const figures = await world.figures();
    expect(figures).toMatch(/tollgate_upstream_attempts_total\{vendor="anthropic",outcome="count-500"\} \d/);
    expect(figures).not.toMatch(/tollgate_breaker_state\{[^}]*\} [12]/);
    answerWith(200, '{"input_tokens":4711}');
    expect((await counted()).body).toEqual({ input_tokens: 4711 });
  });

  it('a client that leaves ends the vendor’s request', async () => {
    world.vendor.say({ pieces: [Buffer.from('{'), Buffer.from('}')], pauseMs: 3_000 });
    const leaving = fetch(world.url + COUNT, {
      method: 'POST',
      headers: world.headers(),
      body: BODY,
      signal: AbortSignal.timeout(200),
    });
    await expect(leaving).rejects.toThrow();
    // The slot is given back at once: nothing is active any more long before the vendor ends.
    await world.settled();
  });
});
