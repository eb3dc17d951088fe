import { constants, fstatSync, openSync, write } from 'node:fs';
import { Socket } from 'node:net';

const STDOUT = 1;
const POLL_MS = 500;
const NOTHING = Buffer.alloc(0);

/**
 * Done when nobody can read our output any more, as behind `| head`. A write would tell it, but a program
 * that only serves may never write again. A file, a terminal (which sends SIGHUP) and /dev/null never close.
 */
export function untilOutputCloses(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const kind = fstatSync(STDOUT);
  if (kind.isFIFO()) watchPipe(resolve);
  if (kind.isSocket()) watchSocket(resolve);
  return promise;
}

/** What Node knows of a TCP connection; the only handle of its that waits for events of any descriptor. */
interface TcpHandle {
  open(descriptor: number): number;
}
interface TcpBinding {
  readonly TCP: new (kind: number) => TcpHandle;
  readonly constants: { readonly SOCKET: number };
}

/**
 * The system reports an error on a pipe the moment its last reader is gone, to whoever waits for any event on
 * it. Node has no public way to wait on an end that only writes: its handle for pipes refuses. The handle for
 * TCP does not ask. The pipe is opened anew, because a descriptor has one watcher, and `process.stdout` may
 * need to be it. Where this is not possible, a write notices.
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
    // Another system, or another Node.
  }
}

/** A write of no bytes does nothing, and fails once the other side is closed. To a pipe it never fails. */
function watchSocket(closed: () => void): void {
  const poll = setInterval(() => {
    write(STDOUT, NOTHING, (error) => {
      if (error?.code !== 'EPIPE' && error?.code !== 'ECONNRESET') return;
      clearInterval(poll);
      closed();
    });
  }, POLL_MS).unref();
}
