import https from 'node:https';
import net from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { needs, OPENSSL } from '../../../test/needs.ts';
import { certificateOf, trust } from '../../../test/support/servers/certificate.ts';
import { client, listen, post, rawVendor, run, TIMEOUTS } from '../../../test/support/upstream.ts';
import { ownCopy } from '../../kernel/encoding/lent-bytes.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** The address of somebody who takes connections and never says a word: TLS is never agreed on. */
async function mute() {
  const seen = { opened: 0, closed: 0 };
  const server = net.createServer((socket) => {
    seen.opened += 1;
    socket.resume();
    socket.on('close', () => seen.closed++);
  });
  return { origin: (await listen(server)).replace('http:', 'https:'), seen };
}

test('a connection that is not established in time is closed', async () => {
  const { origin, seen } = await mute();
  const { failure } = await run(client(), post(origin, '{}', { ...TIMEOUTS, connectMs: 150 })).ended;
  expect(failure).toEqual({ kind: 'connect', detail: 'not open within 150 ms' });
  await expect.poll(() => seen).toEqual({ opened: 1, closed: 1 });
});

test('closing the client cuts a connection that is still being made', async () => {
  const { origin, seen } = await mute();
  const sender = client();
  const running = run(sender, post(origin));
  await expect.poll(() => seen.opened).toBe(1);
  await sender.close();
  expect((await running.ended).failure?.kind).toBe('connect');
  await expect.poll(() => seen.closed, { timeout: TIMEOUTS.connectMs / 2 }).toBe(1);
});

test('a port without a listener is a connect failure', async () => {
  const server = net.createServer();
  const origin = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  const { failure } = await run(client(), post(origin)).ended;
  expect(failure).toEqual({ kind: 'connect', detail: expect.stringContaining('ECONNREFUSED') });
});

test('each call gets its own bytes while others read', async () => {
  const calls = 6;
  const parts = 40;
  const sockets: net.Socket[] = [];
  const origin = await rawVendor((_text, socket) => {
    sockets.push(socket);
    if (sockets.length === calls) void answerInTurns();
  });
  /** One part of each answer, then the next of each, so that reads of different sockets follow each other. */
  async function answerInTurns(): Promise<void> {
    for (const socket of sockets) socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    for (let part = 0; part < parts; part++) {
      for (const [index, socket] of sockets.entries()) socket.write(`10\r\n${words(index, part)}\r\n`);
      await new Promise(setImmediate);
    }
    for (const socket of sockets) socket.write('0\r\n\r\n');
  }
  const sender = client();
  const kept = await Promise.all(
    Array.from({ length: calls }, () => {
      const pieces: Buffer[] = [];
      const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>();
      sender.send(post(origin), {
        onHead: () => {},
        onData: (chunk) => pieces.push(ownCopy(chunk)),
        onEnd: () => resolve(pieces),
        onFailure: ({ detail }) => reject(new Error(detail)),
      });
      return promise;
    }),
  );
  const texts = kept.map((pieces) => Buffer.concat(pieces).toString()).toSorted();
  expect(texts).toEqual(
    Array.from({ length: calls }, (_, index) =>
      Array.from({ length: parts }, (__, part) => words(index, part)).join(''),
    ),
  );
});

function words(index: number, part: number): string {
  return `call ${index} part ${String(part).padStart(3, '0')};`;
}

test('a vendor behind TLS is called if its certificate matches', needs(OPENSSL), async () => {
  const { key, cert } = certificateOf('localhost');
  const resumed: boolean[] = [];
  const server = https.createServer({ key, cert }, (request, response) => {
    resumed.push((request.socket as TLSSocket).isSessionReused());
    response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
    response.write('data: 1\n\n');
    setTimeout(() => response.end('data: 2\n\n'), 20);
  });
  const port = new URL(await listen(server)).port;
  const stranger = await run(client(), post(`https://localhost:${port}`)).ended;
  expect(stranger.failure).toEqual({ kind: 'connect', detail: expect.stringMatching(/self.signed/i) });

  trust(cert);
  const sender = client();
  for (let call = 0; call < 3; call++) {
    expect((await run(sender, post(`https://localhost:${port}`)).ended).body).toBe('data: 1\n\ndata: 2\n\n');
  }
  expect(resumed, 'who was met before is known again').toEqual([false, true, true]);
  const wrongName = await run(sender, post(`https://127.0.0.1:${port}`)).ended;
  expect(wrongName.failure?.kind).toBe('connect');
});

test('a connection that was established in time is kept although the process was busy', async () => {
  const origin = await rawVendor((_text, socket) => socket.write(OK));
  const sender = client();
  const running = run(sender, post(origin, '{}', { ...TIMEOUTS, connectMs: 50 }));
  const busyUntil = performance.now() + 150;
  while (performance.now() < busyUntil);
  expect((await running.ended).body).toBe('ok');
});
