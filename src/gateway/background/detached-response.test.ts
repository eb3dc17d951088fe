import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { DetachedResponse } from './detached-response.ts';

/** A real request, as the server makes it. */
async function newRequest(): Promise<IncomingMessage> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  const server = createServer((request, response) => {
    resolve(request);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'POST' });
  server.close();
  return promise;
}

const closed = ({ response }: DetachedResponse): Promise<void> =>
  new Promise((resolve) => response.once('close', resolve));

test('takes an answer, remembers its status and body, and closes', async () => {
  const detached = new DetachedResponse(await newRequest());
  const body = '{"error":{"message":"no"}}';
  const isClosed = closed(detached);
  detached.response.writeHead(402, ['content-length', String(body.length)]);
  detached.response.end(body);
  await isClosed;
  expect([detached.status, detached.body]).toEqual([402, body]);
});

test('takes more than it remembers', async () => {
  const detached = new DetachedResponse(await newRequest());
  const isClosed = closed(detached);
  detached.response.writeHead(200, ['content-length', String(40 * 65_536)]);
  for (let count = 0; count < 40; count++) detached.response.write(Buffer.alloc(65_536, 'x'));
  detached.response.end();
  await isClosed;
  expect(detached.body.length).toBeLessThanOrEqual(65_536);
});

test('closes when it is cancelled', async () => {
  const detached = new DetachedResponse(await newRequest());
  const isClosed = closed(detached);
  detached.cancel();
  await isClosed;
  expect(detached.response.closed || detached.response.destroyed).toBe(true);
});
