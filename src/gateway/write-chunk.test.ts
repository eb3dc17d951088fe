import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { writeChunk } from './write-chunk.ts';

type Write = (response: ServerResponse, bytes: Buffer) => boolean;

const nodesOwn: Write = (response, bytes) => response.write(bytes);
const SIZES = [1, 0, 9, 15, 16, 255, 256, 4_095, 4_096, 8_191, 8_192, 8_193, 70_000];

/** What a client that sends these requests at once gets on its connection, byte for byte. */
async function answerTo(requests: string, write: Write): Promise<string> {
  const server = createServer((request, response) => {
    response.sendDate = false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void answer(response, write, request.url === '/slow' ? 20 : 0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(requests);
  const received = await buffer(socket);
  server.close();
  return received.toString('latin1');
}

async function answer(response: ServerResponse, write: Write, waitMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  for (const size of SIZES) {
    if (!write(response, Buffer.alloc(size, size % 251))) await once(response, 'drain');
    if (size % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end(Buffer.from('the end'));
}

const LAST = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

describe('a chunk in one piece', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['is what Node would have written', LAST],
    ['leaves the connection usable for the next answer', `GET / HTTP/1.1\r\nhost: x\r\n\r\n${LAST}`],
    ['waits behind an earlier answer', `GET /slow HTTP/1.1\r\nhost: x\r\n\r\n${LAST}`],
    ['is no chunk for a client of HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
    ['is nothing for a HEAD', 'HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
  ];
  it.each(cases)('%s', async (_name, requests) => {
    const received = await answerTo(requests, writeChunk);
    expect(received).toContain('HTTP/1.1 200 OK');
    expect(received).toBe(await answerTo(requests, nodesOwn));
  });
});
