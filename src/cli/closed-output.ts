import { constants, fstatSync, openSync, write } from 'node:fs';
import { Socket } from 'node:net';

const STDOUT = 1;
const POLL_MS = 500;
const NOTHING = Buffer.alloc(0);

/**
 * Resolves when the reader of stdout is gone, as with `| head`. A write would detect it, but a server may
 * never write again. A file, a terminal (which sends SIGHUP) and /dev/null never close.
 */
export function untilOutputCloses(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const kind = fstatSync(STDOUT);
  if (kind.isFIFO()) watchPipe(resolve);
  if (kind.isSocket()) watchSocket(resolve);
  return promise;
}

/** The TCP handle of Node: the only one that waits for events of any descriptor. */
interface TcpHandle {
  open(descriptor: number): number;
}
interface TcpBinding {
  readonly TCP: new (kind: number) => TcpHandle;
  readonly constants: { readonly SOCKET: number };
}

/**
 * The system reports an error on a pipe when its last reader is gone, to any process that waits for an event
 * on it. Node has no public way to wait on a write-only end: its handle for pipes refuses that. The handle
 * for TCP does not check. The pipe is opened again, because a descriptor has one watcher and `process.stdout`
 * may need it. Where this is not possible, a write detects the closed pipe.
 */
function watchPipe(closed: () => void): void {
  try {
    const descriptor = openSync(`/proc/self/fd/${STDOUT}`, constants.O_WRONLY | constants.O_NONBLOCK);
    const binding = (process as unknown as { binding(name: string): TcpBinding }).binding('tcp_wrap');
    const handle = new binding.TCP(binding.constants.SOCKET);
    if (handle.open(descriptor) !== 0) return;
    const socket = new Socket({ handle, readable: true, writable: false } as object);
    socket.once('error', closed).resume().unref();
  } catch {
    // Not possible on this system or with this version of Node.
  }
}

/** An empty write does nothing, and fails once the other side is closed. To a pipe it never fails. */
function watchSocket(closed: () => void): void {
  const poll = setInterval(() => {
    write(STDOUT, NOTHING, (error) => {
      if (error?.code !== 'EPIPE' && error?.code !== 'ECONNRESET') return;
      clearInterval(poll);
      closed();
    });
  }, POLL_MS).unref();
}
