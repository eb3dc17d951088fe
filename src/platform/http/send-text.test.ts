import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { sendText } from './send-text.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Exporting {
  readonly url: string;
  readonly failures: unknown[];
  /** Pieces that were asked for so far, and whether the reader was told to stop. */
  taken: number;
  stopped: boolean;
}

async function serve(pieces: number, text: (index: number) => string, stallMs = 300): Promise<Exporting> {
  const failures: unknown[] = [];
  const state: { taken: number; stopped: boolean } = { taken: 0, stopped: false };
  async function* chunks(): AsyncGenerator<string> {
    try {
      for (let index = 0; index < pieces; index++) {
        state.taken = index + 1;
        yield text(index);
      }
    } finally {
      state.stopped = true;
    }
  }
  const answer = { kind: 'text', contentType: 'text/csv; charset=utf-8', fileName: 'a"b\r\nc.csv' } as const;
  const server = createServer((_request, response: ServerResponse) => {
    sendText({ response, requestId: 'req_1' }, { ...answer, chunks: chunks() }, stallMs).catch((error) => {
      failures.push(error);
      if (!response.headersSent) response.writeHead(500).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, { url, failures });
}

test('an export contains all of its pieces, as a file whose name cannot break the header', async () => {
  const served = await serve(1_000, (index) => `line ${index}\n`);
  const response = await fetch(served.url);
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="a_b__c.csv"');
  expect(response.headers.get('x-request-id')).toBe('req_1');
  const lines = (await response.text()).trim().split('\n');
  expect([lines.length, lines[999], served.stopped]).toEqual([1_000, 'line 999', true]);
});

test('a failure before the first piece is an ordinary answer', async () => {
  const served = await serve(5, () => {
    throw new Error('no store');
  });
  expect((await fetch(served.url)).status).toBe(500);
});

test('a failure after the first piece resets the connection', async () => {
  const served = await serve(5, (index) => {
    if (index === 3) throw new Error('store lost');
    return 'x\n';
  });
  await expect(fetch(served.url).then((response) => response.text())).rejects.toThrow();
  expect(served.failures).toMatchObject([{ message: 'store lost' }]);
});

test('a client that does not read slows the reader and is dropped', async () => {
  const served = await serve(10_000, () => 'x'.repeat(100_000));
  const socket = net.connect(Number(new URL(served.url).port), '127.0.0.1');
  closers.push(() => socket.destroy());
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => served.stopped, { timeout: 60_000 }).toBe(true);
  expect(served.taken).toBeLessThan(500);
});
