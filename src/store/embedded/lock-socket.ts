import { once } from 'node:events';
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { basename, dirname } from 'node:path';

/** The errors of the kernel if no process listens any more. Other errors do not prove a death. */
const NOBODY = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);

/**
 * Listens until the returned function is called or the process dies. Undefined if the file
 * system has no sockets.
 */
export async function listenAt(path: string): Promise<(() => void) | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    await withShortPath(path, async (short) => {
      server.listen(short);
      await once(server, 'listening');
      chmodSync(short, 0o600);
    });
  } catch {
    server.close();
    rmSync(path, { force: true });
    return undefined;
  }
  // The kernel answers a connection attempt. It is not accepted here.
  server.on('error', () => {}).unref();
  return () => {
    server.close();
    rmSync(path, { force: true });
  };
}

/** The kernel answers for the process that listens, so one that is paused or busy answers too. */
export function isAnswered(path: string): Promise<boolean> {
  return withShortPath(path, (short) => {
    return new Promise((resolve) => {
      const socket = connect(short, () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(!NOBODY.has(code)));
    });
  });
}

/** A socket's path has at most 107 bytes. The path through an open handle of the directory is short. */
async function withShortPath<T>(path: string, use: (short: string) => Promise<T>): Promise<T> {
  const directory = openSync(dirname(path), 'r');
  try {
    return await use(`/proc/self/fd/${directory}/${basename(path)}`);
  } finally {
    closeSync(directory);
  }
}
