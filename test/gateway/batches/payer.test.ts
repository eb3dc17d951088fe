import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { World } from '../../support/world.ts';
import { openaiOf, startBatchesWorld } from './world.ts';

let world: World;
let key: string;
beforeAll(async () => {
  world = await startBatchesWorld();
  key = await world.newKey('other@example.com');
});
afterAll(() => world.close());

const CHAT = '/v1/chat/completions';
const BOUNDARY = 'a-boundary';
const LINE = JSON.stringify({
  custom_id: 'a',
  method: 'POST',
  url: CHAT,
  body: {
    model: 'gpt',
    max_completion_tokens: 9,
    messages: [{ role: 'user', content: 'Hi [[sim steps=99]]' }],
  },
});

async function setPayer(enabled: boolean): Promise<void> {
  const token = await world.login('other@example.com');
  const { body } = await world.api('PUT', '/api-billing', { token, body: { enabled } });
  expect(body.code).toBe(0);
}

interface Begun {
  readonly status: number;
  readonly code: number;
}

/** Sends a head that promises a body of a megabyte, and nothing of the body. */
function begin(path: string, type = 'application/json'): Promise<Begun> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': 1_000_000 };
  const { promise, resolve, reject } = Promise.withResolvers<Begun>();
  const sent = httpRequest(`${world.url}${path}`, { method: 'POST', headers, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    response.on('end', () => {
      sent.destroy();
      resolve({ status: response.statusCode ?? 0, code: (JSON.parse(text) as { code: number }).code });
    });
  });
  sent.on('error', reject);
  sent.flushHeaders();
  return promise;
}

async function form(text: string) {
  const body = new FormData();
  body.append('purpose', 'batch');
  body.append('file', new Blob([text]), 'a.jsonl');
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${world.url}/v1/files`, { method: 'POST', headers, body });
}

it('without a payer nothing is created, uploaded or added, and what is there can be read and deleted', async () => {
  const client = openaiOf(world.url, key);
  const file = (await (await form(LINE)).json()) as { id: string };
  const made = (await (
    await world.post('/v1/conversations', {}, { authorization: `Bearer ${key}` })
  ).json()) as {
    id: string;
  };
  const asked = { input_file_id: file.id, endpoint: CHAT, completion_window: '24h' } as const;
  const batch = await client.batches.create(asked);
  await setPayer(false);

  const upload = `multipart/form-data; boundary=${BOUNDARY}`;
  const refused: readonly (readonly [string, string?])[] = [
    ...Array.from({ length: 20 }, () => ['/v1/files', upload] as const),
    ['/v1/conversations'],
    [`/v1/conversations/${made.id}`],
    [`/v1/conversations/${made.id}/items`],
    ['/v1/conversations/absent/items'],
    ['/v1/batches'],
    ['/v1/messages/batches'],
    ['/v1/videos'],
    ['/v1/videos', upload],
    ['/v1/responses'],
  ];
  // Each is answered before its body arrives, and holds no slot of the account.
  const answers = await Promise.all(refused.map(([path, type]) => begin(path, type)));
  expect(answers).toEqual(refused.map(() => ({ status: 403, code: 40202 })));
  expect((await form(LINE)).status).toBe(403);
  expect(world.simulator.batches.files('sk-sim-openai')).toHaveLength(1);

  const headers = { authorization: `Bearer ${key}` };
  const allowed = [
    ['GET', '/v1/models'],
    ['GET', '/v1/files'],
    ['GET', `/v1/files/${file.id}`],
    ['GET', `/v1/files/${file.id}/content`],
    ['GET', '/v1/batches'],
    ['GET', `/v1/batches/${batch.id}`],
    ['POST', `/v1/batches/${batch.id}/cancel`],
    ['GET', '/v1/messages/batches'],
    ['GET', '/v1/videos'],
    ['GET', `/v1/conversations/${made.id}`],
    ['GET', `/v1/conversations/${made.id}/items`],
    ['DELETE', `/v1/conversations/${made.id}`],
    ['DELETE', `/v1/files/${file.id}`],
  ] as const;
  for (const [method, path] of allowed) {
    expect((await fetch(world.url + path, { method, headers })).status, `${method} ${path}`).toBe(200);
  }
  await setPayer(true);
  expect((await form(LINE)).status).toBe(200);
});

it('a body that is too large or of another kind is refused before it arrives', async () => {
  expect(await begin('/v1/files')).toEqual({ status: 415, code: 41501 });
});
