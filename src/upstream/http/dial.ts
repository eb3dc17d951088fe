import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { UPSTREAM_PROBE_MS, UPSTREAM_READ_BYTES } from '../../bounds.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { bareHost, readPort } from '../guard/media-address.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { EgressError, openTunnel } from './tunnel.ts';

/** Told how opening a socket ended, by exactly one of the first two, and of what the open one brings. */
export interface SocketUser {
  onOpen(socket: Socket): void;
  onRefused(error: Error): void;
  /** The bytes are lent: the next read of any socket overwrites them. */
  readonly onRead: (bytes: LentBytes) => void;
}

/** A connection on its way. Whoever destroys it before it is open hears nothing more of it. */
export interface Opening {
  destroy(): void;
}

/** Opens a socket to one address. */
export type Dial = (user: SocketUser) => Opening | undefined;

export interface DialOptions {
  readonly connectMs: number;
  readonly lookup?: LookupFunction;
}

export interface ProxyDialOptions {
  readonly connectMs: number;
  readonly proxy: EgressProxy;
  /** What the proxy is asked to connect to: `host:port`. */
  readonly findTarget: () => Promise<string>;
}

/**
 * Where all sockets read to: a read is worked off before the next one begins. Node would take 64 KiB for
 * every read and send it through a stream's buffer, which is more work than all that is done with a small
 * event. Even a copy of each read is too much: it is memory outside of the collector's own, and for so much
 * of that the collector goes through all objects of the process again and again.
 */
const landing = Buffer.allocUnsafeSlow(UPSTREAM_READ_BYTES);

export function createDial(origin: URL, { connectMs, lookup }: DialOptions): Dial {
  const connect = createConnect(origin, lookup);
  return (user) => {
    const socket = connect(user);
    let isOpen = false;
    const stop = startDeadline(connectMs, () => socket.destroy(new Error(`not open within ${connectMs} ms`)));
    socket.once(openEvent(origin), () => {
      isOpen = true;
      stop();
      user.onOpen(socket);
    });
    socket.on('error', (error: Error) => {
      if (!isOpen) user.onRefused(error);
    });
    socket.once('close', stop);
    return socket;
  };
}

/** The same by way of a proxy, whose tunnel and TLS within it are a part of opening. */
export function createProxyDial(origin: URL, { connectMs, proxy, findTarget }: ProxyDialOptions): Dial {
  const connect = createConnect(origin);
  const isSecure = origin.protocol === 'https:';
  return (user) => {
    let tunnel: Socket | undefined;
    let isOver = false;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      stop();
      return true;
    };
    const refuse = (error: Error): void => {
      if (!end()) return;
      tunnel?.destroy();
      user.onRefused(error);
    };
    const open = (socket: Socket): void => {
      if (end()) user.onOpen(socket);
    };
    const late = new EgressError(`not open within ${connectMs} ms`);
    const stop = startDeadline(connectMs, () => refuse(late));
    const onOpen = (through: Socket): void => {
      const socket = connect(user, through);
      socket.on('error', refuse);
      if (isSecure) socket.once('secureConnect', () => open(socket));
      else open(socket);
    };
    const ask = (target: string): void => {
      if (!isOver) tunnel = openTunnel(proxy, target, { onOpen, onRefused: refuse });
    };
    findTarget().then(ask).catch(refuse);
    return { destroy: () => end() && tunnel?.destroy() };
  };
}

/** Begins a connection to the origin, or what the origin needs within a tunnel that leads there. */
function createConnect(origin: URL, lookup?: LookupFunction): (user: SocketUser, tunnel?: Socket) => Socket {
  const isSecure = origin.protocol === 'https:';
  const host = bareHost(origin);
  const port = Number(readPort(origin));
  const to = { host, port, keepAliveInitialDelay: UPSTREAM_PROBE_MS, ...(lookup && { lookup }) };
  // The name for which the vendor chooses its certificate; an address is none.
  const secure = { ...to, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] };
  /** Of the newest connection: with it the next one is opened in fewer steps. */
  let session: Buffer | undefined;
  return (user, tunnel) => {
    const callback = (length: number): boolean => {
      user.onRead(landing.subarray(0, length));
      return true;
    };
    // Node takes a place to read to for sockets that it connects itself, so not within a tunnel.
    const way =
      tunnel === undefined
        ? { keepAlive: true, noDelay: true, onread: { buffer: landing, callback } }
        : { socket: tunnel };
    const socket = isSecure
      ? connectSecure({ ...secure, ...way, ...(session && { session }) })
      : (tunnel ?? connectPlain({ ...to, ...way }));
    if (isSecure) socket.on('session', (granted: Buffer) => (session = granted));
    if (tunnel !== undefined) socket.on('data', (bytes: Buffer) => user.onRead(bytes)).resume();
    return socket;
  };
}

function openEvent({ protocol }: URL): string {
  return protocol === 'https:' ? 'secureConnect' : 'connect';
}

/** Returns what ends it. */
function startDeadline(ms: number, onLate: () => void): () => void {
  let grace: NodeJS.Immediate | undefined;
  // A busy process hears of its timers before it hears of its sockets: one that stands by now has its chance.
  const late = setTimeout(() => {
    grace = setImmediate(onLate);
  }, ms);
  return () => {
    clearTimeout(late);
    clearImmediate(grace);
  };
}
