import type { LentBytes } from '../kernel/encoding/lent-bytes.ts';
/**
 * One exchange with a vendor, as callbacks: no streams, no promises per chunk.
 * The order is asserted: `onHead` once, then `onData` any number of times, then exactly one of `onEnd` and
 * `onFailure`. After `abort` nothing is called any more.
 */
export interface UpstreamHandler {
  onHead(head: UpstreamHead): void;
  /** The bytes are lent, and overwritten when this returns: whoever keeps them copies them. */
  readonly onData: (chunk: LentBytes) => void;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

export interface UpstreamHead {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** `closed`: only the end of the connection ends the body, which looks the same when the vendor dies. */
  readonly bodyEnd?: 'counted' | 'closed';
}

export interface UpstreamExchange {
  /** The request is on its way: from here on the vendor may be at work on it. */
  readonly sent: boolean;
  /** Back-pressure: the socket is not read until `resume`. What TLS has read before may still come. */
  pause(): void;
  resume(): void;
  /** Closes the connection to the vendor at once. */
  abort(): void;
}

/** The operator's addresses are his own choice and may be private (rule S-6). */
export type AllowedNetwork = 'any' | 'public';

export interface UpstreamRequest {
  /** `https://api.openai.com` */
  readonly origin: string;
  /** `public`: the address is a user's, so it may lead to the public network only. */
  readonly reach: AllowedNetwork;
  /** Path and query. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** Flat: name, value, name, value. Credentials included; never logged. */
  readonly headers: readonly string[];
  readonly body: readonly Buffer[];
  readonly timeouts: UpstreamTimeouts;
}

export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** From the request's end to the response's head. */
  readonly firstByteMs: number;
  /** Between two chunks of the body. */
  readonly idleMs: number;
}

export interface UpstreamFailure {
  /**
   * `busy`: all our connections to the address are in use, the vendor knows nothing of it. `connect`: nothing
   * was sent. `timeout`: no head in time. `idle`: silence in the body. `reset`: it broke.
   * `protocol`: not HTTP, or not an answer we can read.
   */
  readonly kind: 'busy' | 'connect' | 'timeout' | 'idle' | 'reset' | 'protocol';
  /** For our log only. */
  readonly detail: string;
}

export interface UpstreamClient {
  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamExchange;
  close(): Promise<void>;
}

/** Fetches what a client named by its address. Only public addresses, within bounds, never with a secret. */
export interface MediaFetcher {
  /** `signal` ends it early; `room` is asked for every piece before it is kept. */
  fetch(address: string, patience: MediaPatience): Promise<FetchedMedia | MediaFailure>;
}

export interface MediaPatience {
  readonly signal: AbortSignal;
  /** False: there is no room for so many more bytes. */
  room(bytes: number): boolean;
}

export interface FetchedMedia {
  readonly kind: 'media';
  /** By the bytes where they tell it, else as declared; always one that models read. */
  readonly mime: string;
  readonly bytes: Buffer;
}

export interface MediaFailure {
  readonly kind: 'media-failure';
  /**
   * `address`: not an address we would fetch. `unreachable`: nothing came of it, or it leads where we do not
   * go; the client is not told which, lest it map our network. `type`: not what models read.
   */
  readonly reason: 'address' | 'unreachable' | 'too-slow' | 'too-large' | 'type' | 'no-room';
  /** For our log only: names no path and no query. */
  readonly detail: string;
}
