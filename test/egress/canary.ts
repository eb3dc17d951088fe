import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Listens at every address of this machine under one port, and remembers whoever comes. */
export interface Canary {
  readonly port: number;
  /** Where it can be reached: loopback of both kinds, and this machine's own addresses. */
  readonly addresses: readonly string[];
  connections: number;
  close(): Promise<void>;
}

export async function startCanary(): Promise<Canary> {
  const canary = { connections: 0 };
  const server = createServer((socket) => {
    canary.connections += 1;
    socket.on('error', () => {});
    socket.resume();
    // What speaks first here shall get an answer: a client that waits would be counted later.
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
  });
  await listenEverywhere(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the canary has a port');
  return Object.assign(canary, {
    port: address.port,
    addresses: ownAddresses(),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

/** `::` takes IPv4 as well; a machine without IPv6 has that alone. */
function listenEverywhere(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', () => {
      server.once('error', reject);
      server.listen(0, '0.0.0.0', resolve);
    });
    server.listen(0, '::', resolve);
  });
}

function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ address }) => !address.startsWith('fe80')).map(({ address }) => address);
}
