import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';

/**
 * A proxy as strict as those of companies: CONNECT in its exact form and nothing else, credentials when it
 * has some, and only to the places it knows. Whoever asks for anything else is refused.
 */
export interface TestProxy {
  readonly server: Server;
  /** `host:port` → the local port that stands for it. */
  readonly places: Map<string, number>;
  /** What was asked for, in order. */
  readonly asked: string[];
  /** The open connections of clients, tunnels among them. */
  readonly clients: Set<Socket>;
  /** `user:password`; nothing: everybody may pass. */
  credentials: string | undefined;
  /** Answers instead of the proxy, with whatever bytes. */
  instead: ((socket: Socket) => void) | undefined;
}

export function createTestProxy(tls?: { readonly key: string; readonly cert: string }): TestProxy {
  const server = tls === undefined ? createServer(refuseAll) : createSecureServer(tls, refuseAll);
  const proxy: TestProxy = {
    server,
    places: new Map(),
    asked: [],
    clients: new Set(),
    credentials: undefined,
    instead: undefined,
  };
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    proxy.clients.add(socket);
    socket.on('error', () => {}).on('close', () => proxy.clients.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    proxy.asked.push(String(request.url));
    if (proxy.instead !== undefined) proxy.instead(socket.resume().on('end', () => socket.destroy()));
    else answer(proxy, request, socket, head);
  });
  return proxy;
}

function refuseAll(
  _request: IncomingMessage,
  response: { writeHead(status: number): { end(): void } },
): void {
  response.writeHead(405).end();
}

function answer(proxy: TestProxy, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const refuse = (status: string): unknown => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
  const { credentials } = proxy;
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  if (request.headers.host !== request.url || head.length > 0) return void refuse('400 Bad Request');
  if (request.headers['proxy-authorization'] !== wanted) {
    return void refuse('407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="egress"');
  }
  const port = proxy.places.get(String(request.url));
  if (port === undefined) return void refuse('403 Forbidden');
  const onward = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(onward).pipe(socket);
  });
  onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('close', () => onward.destroy());
}
