import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../support/processes.ts';
import type { World } from '../../support/world.ts';
import { loggedCall } from '../logged-call.ts';
import { startCloudWorld, tokenRequests, WAY_NAMES, type WayName } from './cloud-world.ts';

let world: World;
beforeAll(async () => {
  world = await startCloudWorld();
});
afterAll(() => world.close());
beforeEach(() => world.simulator.reset());

const TOKEN_WAYS: readonly WayName[] = [
  'azure-entra',
  'bedrock-role',
  'vertex-gemini',
  'vertex-claude',
  'vertex-workload',
];

function ask(model: string, directive: string, more: Record<string, unknown> = {}): Promise<Response> {
  const messages = [{ role: 'user', content: `hello [[sim ${directive}]]` }];
  return world.post('/v1/messages', { model, max_tokens: 1000, messages, ...more });
}

describe.each(TOKEN_WAYS)('the token of %s', (way) => {
  test('is renewed once when the vendor refuses it, for many calls at once', async () => {
    expect((await ask(way, 'tokens=5')).status).toBe(200);
    world.simulator.clouds.expireAll();
    world.simulator.reset();
    const calls = Array.from({ length: 20 }, (_, index) => ask(way, `tag=many-${index} tokens=5`));
    for (const response of await Promise.all(calls)) {
      expect(response.status, await response.text()).toBe(200);
      // The attempt that was refused is not another one: the client sees one.
      expect(response.headers.get('x-tollgate-attempts')).toBe('1');
    }
    expect(tokenRequests(world)).toHaveLength(1);
  });

  test('is not renewed per call', async () => {
    expect((await ask(way, 'tokens=5')).status).toBe(200);
    world.simulator.reset();
    await Promise.all(Array.from({ length: 10 }, () => ask(way, 'tokens=5')));
    expect(tokenRequests(world)).toHaveLength(0);
  });
});

test('a token that is refused again is the failure of the route, and is renewed only once', async () => {
  await ask('azure-entra', 'tokens=5');
  world.simulator.reset();
  world.simulator.clouds.expireAll();
  world.simulator.clouds.lifeS = 0;
  try {
    const response = await ask('azure-entra', 'tokens=5');
    expect(response.status).toBe(502);
    expect(await response.text()).toContain('50202');
    expect(tokenRequests(world).length).toBeLessThanOrEqual(2);
  } finally {
    world.simulator.clouds.lifeS = 3_600;
  }
});

describe.each(WAY_NAMES)('through %s', (way) => {
  test('the vendor is aborted when the client leaves, and what was produced is charged', async () => {
    const tag = `left-${way}`;
    const response = await ask(way, `tag=${tag} tokens=400 pace=20`, { stream: true });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await until(() => world.simulator.truth.find(tag)?.finished === 'aborted-by-client');
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    expect(row.verdict).toBe('cut-by-client');
    const made = world.simulator.truth.find(tag)?.outputTokens ?? 0;
    expect(made).toBeLessThan(400);
    expect(Number(row.output_text)).toBeLessThanOrEqual(made);
  });

  test('a vendor that breaks off in a stream is an error of the stream, never a whole answer', async () => {
    const response = await ask(way, `tag=cut-${way} tokens=200 fault=reset@20`, { stream: true });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    expect(row.verdict).toBe('cut-by-upstream');
  });
});

describe('Bedrock', () => {
  test('gets the bytes of the client, with the members spliced that it reads elsewhere', async () => {
    const sent =
      '{ "model":"bedrock-claude" ,"max_tokens": 1000, "stream":false,\n "messages":[{"role":"user","content":' +
      '"caf\\u00e9 \\"model\\" [[sim tag=bytes tokens=5]]"}]}';
    const headers = { 'anthropic-beta': 'one-2025-01-01, two-2025-02-02' };
    const response = await world.post('/v1/messages', sent, { ...world.headers(), ...headers });
    expect(response.status, await response.text()).toBe(200);
    const call = world.simulator.truth.find('bytes');
    expect(call && world.simulator.truth.body(call)?.toString()).toBe(
      '{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["one-2025-01-01","two-2025-02-02"]' +
        ',"max_tokens": 1000,\n "messages":[{"role":"user","content":' +
        '"caf\\u00e9 \\"model\\" [[sim tag=bytes tokens=5]]"}]}',
    );
    expect(call?.headers).not.toHaveProperty('anthropic-beta');
  });

  test('sends exceptions inside of a stream, and the client reads an error of its protocol', async () => {
    const response = await ask('bedrock-claude', 'tag=exception tokens=200 fault=error-event@20', {
      stream: true,
    });
    expect(response.status).toBe(200);
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk).toString());
    })();
    await expect(reading).rejects.toThrow();
    expect(chunks.join('')).toContain('event: error');
    expect(chunks.join('')).not.toContain('message_stop');
  });

  test('refuses a request in its own words, and they are passed on', async () => {
    const body = { model: 'bedrock-claude', messages: [{ role: 'user', content: 'hi' }] };
    const response = await world.post('/v1/messages', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message: expect.stringContaining('max_tokens') });
  });

  test('counts no tokens for us, so they are estimated', async () => {
    const messages = [{ role: 'user', content: 'hello there' }];
    const response = await world.post('/v1/messages/count_tokens', { model: 'bedrock-claude', messages });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-estimated')).toBe('true');
  });
});

test('Vertex counts the tokens of Gemini', async () => {
  const body = { contents: [{ role: 'user', parts: [{ text: 'hello there' }] }] };
  const response = await world.post('/v1beta/models/vertex-gemini:countTokens', body);
  expect(response.status, await response.clone().text()).toBe(200);
  expect(response.headers.get('x-tollgate-estimated')).toBeNull();
});
