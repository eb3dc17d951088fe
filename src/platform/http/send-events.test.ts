import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { EventSink } from '../../operations/context.ts';
import { sendEvents } from './send-events.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers with events until `open` says otherwise. */
async function serve(open: (sink: EventSink) => void, bounds = { heartbeatMs: 20, unreadBytesMax: 100_000 }) {
  const gone = Promise.withResolvers<string>();
  const server = createServer((_request, response) => {
    const answer = {
      kind: 'events',
      open: (sink: EventSink) => {
        open(sink);
        return () => gone.resolve('closed');
      },
    } as const;
    sendEvents({ response, requestId: 'req_1' }, answer, () => undefined, bounds);
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, gone: gone.promise };
}

test('events have a name, an id and one line of data, between heartbeats', async () => {
  let sink: EventSink | undefined;
  const { port, gone } = await serve((given) => {
    sink = given;
    sink.send({ name: 'call', data: { text: 'two\nlines' }, id: 'a.b' });
  });
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    if (text.includes('\n:\n\n')) sink?.end();
  }
  expect(text).toContain('retry: 2000\n\n');
  expect(text).toContain('event: call\nid: a.b\ndata: {"text":"two\\nlines"}\n\n');
  expect(await gone).toBe('closed');
});

test('a reader that does not read is cut off, and nothing is kept for it', async () => {
  const { port, gone } = await serve((sink) => {
    const data = 'x'.repeat(50_000);
    const more = (): void => {
      for (let each = 0; each < 20; each++) sink.send({ name: 'call', data });
    };
    const pump = setInterval(more, 1);
    void gone.then(() => clearInterval(pump));
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  socket.pause();
  expect(await gone).toBe('closed');
  socket.destroy();
});
