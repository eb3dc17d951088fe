import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { endTest } from '../../../test/support/suite/ends.ts';
import { client, listen, post, rawVendor, run, TIMEOUTS, vendor } from '../../../test/support/upstream.ts';
import type { BodySink, StreamedBody } from '../contract.ts';

test('a call arrives with its method, path, headers and body, and its answer comes back', async () => {
  const origin = await vendor(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    response.setHeader('x-twice', ['a', 'b']);
    response.end(JSON.stringify([request.method, request.url, request.headers['content-type'], text]));
  });
  const { ended } = run(client(), post(origin, '{"a":1}'));
  const { head, body, order } = await ended;
  expect(JSON.parse(body)).toEqual(['POST', '/v1/chat/completions', 'application/json', '{"a":1}']);
  expect(head?.status).toBe(200);
  expect(head?.headers['x-twice']).toBe('a, b');
  expect(order).toEqual(['head', 'data', 'end']);
});

test('a body of several pieces arrives whole and with its length, small and large', async () => {
  const origin = await vendor(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    response.end(`${request.headers['content-length']} ${all.length} ${all.subarray(-3)}`);
  });
  const sender = client();
  const small = await run(sender, post(origin, [Buffer.from('ab'), Buffer.from('cde')])).ended;
  expect(small.body).toBe('5 5 cde');
  const large = [Buffer.alloc(3_000_000, 97), Buffer.from('x'), Buffer.alloc(2_000_000, 98)];
  expect((await run(sender, post(origin, large)).ended).body).toBe('5000001 5000001 bbb');
  expect(large.length, 'the caller keeps its pieces').toBe(3);
  const single = [Buffer.alloc(300_000, 99)];
  expect((await run(sender, post(origin, single)).ended).body).toBe('300000 300000 ccc');
});

test('a streamed body arrives as it is written, on a connection of its own', async () => {
  const origin = await vendor(async (request, response) => {
    let bytes = 0;
    await sleep(200);
    for await (const chunk of request) bytes += chunk.length;
    response.end(`${request.headers['transfer-encoding']} ${request.headers['content-length']} ${bytes}`);
  });
  const sender = client();
  await run(sender, post(origin)).ended;
  const piece = Buffer.alloc(100_000, 97);
  let drains = 0;
  let left = 300;
  let sink: BodySink | undefined;
  const writeOn = (): void => {
    while (left > 0) {
      left -= 1;
      if (sink?.write(piece) === false) return;
    }
    sink?.write(Buffer.alloc(0));
    sink?.end();
  };
  const streamed: StreamedBody = {
    begin: (given) => {
      sink = given;
      writeOn();
    },
    onDrain: () => {
      drains += 1;
      writeOn();
    },
  };
  const { body } = await run(sender, { ...post(origin, ''), streamed }).ended;
  expect(body).toBe('chunked undefined 30000000');
  expect(drains).toBeGreaterThan(0);
  expect(sink?.write(piece), 'what comes late goes nowhere').toBe(true);
});

test('connections are reused', async () => {
  const ports = new Set<number | undefined>();
  const origin = await vendor((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('ok');
  });
  const sender = client();
  for (let call = 0; call < 20; call++) {
    expect((await run(sender, post(origin)).ended).body).toBe('ok');
    await sleep(1);
  }
  expect(ports.size).toBe(1);
});

test('no call waits behind another, however calls end', async () => {
  const origin = await vendor((request, response) => {
    if (request.url === '/ok') response.end('ok');
    else if (request.url === '/broken') request.socket.resetAndDestroy();
    else response.write('data: 1\n\n');
  });
  const sender = client();
  const call = (path: string) => run(sender, { ...post(origin), path });
  for (let round = 0; round < 20; round++) {
    const left = [call('/open'), call('/open')];
    const ended = ['/ok', '/broken', '/a b', '/ok'].map((path) => call(path).ended);
    left[0]?.exchange.abort();
    await Promise.all(ended);
    left[1]?.exchange.abort();
  }
  const open = Array.from({ length: 20 }, () => call('/open'));
  const quick = await Promise.all(Array.from({ length: 20 }, () => call('/ok').ended));
  expect(quick.map(({ body }) => body)).toEqual(Array(20).fill('ok'));
  expect(open.filter(({ outcome }) => outcome.failure !== undefined)).toEqual([]);
  for (const { exchange } of open) exchange.abort();
});

test('a refused connection is a connect failure, reported after send has returned', async () => {
  const origin = await vendor(() => {});
  const port = Number(new URL(origin).port);
  await endTest();
  const { ended, outcome } = run(client(), post(`http://127.0.0.1:${port}`));
  expect(outcome.order).toEqual([]);
  expect((await ended).failure?.kind).toBe('connect');
});

test('a request that cannot be sent at all is a failure, reported after send has returned', async () => {
  const { ended, outcome } = run(client(), { ...post('http://127.0.0.1:1'), path: '/a b' });
  expect(outcome.order).toEqual([]);
  expect((await ended).failure).toEqual({ kind: 'connect', detail: expect.stringContaining('path') });
});

test('a missing head is a timeout', async () => {
  const origin = await vendor(() => {});
  const { ended } = run(client(), post(origin, '{}', { ...TIMEOUTS, firstByteMs: 200 }));
  expect((await ended).failure?.kind).toBe('timeout');
});

test('silence inside a body is an idle timeout, and earlier bytes are delivered', async () => {
  const origin = await vendor((_request, response) => {
    response.write('data: 1\n\n');
  });
  const { ended } = run(client(), post(origin, '{}', { ...TIMEOUTS, idleMs: 200 }));
  const outcome = await ended;
  expect(outcome.failure?.kind).toBe('idle');
  expect(outcome.body).toBe('data: 1\n\n');
  expect(outcome.order).toEqual(['head', 'data', 'failure']);
});

test.each([
  ['a length that is not kept', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'end', 'reset'],
  [
    'chunks without the last one',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'end',
    'reset',
  ],
  [
    'a close inside chunks that was announced',
    'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'end',
    'reset',
  ],
  ['a reset', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'reset', 'reset'],
  ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'keep', 'protocol'],
  ['an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`, 'keep', 'protocol'],
  [
    'an unasked upgrade',
    'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    'keep',
    'protocol',
  ],
  ['an unasked 100', 'HTTP/1.1 100 Continue\r\n\r\n', 'keep', 'protocol'],
  ['nothing but a close', '', 'end', 'reset'],
] as const)('%s is a failure of the right kind', async (_name, answer, ending, kind) => {
  const origin = await rawVendor((_text, socket) => {
    socket.write(answer, 'latin1', () => {
      if (ending === 'end') socket.end();
      if (ending === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
    });
  });
  const outcome = await run(client(), post(origin)).ended;
  expect(outcome.failure?.kind).toBe(kind);
  expect(outcome.order.filter((step) => step === 'end' || step === 'failure')).toEqual(['failure']);
});

test('interim answers are skipped, up to a bound', async () => {
  let interim = 2;
  const origin = await rawVendor((_text, socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(interim), 'latin1');
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 'latin1');
  });
  const sender = client();
  const few = await run(sender, post(origin)).ended;
  expect([few.head?.status, few.body]).toEqual([200, 'ok']);
  interim = 100;
  const many = await run(sender, post(origin)).ended;
  expect(many.failure?.kind).toBe('protocol');
});

test('a redirect is returned, not followed', async () => {
  let calls = 0;
  const origin = await vendor((_request, response) => {
    calls += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const outcome = await run(client(), post(origin)).ended;
  expect(outcome.head?.status).toBe(307);
  expect(calls).toBe(1);
});

test('addresses that are not used for long close their connections', async () => {
  const server = http.createServer((_request, response) => {
    response.end('ok');
  });
  // However long it takes to make so many, the server closes none of them.
  server.keepAliveTimeout = 300_000;
  const origin = await listen(server);
  const sender = client();
  for (let pool = 1; pool <= 280; pool++) {
    const { body } = await run(sender, post(origin, '{}', { ...TIMEOUTS, connectMs: 2_000 + pool })).ended;
    expect(body).toBe('ok');
  }
  const connections = (): Promise<number> =>
    new Promise((resolve) => {
      server.getConnections((_error, count) => resolve(count));
    });
  await expect.poll(connections).toBe(256);
});

test('close cuts running calls', async () => {
  const origin = await vendor((_request, response) => {
    response.write('data: 1\n\n');
  });
  const sender = client();
  const { outcome, ended } = run(sender, post(origin));
  await expect.poll(() => outcome.chunks).toBe(1);
  await sender.close();
  expect((await ended).failure?.kind).toBe('reset');
});
