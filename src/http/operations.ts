import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendRefusal } from '../gateway/answer/answer.ts';
import { refuse } from '../kernel/errors.ts';
import { newCallId } from '../kernel/id.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { chooseExposition } from './exposition.ts';

/** What monitoring asks a process: whether it is alive, whether it can serve, its metrics. */
export interface Operations {
  /** 200 only if calls can be served; otherwise the reason. */
  readiness(): { readonly ready: boolean; readonly reason: string };
  /** With exemplars; the format is chosen here. */
  metrics(): string | Promise<string>;
  isDraining(): boolean;
}

export interface TextAnswer {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly status: number;
}

export interface ListeningPlace {
  readonly host: string;
  readonly port: number;
  /** Several processes listen on the port, and the system spreads connections over them. */
  readonly reusePort: boolean;
}

export interface OperationsParts extends ListeningPlace {
  readonly operations: Operations;
  readonly clock: Clock;
}

export interface OperationsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Time for all headers, so that a slow sender holds nothing. */
export const HEADERS_TIMEOUT_MS = 10_000;
const PLAIN_TYPE = 'text/plain; charset=utf-8';
/** Scrapers are few. Others who find the port must not use up the file descriptors of the gateway. */
const CONNECTIONS_MAX = 100;

/** Metrics reveal much about a business, so they have their own port. */
export async function startOperations(parts: OperationsParts): Promise<OperationsServer> {
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS }, (request, response) => {
    void answerOperator(request, response, parts);
  });
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, parts);
  return {
    url: serverUrl(server, parts),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answerOperator(
  request: IncomingMessage,
  response: ServerResponse,
  { operations, clock }: OperationsParts,
): Promise<void> {
  const requestId = newCallId(clock.now());
  const answer = { response, requestId, status: 200 };
  const path = requestPath(request);
  request.resume();
  if (answerHealth(path, answer, operations)) return;
  if (path === '/metrics') {
    const { show, contentType } = chooseExposition(request.headers.accept);
    sendText(answer, show(await operations.metrics()), contentType);
  } else sendRefusal(response, refuse('pathUnknown'), requestId, undefined);
}

/** The path of a GET or HEAD request; empty for all others. */
export function requestPath({ method, url = '/' }: IncomingMessage): string {
  return method === 'GET' || method === 'HEAD' ? (url.split('?', 1)[0] ?? '/') : '';
}

/** False: it is another path. */
export function answerHealth(path: string, answer: TextAnswer, operations: Operations): boolean {
  if (path === '/healthz') sendText(answer, 'ok\n');
  else if (path === '/readyz') {
    const { ready, reason } = operations.readiness();
    sendText({ ...answer, status: ready ? 200 : 503 }, `${reason}\n`);
  } else return false;
  return true;
}

export function sendText({ response, requestId, status }: TextAnswer, body: string, type = PLAIN_TYPE): void {
  response.writeHead(status, {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** Connections that wait to be accepted: a burst must fit, else the kernel drops some. Node has 511. */
const LISTEN_BACKLOG = 4_096;

export function listen(server: Server, { host, port, reusePort }: ListeningPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, reusePort, backlog: LISTEN_BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

export function serverUrl(server: Server, { host }: ListeningPlace): string {
  const { port } = server.address() as AddressInfo;
  return `http://${reachable(host)}:${port}`;
}

/** A server on all addresses is reachable on the loopback address; `0.0.0.0` is not an address to call. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
