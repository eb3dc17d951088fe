import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { OpenAI } from 'openai';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { clientOf, failureOf } from './openai-client.ts';

let world: World;
let openai: OpenAI;
const log: string[] = [];

beforeAll(async () => {
  world = await startWorld({ log: pino({ level: 'trace' }, { write: (line) => void log.push(line) }) });
  openai = clientOf(world.url, world.key);
});
afterAll(() => world.close());

/** What clients of OpenAI can do and Tollgate does not serve. */
const UNSERVED: Readonly<Record<string, () => Promise<unknown>>> = {
  '/v1/fine_tuning/jobs': () => openai.fineTuning.jobs.create({ model: 'gpt-5', training_file: 'file-1' }),
  '/v1/assistants': () => openai.beta.assistants.create({ model: 'gpt-5' }),
  '/v1/threads': () => openai.beta.threads.create({}),
  '/v1/containers': () => openai.containers.create({ name: 'c' }),
  '/v1/evals': async () => (await openai.evals.list()).data,
  '/v1/vector_stores': () => openai.vectorStores.create({ name: 'v' }),
  '/v1/uploads': () =>
    openai.uploads.create({ bytes: 1, filename: 'a.jsonl', mime_type: 'text/jsonl', purpose: 'fine-tune' }),
  '/v1/realtime/client_secrets': () => openai.realtime.clientSecrets.create({}),
};

describe('a client of OpenAI is told that this is not served', () => {
  it.each(Object.entries(UNSERVED))('%s', async (path, ask) => {
    const asked = world.simulator.stats.requests;
    const error = await failureOf(ask());
    expect(error).toMatchObject({ status: 404, code: '40401', type: 'gateway_error' });
    expect(error.message).toContain(`Tollgate does not serve ${path}`);
    expect(error.headers?.get('x-request-id')).toMatch(/.{10,}/);
    expect(world.simulator.stats.requests).toBe(asked);
  });
});

interface Handshake {
  readonly head: string;
  readonly body: string;
}

/** The bytes of a handshake, and everything until the server closes. */
function shakeHands(path: string, more: readonly string[] = []): Promise<Handshake> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket: Socket = connect(Number(port), hostname, () => {
      socket.write(
        [
          ...[`GET ${path} HTTP/1.1`, `host: ${hostname}`, 'connection: Upgrade', 'upgrade: websocket'],
          ...['sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', ...more, '', ''],
        ].join('\r\n'),
      );
    });
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    socket.once('error', reject);
    socket.once('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ head, body });
    });
  });
}

describe('the handshake of a WebSocket', () => {
  const SECRET = 'sk-HUNT-key-in-a-subprotocol';

  it.each(['/v1/realtime', '/v1/realtime?model=gpt-realtime', '/v1beta/live', '/v1/chat/live', '/nowhere'])(
    'at %s is refused in words, and the connection is closed',
    async (path) => {
      const { head, body } = await shakeHands(path, [
        `authorization: Bearer ${world.key}`,
        `sec-websocket-protocol: realtime, openai-insecure-api-key.${SECRET}`,
      ]);
      expect(head).toMatch(/^HTTP\/1\.1 404 /);
      expect(head.toLowerCase()).toContain('connection: close');
      expect(head.toLowerCase()).not.toMatch(/\nupgrade:|sec-websocket/);
      const refused = JSON.parse(body) as Record<string, unknown>;
      expect(refused).toMatchObject({
        ...{ code: 40401, message: expect.stringContaining('Tollgate serves no WebSocket') },
        error: { type: 'gateway_error', code: '40401', message: refused.message },
      });
      expect(head + body + log.join('')).not.toContain(SECRET);
      expect(head + body).not.toContain('gpt-realtime');
    },
  );

  it.each([
    ['/v1/responses', {}],
    ['/v1/chat/completions', {}],
    ['/v1/responses/resp_1', {}],
    ['/v1/models', {}],
    ['/v1/messages', { type: 'error' }],
    ['/v1beta/models/gpt-5:streamGenerateContent', {}],
  ])('at %s is answered with 426, so that the client turns to HTTP at once', async (path, more) => {
    const { head, body } = await shakeHands(path, [`authorization: Bearer ${world.key}`]);
    expect(head).toMatch(/^HTTP\/1\.1 426 /);
    expect(head.toLowerCase()).toContain('connection: close');
    expect(head.toLowerCase()).not.toMatch(/\nupgrade:|sec-websocket|\nallow:/);
    const refused = JSON.parse(body) as Record<string, unknown>;
    expect(refused).toMatchObject({
      code: 42601,
      message: 'Tollgate serves no WebSocket: send the request over HTTP',
      error: { type: 'gateway_error', code: '42601', message: refused.message },
    });
    expect(refused).toMatchObject(more);
  });

  it('leaves nothing behind', async () => {
    await Promise.all(Array.from({ length: 20 }, () => shakeHands('/v1/realtime')));
    await world.settled();
    const [calls] = await world.database.query<{ count: number }>('select count(*)::int from calls');
    expect(calls?.count).toBe(0);
  });

  it('of another protocol is no WebSocket: the request is served', async () => {
    const headers = { ...world.headers(), connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' };
    const status = await new Promise((resolve, reject) => {
      const outgoing = request(`${world.url}/v1/models`, { headers, agent: false }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      outgoing.once('error', reject);
      outgoing.end();
    });
    expect(status).toBe(200);
  });
});
