import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { lend } from '../../../test/support/suite/lend.ts';
import { type ChunkSource, ChunkWriter } from './write-chunk.ts';

type Writer = Pick<ChunkWriter, 'write'>;
type Begin = (response: ServerResponse) => Writer;

const NOBODY: ChunkSource = { onFull: () => {}, onDrained: () => {} };
const ours: Begin = (response) => new ChunkWriter(response, NOBODY);
const nodesOwn: Begin = (response) => ({ write: (bytes) => void response.write(Buffer.from(bytes)) });
const SIZES = [1, 0, 9, 15, 16, 255, 256, 4_095, 4_096, 8_191, 8_192, 8_193, 70_000, 7, 5_001, 16_385, 3];
const LAST = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Served {
  readonly socket: Socket;
  close(): void;
}

async function serve(answer: (response: ServerResponse, path: string) => void): Promise<Served> {
  const server = createServer((request, response) => {
    response.sendDate = false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    answer(response, request.url ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  return { socket, close: () => server.close() };
}

/** What a client that sends these requests at once gets on its connection, byte for byte. */
async function answerTo(requests: string, begin: Begin): Promise<string> {
  const { socket, close } = await serve((response, path) => {
    void writeAll(response, begin(response), path === '/slow' ? 20 : 0);
  });
  socket.write(requests);
  const received = await buffer(socket);
  close();
  return received.toString('latin1');
}

async function writeAll(response: ServerResponse, writer: Writer, waitMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  for (const size of SIZES) {
    lend(Buffer.alloc(size, size % 251), (lent) => writer.write(lent));
    if (size % 2 === 0) await nextTurn();
  }
  response.end(Buffer.from('the end'));
}

describe('a chunk in one piece', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['is what Node would have written', LAST],
    ['leaves the connection usable for the next answer', `GET / HTTP/1.1\r\nhost: x\r\n\r\n${LAST}`],
    ['waits behind an earlier answer', `GET /slow HTTP/1.1\r\nhost: x\r\n\r\n${LAST}`],
    ['is no chunk for a client of HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
    ['is nothing for a HEAD', 'HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
  ];
  it.each(cases)('%s', async (_name, requests) => {
    const received = await answerTo(requests, ours);
    expect(received).toContain('HTTP/1.1 200 OK');
    expect(received).toBe(await answerTo(requests, nodesOwn));
  });

  it('is sent at once, and alone', async () => {
    const seen: string[] = [];
    const { socket, close } = await serve(async (response) => {
      const writer = ours(response);
      writer.write(Buffer.from('first'));
      await nextTurn();
      for (const word of ['one', 'two']) {
        writer.write(Buffer.from(word));
        seen.push(word, String(response.socket?.writableLength), String(response.socket?.writableCorked));
      }
      response.end();
    });
    socket.write(LAST);
    const received = (await buffer(socket)).toString('latin1');
    close();
    expect(received).toContain('5\r\nfirst\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n');
    expect(seen, 'nothing waits for another chunk').toEqual(['one', '0', '0', 'two', '0', '0']);
  });

  it('reports once that the client does not read, and once that it does again', async () => {
    const told: string[] = [];
    const begun = Promise.withResolvers<ChunkWriter>();
    const drained = Promise.withResolvers<void>();
    const { socket, close } = await serve((response) => {
      const onDrained = (): void => {
        told.push('drained');
        drained.resolve();
      };
      begun.resolve(new ChunkWriter(response, { onFull: () => told.push('full'), onDrained }));
    });
    socket.pause();
    socket.write(LAST);
    const writer = await begun.promise;
    for (let turn = 0; turn < 10_000 && told.length === 0; turn++) {
      writer.write(Buffer.alloc(8_000));
      await nextTurn();
    }
    for (let more = 0; more < 3; more++) writer.write(Buffer.alloc(8_000));
    await nextTurn();
    expect(told).toEqual(['full']);
    socket.resume();
    await drained.promise;
    expect(told).toEqual(['full', 'drained']);
    socket.destroy();
    close();
  });

  it('is dropped silently when the client has gone', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    const { socket, close } = await serve((response) => begun.resolve(response));
    socket.write(LAST);
    const response = await begun.promise;
    const writer = ours(response);
    writer.write(Buffer.from('first'));
    socket.destroy();
    await once(response, 'close');
    writer.write(Buffer.from('more'));
    await nextTurn();
    close();
  });
});
