import { createServer } from 'node:http';
import net from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listen } from '../../../test/support/upstream.ts';
import { endAnswer, giveUpAfter } from './answer.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nx-name: caf\xe9\r\ncontent-length: ';

/** What a client gets on its connection, byte for byte. */
async function received(body: Buffer): Promise<Buffer> {
  const server = createServer((_request, response) => {
    response.sendDate = false;
    response.writeHead(200, ['x-name', 'caf\xe9', 'content-length', String(body.length)]);
    endAnswer(response, [body]);
  });
  const socket = net.connect({ host: '127.0.0.1', port: Number(new URL(await listen(server)).port) });
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  return await buffer(socket);
}

test.each([0, 1, 256, 16 * 1024, 16 * 1024 + 1, 300_000])(
  'an answer of %d bytes is sent unchanged',
  async (length) => {
    const body = Buffer.from(Array.from({ length }, (_, index) => index % 256));
    const bytes = await received(body);
    const head = Buffer.from(`${HEAD}${length}\r\nConnection: close\r\n\r\n`, 'latin1');
    expect(bytes.subarray(0, head.length)).toEqual(head);
    expect(bytes.subarray(head.length).equals(body)).toBe(true);
  },
);

test('a client that does not read an answer is dropped; one that reads keeps the connection', async () => {
  const body = Buffer.alloc(24 * 1024 * 1024, 97);
  const ends: Array<'taken' | 'left'> = [];
  const server = createServer((_request, response) => {
    response.writeHead(200, ['content-length', String(body.length)]);
    endAnswer(response, [body]);
    giveUpAfter(response, 1_000);
    response.once('close', () => ends.push(response.writableFinished ? 'taken' : 'left'));
  });
  const url = await listen(server);
  const socket = net.connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.on('error', () => undefined);
  socket.pause().write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await expect.poll(() => ends).toEqual(['left']);
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(body.length);
  await expect.poll(() => ends).toEqual(['left', 'taken']);
  socket.destroy();
});
