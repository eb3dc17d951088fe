import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { listen } from '../../../test/support/upstream.ts';
import { BODY_RATE_BYTES_MIN, BODY_RATE_INTERVAL_MS, BODY_SLOW_AFTER_MS } from '../../http/bounds.ts';
import { ManualClock, systemClock } from '../../kernel/time/clock.ts';
import { UPLOAD_PACE } from './bounds.ts';
import { ClientPace } from './client-pace.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A client whose body never ends, and the server's side of it. */
async function connect() {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const server = createServer((request) => arrived.resolve(request));
  const client = httpRequest(await listen(server), { method: 'POST' });
  client.on('error', () => undefined);
  client.write('x'.repeat(100));
  ends.push(() => {
    client.destroy();
    server.close();
  });
  return { client, request: await arrived.promise };
}

test('uploads may be as slow as bodies of calls', () => {
  expect(UPLOAD_PACE).toEqual({
    slowAfterMs: BODY_SLOW_AFTER_MS,
    intervalMs: BODY_RATE_INTERVAL_MS,
    bytesMin: BODY_RATE_BYTES_MIN,
  });
});

test('a client that drips is cut', async () => {
  const { client, request } = await connect();
  const pace = new ClientPace(request, systemClock, { slowAfterMs: 20, intervalMs: 50, bytesMin: 1_000 });
  const dripping = setInterval(() => client.write('x'), 5);
  ends.push(() => clearInterval(dripping));
  const reading = (async () => {
    while ((await pace.next()) !== undefined);
  })();
  await expect(reading).rejects.toThrow();
  expect(request.destroyed).toBe(true);
});

test('a client that waits for us is not', async () => {
  const { client, request } = await connect();
  const clock = new ManualClock();
  const pace = new ClientPace(request, clock);
  expect((await pace.next())?.length).toBe(100);
  // The vendor takes its time.
  clock.advance(10 * UPLOAD_PACE.slowAfterMs);
  client.end('y'.repeat(2_000));
  while ((await pace.next()) !== undefined);
  expect(request.complete).toBe(true);
});
