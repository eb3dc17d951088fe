import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The port that several processes will share: the given one if it is free, or any free one for 0. With a
 * shared port, a foreign process that also shares it would go unnoticed. So it is first opened exclusively,
 * to check that it is free.
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
