import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.ts';
import type { World } from '../../support/world.ts';
import { creditsOf, openaiOf, startBatchesWorld } from './world.ts';

let world: World;
let before: bigint;
beforeAll(async () => {
  world = await startBatchesWorld();
  before = await creditsOf(world, 'user@example.com');
});
afterAll(async () => {
  // Nothing that is refused costs or holds anything.
  expect(await creditsOf(world, 'user@example.com')).toBe(before);
  await world.close();
});

const BOUNDARY = 'a-boundary';
const LINE = JSON.stringify({
  ...{ custom_id: 'a', method: 'POST', url: '/v1/chat/completions' },
  body: { model: 'gpt', max_completion_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
});

const part = (head: string, content: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const PURPOSE = part('name="purpose"', 'batch');
const FILE = part('name="file"; filename="a.jsonl"', `${LINE}\n`);
const END = `--${BOUNDARY}--\r\n`;

async function send(body: string | Buffer, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`${world.url}/v1/files`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${world.key}` },
      ...{ 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  await response.arrayBuffer();
  return response.status;
}

describe('strange files', () => {
  it('are refused, and the vendor has none of them', async () => {
    expect(await send(PURPOSE + FILE + END)).toBe(200);
    expect(await send(FILE + PURPOSE + END)).toBe(200);
    const count = world.simulator.batches.files('sk-sim-openai').length;
    const strange: readonly string[] = [
      '',
      'no form',
      PURPOSE,
      PURPOSE + FILE,
      PURPOSE + END,
      FILE + END,
      PURPOSE + FILE + FILE + END,
      PURPOSE + part('name="file"', LINE) + END,
      PURPOSE + part('name="file"; filename="a.jsonl"', '') + END,
      part('name="purpose"', 'vision') + FILE + END,
      part('name="purpose"', 'x'.repeat(5_000)) + FILE + END,
      part('name="purpose"; filename="x"', 'batch') + FILE + END,
      `${PURPOSE}--${BOUNDARY}x\r\n${END}`,
      PURPOSE + part('name="file"; filename="a.jsonl"', `${LINE}\n{"half":`) + END,
      PURPOSE + part('name="file"; filename="a.jsonl"', `${LINE}\n[]`) + END,
    ];
    for (const body of strange) {
      const status = await send(body);
      expect([400, 413], body.slice(0, 200)).toContain(status);
    }
    expect(await send('{}', { 'content-type': 'application/json' })).toBe(415);
    expect(await send(PURPOSE + FILE + END, { 'content-encoding': 'gzip' })).toBe(415);
    expect(await send(PURPOSE + FILE + END, { 'content-type': 'multipart/form-data' })).toBe(400);
    expect(world.simulator.batches.files('sk-sim-openai')).toHaveLength(count);
  });

  it('never break the server, whatever byte of theirs is wrong', async () => {
    const random = seededRandom(20);
    const whole = Buffer.from(PURPOSE + FILE + END);
    for (let round = 0; round < 150; round++) {
      const bytes = Buffer.from(whole);
      const at = Math.floor(random.unit() * bytes.length);
      bytes[at] = Math.floor(random.unit() * 256);
      expect([200, 400, 403, 404, 413]).toContain(await send(bytes));
    }
    expect(await send(PURPOSE + FILE + END)).toBe(200);
  });

  it('come byte by byte, and whoever leaves has no file', async () => {
    const count = world.simulator.batches.files('sk-sim-openai').length;
    const url = new URL(`${world.url}/v1/files`);
    const headers = {
      authorization: `Bearer ${world.key}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    };
    const upload = (text: string, isWhole: 'whole' | 'left') =>
      new Promise<number>((resolve) => {
        const sent = httpRequest(url, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', () => resolve(0));
        void (async () => {
          for (const character of text) {
            sent.write(character);
            await new Promise((next) => setImmediate(next));
          }
          if (isWhole === 'whole') sent.end();
          else sent.destroy();
        })();
      });
    expect(await upload(PURPOSE + FILE + END, 'whole')).toBe(200);
    expect(await upload(PURPOSE + FILE, 'left')).toBe(0);
    expect(world.simulator.batches.files('sk-sim-openai')).toHaveLength(count + 1);
  });
});

describe('strange batches', () => {
  it('are refused', async () => {
    const bodies: readonly unknown[] = [
      {},
      { input_file_id: 7, endpoint: '/v1/chat/completions' },
      { input_file_id: 'file-absent', endpoint: '/v1/chat/completions', completion_window: '24h' },
      { input_file_id: '\0', endpoint: '/v1/chat/completions' },
      { input_file_id: 'file-absent', endpoint: '/v1/images/generations' },
    ];
    for (const body of bodies) expect([400, 404]).toContain((await world.post('/v1/batches', body)).status);
    const requests: readonly unknown[] = [
      7,
      {},
      [],
      [7],
      [{}],
      [{ params: 7 }],
      [{ params: { model: 'sonnet' } }],
    ];
    for (const each of requests) {
      expect((await world.post('/v1/messages/batches', { requests: each })).status).toBe(400);
    }
  });

  it('of an id that none has are unknown', async () => {
    const client = openaiOf(world.url, world.key);
    for (const id of ['x', '..%2f..', '%00', 'a'.repeat(300)]) {
      for (const path of [`/v1/files/${id}`, `/v1/files/${id}/content`, `/v1/batches/${id}`]) {
        const { status } = await fetch(world.url + path, { headers: world.headers() });
        expect(status, path).toBe(404);
      }
      const { status } = await fetch(`${world.url}/v1/messages/batches/${id}`, { headers: world.headers() });
      expect(status).toBe(404);
    }
    await expect(client.batches.cancel('batch_x')).rejects.toMatchObject({ status: 404 });
    const wrong = await fetch(`${world.url}/v1/files/x`, { method: 'POST', headers: world.headers() });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, DELETE']);
  });
});
