import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { UPSTREAM_PROBE_MS, UPSTREAM_READ_BYTES } from '../../bounds.ts';
import { bareHost } from '../guard/media-address.ts';

/** Told how opening a socket ended, by exactly one of the first two, and of what the open one brings. */
export interface SocketUser {
  onOpen(socket: Socket): void;
  onRefused(error: Error): void;
  /** The bytes are lent: the next read of any socket overwrites them. */
  onRead(bytes: Buffer): void;
}

/** Opens a socket to one address. Whoever destroys it before it is open hears nothing more of it. */
export type Dial = (user: SocketUser) => Socket | undefined;

export interface DialOptions {
  readonly connectMs: number;
  readonly lookup?: LookupFunction;
}

/**
 * Where all sockets read to: a read is worked off before the next one begins. Node would take 64 KiB for
 * every read and send it through a stream's buffer, which is more work than all that is done with a small
 * event. Even a copy of each read is too much: it is memory outside of the collector's own, and for so much
 * of that the collector goes through all objects of the process again and again.
 */
const landing = Buffer.allocUnsafeSlow(UPSTREAM_READ_BYTES);

export function createDial(origin: URL, { connectMs, lookup }: DialOptions): Dial {
  const isSecure = origin.protocol === 'https:';
  const host = bareHost(origin);
  const port = Number(origin.port) || (isSecure ? 443 : 80);
  const to = { host, port, keepAliveInitialDelay: UPSTREAM_PROBE_MS, ...(lookup && { lookup }) };
  // The name for which the vendor chooses its certificate; an address is none.
  const secure = { ...to, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] };
  /** Of the newest connection: with it the next one is opened in fewer steps. */
  let session: Buffer | undefined;
  return (user) => {
    const callback = (length: number): boolean => {
      user.onRead(landing.subarray(0, length));
      return true;
    };
    const flow = { keepAlive: true, noDelay: true, onread: { buffer: landing, callback } };
    const socket = isSecure
      ? connectSecure({ ...secure, ...flow, ...(session && { session }) })
      : connectPlain({ ...to, ...flow });
    if (isSecure) socket.on('session', (granted: Buffer) => (session = granted));
    watch(socket, isSecure ? 'secureConnect' : 'connect', connectMs, user);
    return socket;
  };
}

function watch(socket: Socket, opened: string, connectMs: number, user: SocketUser): void {
  let isOpen = false;
  let grace: NodeJS.Immediate | undefined;
  // A busy process hears of its timers before it hears of its sockets: one that stands by now has its chance.
  const late = setTimeout(() => {
    grace = setImmediate(() => socket.destroy(new Error(`not open within ${connectMs} ms`)));
  }, connectMs);
  const stop = (): void => {
    clearTimeout(late);
    clearImmediate(grace);
  };
  socket.once(opened, () => {
    isOpen = true;
    stop();
    user.onOpen(socket);
  });
  socket.on('error', (error: Error) => {
    if (!isOpen) user.onRefused(error);
  });
  socket.once('close', stop);
}
