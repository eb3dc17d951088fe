import type { LentBytes } from '../kernel/encoding/lent-bytes.ts';
/**
 * One exchange with a vendor, as callbacks: no streams, no promises per chunk.
 * The order is asserted: `onHead` once, then `onData` any number of times, then exactly one of `onEnd` and
 * `onFailure`. After `abort` nothing is called any more.
 */
export interface UpstreamHandler {
  onHead(head: UpstreamHead): void;
  /** The bytes are lent, and overwritten when this returns. They must be copied to be kept. */
  readonly onData: (chunk: LentBytes) => void;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

export interface UpstreamHead {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** `closed`: the end of the connection ends the body, so a failure of the vendor looks the same. */
  readonly bodyEnd?: 'counted' | 'closed';
}

export interface UpstreamExchange {
  /** The request was sent. From here on the vendor may work on it. */
  readonly sent: boolean;
  /** Back-pressure: the socket is not read until `resume`. What TLS has read before may still come. */
  pause(): void;
  resume(): void;
  /** Closes the connection to the vendor at once. */
  abort(): void;
}

/** Addresses of the operator may be private (rule S-6). */
export type AllowedNetwork = 'any' | 'public';

export interface UpstreamRequest {
  /** `https://api.openai.com` */
  readonly origin: string;
  /** `public`: an address of a user, which must be in the public network. */
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
   * `busy`: all connections of the gateway to the address are in use. `connect`: nothing
   * was sent. `timeout`: no head in time. `idle`: silence in the body. `reset`: the connection broke.
   * `protocol`: not HTTP, or not a readable answer.
   */
  readonly kind: 'busy' | 'connect' | 'timeout' | 'idle' | 'reset' | 'protocol';
  /** For the log only. */
  readonly detail: string;
}

export interface UpstreamClient {
  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamExchange;
  close(): Promise<void>;
}

/** Fetches media by its address: public addresses only, within bounds, never with a secret. */
export interface MediaFetcher {
  /** `signal` ends it early. `room` is called for every piece before it is kept. */
  fetch(address: string, patience: MediaPatience): Promise<FetchedMedia | MediaFailure>;
}

export interface MediaPatience {
  readonly signal: AbortSignal;
  /** False if there is no memory for so many more bytes. */
  room(bytes: number): boolean;
}

export interface FetchedMedia {
  readonly kind: 'media';
  /** Found in the bytes, else as declared; always a type that models read. */
  readonly mime: string;
  readonly bytes: Buffer;
}

export interface MediaFailure {
  readonly kind: 'media-failure';
  /**
   * `address`: an invalid address. `unreachable`: the fetch failed, or the address is forbidden. The client
   * does not learn which, so that it cannot scan the network. `type`: not a type that models read.
   */
  readonly reason: 'address' | 'unreachable' | 'too-slow' | 'too-large' | 'type' | 'no-room';
  /** For the log only, without path and query. */
  readonly detail: string;
}
