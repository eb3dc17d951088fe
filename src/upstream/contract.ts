import type { AwsKeys, CloudSecret } from '../catalog/cloud.ts';
import type { Cloud } from '../catalog/contract.ts';
import type { LentBytes } from '../kernel/encoding/lent-bytes.ts';
import type { Protocol } from '../kernel/protocol-name.ts';

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

/** The action at the vendor. `stream` and `generate` have different addresses for some vendors only. */
export type VendorAction =
  | 'generate'
  | 'stream'
  | 'count'
  | 'compact'
  | 'edit'
  | 'variation'
  | 'translation'
  | 'batch'
  | 'file';

/** One call of a cloud: everything that its address, body and authorisation depend on. */
export interface CloudCall {
  readonly adapter: CloudAdapter;
  readonly cloud: Cloud;
  readonly secret: CloudSecret;
  readonly protocol: Protocol;
  readonly action: VendorAction;
  /** The vendor's name of the model. */
  readonly model: string;
}

/** What a cloud has of its own: an address, an authorisation and, where needed, a body and a framing. */
export interface CloudAdapter {
  /** The path below the base address. `undefined`: the cloud does not offer this action. */
  path(call: CloudCall): string | undefined;
  /** How the body for the cloud differs from that of the protocol. `undefined`: not at all. */
  changeBody(call: CloudCall, headers: readonly string[]): BodyChange | undefined;
  /** How a token is requested. `undefined`: the secret needs none. */
  findGrantor(call: CloudCall): Grantor | undefined;
  /** Headers with the authorisation. */
  authorize(request: UpstreamRequest, call: CloudCall, moment: Moment): Headers | Promise<Headers>;
  /** Where it lists its models: full addresses, for the base address of a vendor. */
  modelLists(base: URL): readonly string[];
  /** Whether the answer says that the token is no longer accepted. */
  isExpired(head: UpstreamHead): boolean;
}

/** Flat: name, value, name, value. */
export type Headers = readonly string[];

export interface BodyChange {
  /** JSON members that are put first. */
  readonly added: string;
  /** Names of members that are removed. */
  readonly removed: readonly string[];
  /** A header whose meaning is in the body now. */
  readonly header: string | undefined;
}

export interface Moment {
  readonly nowMs: number;
  /** The token, if the secret needs one. */
  readonly grant: Grant | undefined;
}

/** What a cloud gives for a secret, for a time. In memory only: never logged, never in an error. */
export interface Grant {
  readonly expiresAtMs: number;
  readonly bearer?: string;
  readonly keys?: AwsKeys;
}

/** How a grant is requested. Of two with the same name one grant serves both. */
export interface Grantor {
  readonly name: string;
  request(nowMs: number): GrantRequest | Promise<GrantRequest>;
  /** `undefined`: the answer has no grant. */
  read(body: string, nowMs: number): Grant | undefined;
}

export type GrantRequest = Pick<UpstreamRequest, 'origin' | 'path' | 'method' | 'headers' | 'body'>;

export interface UpstreamRequest {
  /** `https://api.openai.com` */
  readonly origin: string;
  /** `public`: an address of a user, which must be in the public network. */
  readonly reach: AllowedNetwork;
  /** Path and query. */
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Flat: name, value, name, value. Credentials included; never logged. */
  readonly headers: readonly string[];
  readonly body: readonly Buffer[];
  /** A body that comes while it is sent, in place of `body`. It is never sent twice. */
  readonly streamed?: StreamedBody | undefined;
  readonly timeouts: UpstreamTimeouts;
  /** The request is for a cloud and lacks its authorisation (cloud/client.ts). */
  readonly cloud?: CloudCall | undefined;
}

/** A body whose length nobody knows when it is sent. */
export interface StreamedBody {
  /** Called once, when the connection is open. From then on it may be written. */
  begin(sink: BodySink): void;
  /** The connection takes more. */
  onDrain(): void;
}

export interface BodySink {
  /** False: the connection is full, until `onDrain`. */
  write(bytes: Buffer): boolean;
  end(): void;
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
