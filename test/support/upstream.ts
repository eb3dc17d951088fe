import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type {
  UpstreamClient,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHead,
  UpstreamRequest,
} from '../../src/upstream/contract.ts';
import { createUpstreamClient } from '../../src/upstream/http/client.ts';
import { atTestEnd } from './suite/ends.ts';

/** Short, so that a test that hangs says so. */
export const TIMEOUTS = { connectMs: 8_000, firstByteMs: 8_000, idleMs: 8_000 };
export const LONG = { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000 };
export function client(): UpstreamClient {
  const made = createUpstreamClient();
  atTestEnd(() => made.close());
  return made;
}

/** The address of a server on a free port. */
export async function listen(server: net.Server): Promise<string> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atTestEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

export const vendor = (onRequest: http.RequestListener): Promise<string> =>
  listen(http.createServer(onRequest));

/** A vendor that speaks whatever bytes the test wants. `index` counts its connections from 1. */
export const rawVendor = (
  onText: (text: string, socket: net.Socket, index: number) => void,
): Promise<string> => {
  let connections = 0;
  return listen(
    net.createServer((socket) => {
      connections += 1;
      const index = connections;
      socket.on('data', (chunk) => onText(chunk.toString('latin1'), socket, index));
    }),
  );
};

export function post(origin: string, body: string | Buffer[] = '{}', timeouts = TIMEOUTS): UpstreamRequest {
  return {
    origin,
    reach: 'any',
    path: '/v1/chat/completions',
    method: 'POST',
    headers: ['content-type', 'application/json', 'accept-encoding', 'identity'],
    body: typeof body === 'string' ? [Buffer.from(body)] : body,
    timeouts,
  };
}

export interface Outcome {
  head: UpstreamHead | undefined;
  body: string;
  chunks: number;
  failure: UpstreamFailure | undefined;
  order: string[];
}

/** One exchange under way: what it has called back so far, and the whole when it has ended. */
export interface Running {
  readonly exchange: UpstreamExchange;
  readonly outcome: Outcome;
  readonly ended: Promise<Outcome>;
}

export function run(sender: UpstreamClient, request: UpstreamRequest): Running {
  const outcome: Outcome = { head: undefined, body: '', chunks: 0, failure: undefined, order: [] };
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const exchange = sender.send(request, {
    onHead: (head) => {
      outcome.head = head;
      outcome.order.push('head');
    },
    onData: (chunk) => {
      outcome.body += chunk.toString('latin1');
      outcome.chunks += 1;
      if (outcome.order.at(-1) !== 'data') outcome.order.push('data');
    },
    onEnd: () => {
      outcome.order.push('end');
      resolve(outcome);
    },
    onFailure: (failure) => {
      outcome.failure = failure;
      outcome.order.push('failure');
      resolve(outcome);
    },
  });
  return { exchange, outcome, ended: promise };
}
