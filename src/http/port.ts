import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The port that several processes will listen on together: the given one if it is free, or any free one for
 * 0. Sharing a port is a wish of each of them, so a stranger who also shares would not be noticed; taking it
 * for ourselves first tells whether somebody is there.
 */
export function findPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}
