import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { UPSTREAM_HEADER_BYTES_MAX, UPSTREAM_PROBE_MS } from '../../bounds.ts';
import { readAnswerHead } from './answer-head.ts';
import type { EgressProxy } from './egress-proxy.ts';

/** Why there is no connection by way of the proxy. The words are for our log, and hold no secret. */
export class EgressError extends Error {
  constructor(why: string) {
    super(`egress proxy: ${why}`);
  }
}

/** Exactly one of them is called, unless whoever opened the tunnel destroys its socket before. */
export interface TunnelUser {
  /** The socket is paused: from now on its bytes are those of the target. */
  onOpen(socket: Socket): void;
  onRefused(error: Error): void;
}

/**
 * Connects to a proxy and has it connect to `target` (`host:port`). Plain http goes through a tunnel as
 * well: a request is written the same way whatever it passes, and no proxy reads or rewrites it. How long
 * it may take is the business of whoever opens it.
 */
export function openTunnel(proxy: EgressProxy, target: string, user: TunnelUser): Socket {
  const { isSecure, host, port } = proxy;
  const to = { host, port, keepAlive: true, keepAliveInitialDelay: UPSTREAM_PROBE_MS, noDelay: true };
  const socket = isSecure
    ? connectSecure({ ...to, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] })
    : connectPlain(to);
  let text = '';
  const read = (bytes: Buffer): void => {
    text += bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0 && text.length <= UPSTREAM_HEADER_BYTES_MAX) return;
    socket.pause();
    socket.off('data', read);
    socket.off('end', closed);
    socket.off('error', refuse);
    // Whoever takes the socket over hears of its errors in its own way; this one only keeps them handled.
    socket.on('error', () => {});
    const complaint = complaintAbout(text, end, proxy);
    if (complaint === undefined) {
      user.onOpen(socket);
    } else {
      socket.destroy();
      user.onRefused(new EgressError(complaint));
    }
  };
  const closed = (): void => {
    socket.destroy(new Error('closed without an answer'));
  };
  // An error of several tries, one per address of the proxy, has a code and no words.
  const refuse = (error: NodeJS.ErrnoException): void => {
    user.onRefused(new EgressError(error.message || (error.code ?? 'not reached')));
  };
  socket.once(isSecure ? 'secureConnect' : 'connect', () => socket.write(connectRequest(proxy, target)));
  socket.on('data', read);
  socket.once('end', closed);
  socket.once('error', refuse);
  return socket;
}

function connectRequest({ authorization }: EgressProxy, target: string): string {
  const credentials = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`;
}

function complaintAbout(text: string, end: number, { authorization }: EgressProxy): string | undefined {
  if (end < 0) return `more than ${UPSTREAM_HEADER_BYTES_MAX} bytes of headers`;
  const head = readAnswerHead(text.slice(0, end));
  if (typeof head === 'string') return head;
  const { status } = head;
  if (status === 407) {
    const why = authorization === undefined ? 'wants a user and a password' : 'refuses the user or password';
    return `answered 407, it ${why} of the proxy address`;
  }
  if (status < 200 || status > 299) return `answered ${status} instead of opening a tunnel`;
  // The target says nothing before it is asked, so these bytes are nobody's.
  return text.length > end + 4 ? 'bytes behind its answer' : undefined;
}
