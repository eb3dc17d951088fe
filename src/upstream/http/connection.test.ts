import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { client, listen, post, rawVendor, run, TIMEOUTS, vendor } from '../../../test/support/upstream.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A vendor that counts its connections and answers each request with these bytes. */
async function talker(answer: (request: number, socket: net.Socket) => string) {
  const connections: number[] = [];
  let requests = 0;
  const origin = await rawVendor((text, socket, index) => {
    if (!text.startsWith('POST')) return;
    requests += 1;
    connections.push(index);
    socket.write(answer(requests, socket), 'latin1');
  });
  return { origin, connections };
}

test('an answer that lasts until the vendor closes is complete at the close', async () => {
  const { origin, connections } = await talker((_, socket) => {
    setTimeout(() => socket.end(' and the rest'), 30);
    return 'HTTP/1.1 200 OK\r\n\r\nsome';
  });
  const sender = client();
  for (let call = 0; call < 2; call++) {
    const outcome = await run(sender, post(origin)).ended;
    expect([outcome.body, outcome.order.at(-1)]).toEqual(['some and the rest', 'end']);
  }
  expect(connections).toEqual([1, 2]);
});

test('an unexpected answer is dropped', async () => {
  const { origin, connections } = await talker((request) =>
    request === 1 ? `${OK}HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen` : OK,
  );
  const sender = client();
  expect((await run(sender, post(origin)).ended).body).toBe('ok');
  expect((await run(sender, post(origin)).ended).body).toBe('ok');
  expect(connections, 'the next call has a connection of its own').toEqual([1, 2]);
});

test('bytes on an idle connection close it', async () => {
  let closed = 0;
  const { origin, connections } = await talker((request, socket) => {
    if (request === 1) setTimeout(() => socket.on('close', () => closed++).write(OK), 20);
    return OK;
  });
  const sender = client();
  await run(sender, post(origin)).ended;
  await expect.poll(() => closed).toBe(1);
  expect((await run(sender, post(origin)).ended).body).toBe('ok');
  expect(connections).toEqual([1, 2]);
});

test.each([
  ['connection: close', 0],
  ['keep-alive: timeout=2', 1_500],
])('a vendor that says `%s` is called on a new connection after %d ms', async (header, waitMs) => {
  let closed = 0;
  const { origin, connections } = await talker((request, socket) => {
    if (request === 1) socket.on('close', () => closed++);
    return `HTTP/1.1 200 OK\r\n${header}\r\ncontent-length: 2\r\n\r\nok`;
  });
  const sender = client();
  await run(sender, post(origin)).ended;
  await sleep(waitMs);
  await expect.poll(() => closed).toBe(1);
  await run(sender, post(origin)).ended;
  expect(connections).toEqual([1, 2]);
});

test('a slow upload is not idle, but a vendor that reads nothing is', async () => {
  // So long that what the kernel keeps of it, unseen, is a small part; read by the clock, so that
  // a busy machine catches up.
  const size = 48 * 1024 * 1024;
  const bytesPerMs = 20 * 1024;
  const timeouts = { ...TIMEOUTS, firstByteMs: 1_500 };
  const body = [Buffer.alloc(size, 97)];
  let readsOn = true;
  const origin = await listen(
    net.createServer((socket) => {
      const begunAt = performance.now();
      let bytes = 0;
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes > size) socket.write(OK);
        if (readsOn && bytes <= (performance.now() - begunAt) * bytesPerMs) return;
        socket.pause();
        if (readsOn) setTimeout(() => socket.resume(), 5);
      });
    }),
  );
  const begunAt = performance.now();
  const slow = await run(client(), post(origin, body, timeouts)).ended;
  expect([slow.body, slow.failure]).toEqual(['ok', undefined]);
  expect(performance.now() - begunAt).toBeGreaterThan(timeouts.firstByteMs);
  readsOn = false;
  expect((await run(client(), post(origin, body, timeouts)).ended).failure?.kind).toBe('timeout');
});

test('an answer before the end of the upload is delivered, and its connection not reused', async () => {
  const { origin, connections } = await talker((request, socket) => {
    if (request === 1) socket.pause();
    return OK;
  });
  const sender = client();
  const early = await run(sender, post(origin, [Buffer.alloc(20 * 1024 * 1024, 97)])).ended;
  expect(early.body).toBe('ok');
  expect((await run(sender, post(origin)).ended).body).toBe('ok');
  expect(connections).toEqual([1, 2]);
});

test('a head that comes byte by byte has one timeout', async () => {
  const origin = await rawVendor((_text, socket) => {
    const drip = setInterval(() => socket.write('H'), 20);
    socket.on('close', () => clearInterval(drip));
    socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
  });
  const { failure } = await run(client(), post(origin, '{}', { ...TIMEOUTS, firstByteMs: 400 })).ended;
  expect(failure?.kind).toBe('timeout');
});

test('an exchange that has ended blocks no other', async () => {
  const origin = await vendor((request, response) => {
    if (request.url !== '/slow') response.end('ok');
    else setTimeout(() => response.end('x'.repeat(1_000_000)), 50);
  });
  const sender = client();
  const first = run(sender, post(origin));
  await first.ended;
  const second = run(sender, { ...post(origin), path: '/slow' });
  first.exchange.pause();
  await sleep(100);
  first.exchange.abort();
  expect((await second.ended).body.length).toBe(1_000_000);
});

test('a call that is aborted during its second send leaves no connection behind', async () => {
  let open = 0;
  let requests = 0;
  const origin = await listen(
    net.createServer((socket) => {
      open += 1;
      socket.on('close', () => {
        open -= 1;
      });
      socket.on('data', () => {
        requests += 1;
        if (requests % 2 === 1) socket.write(OK);
        else socket.destroy();
      });
    }),
  );
  for (let round = 0; round < 5; round++) {
    const sender = client();
    await run(sender, post(origin)).ended;
    const { exchange } = run(sender, post(origin));
    // The vendor closes under the second call, which connects again; somewhere on the way its client leaves.
    for (let turn = 0; turn < 3 + round; turn++) await new Promise((resolve) => setImmediate(resolve));
    exchange.abort();
    await sender.close();
    requests += requests % 2;
  }
  await expect.poll(() => open, { timeout: 60_000 }).toBe(0);
});

test('a closed client reports that it sends nothing', async () => {
  const { origin, connections } = await talker(() => OK);
  const sender = client();
  await sender.close();
  expect((await run(sender, post(origin)).ended).failure?.kind).toBe('busy');
  expect(connections).toEqual([]);
});
