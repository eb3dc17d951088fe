import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import {
  MEDIA_BYTES_MAX,
  MEDIA_FETCHES_MAX,
  MEDIA_REDIRECTS_MAX,
  MEDIA_TIMEOUT_MS,
  UPSTREAM_HEADER_BYTES_MAX,
} from '../../bounds.ts';
import { Semaphore } from '../../kernel/async/semaphore.ts';
import { VERSION } from '../../kernel/version.ts';
import type { FetchedMedia, MediaFailure, MediaFetcher, MediaPatience } from '../contract.ts';
import { type ChooseProxy, type EgressProxy, noEgressProxy } from '../http/egress-proxy.ts';
import { EgressError, openTunnel } from '../http/tunnel.ts';
import {
  bareHost,
  ForbiddenAddress,
  guardedLookup,
  isForbiddenLiteral,
  judgedTarget,
  readMediaAddress,
} from './media-address.ts';
import { mayBeMedia, mediaType } from './media-type.ts';
import { type Resolve, systemResolve } from './resolve.ts';

export interface MediaFetcherOptions {
  /** `host` or `host:port` that the operator allows. These may be private, and have any port. */
  readonly ownHosts: readonly string[];
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
  readonly chooseProxy?: ChooseProxy;
}

/** A failure inside this file. It is never thrown to callers. */
class NotFetched extends Error {
  readonly reason: MediaFailure['reason'];

  constructor(reason: MediaFailure['reason'], detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** Fetches for clients, so it trusts neither address nor answer. Each step has its own connection. */
export class GuardedFetcher implements MediaFetcher {
  readonly #ownHosts: ReadonlySet<string>;
  readonly #resolve: Resolve;
  readonly #timeoutMs: number;
  readonly #chooseProxy: ChooseProxy;
  readonly #fetches = new Semaphore({ active: MEDIA_FETCHES_MAX, waiting: 0 });

  constructor(options: MediaFetcherOptions) {
    this.#ownHosts = new Set(options.ownHosts);
    this.#resolve = options.resolve ?? systemResolve;
    this.#timeoutMs = options.timeoutMs ?? MEDIA_TIMEOUT_MS;
    this.#chooseProxy = options.chooseProxy ?? noEgressProxy;
  }

  async fetch(address: string, patience: MediaPatience): Promise<FetchedMedia | MediaFailure> {
    const leave = await this.#fetches.enter();
    if (leave === undefined) return failure('no-room', 'too many fetches at once');
    const late = AbortSignal.timeout(this.#timeoutMs);
    const limited = { ...patience, signal: AbortSignal.any([patience.signal, late]) };
    try {
      return await this.#follow(address, limited);
    } catch (error) {
      if (late.aborted) return failure('too-slow', 'the time is up');
      if (error instanceof NotFetched) return failure(error.reason, error.message);
      return failure('unreachable', toDetail(error));
    } finally {
      leave();
    }
  }

  async #follow(address: string, patience: MediaPatience): Promise<FetchedMedia> {
    let url = this.#judge(address);
    for (let redirects = 0; redirects <= MEDIA_REDIRECTS_MAX; redirects++) {
      const answer = await this.#ask(url, patience);
      if ('kind' in answer) return answer;
      // The target of a redirect is checked like the client's address.
      const next = URL.canParse(answer.location, url.href) ? new URL(answer.location, url).href : '';
      url = this.#judge(next);
    }
    throw new NotFetched('unreachable', 'too many redirects');
  }

  #judge(address: string): URL {
    const url = readMediaAddress(address, this.#ownHosts);
    if (url === undefined) throw new NotFetched('address', 'scheme, port or form');
    if (isForbiddenLiteral(url, this.#ownHosts)) throw new NotFetched('unreachable', 'a private address');
    return url;
  }

  async #ask(url: URL, { signal, room }: MediaPatience): Promise<FetchedMedia | { location: string }> {
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    const asked = request(url, {
      ...(await this.#way(url, signal)),
      maxHeaderSize: UPSTREAM_HEADER_BYTES_MAX,
      headers: { 'accept-encoding': 'identity', 'user-agent': `tollgate/${VERSION}` },
      signal,
    });
    try {
      const answer = await answerTo(asked);
      const location = findRedirect(answer);
      return location === undefined ? await readMedia(answer, room) : { location };
    } finally {
      asked.destroy();
    }
  }

  /** The connection of the request. A proxy gets the address that was checked. */
  async #way(url: URL, signal: AbortSignal): Promise<RequestOptions> {
    const proxy = this.#chooseProxy(url);
    if (proxy === undefined) {
      return { agent: false, lookup: guardedLookup(url, this.#ownHosts, this.#resolve) };
    }
    const findTarget = (): Promise<string> => judgedTarget(url, this.#ownHosts, this.#resolve);
    const tunnel = await awaitTunnel(proxy, findTarget, signal);
    const createConnection = (): Socket => (url.protocol === 'https:' ? secured(tunnel, url) : tunnel);
    return { createConnection, defaultPort: url.protocol === 'https:' ? 443 : 80 };
  }
}

function awaitTunnel(
  proxy: EgressProxy,
  findTarget: () => Promise<string>,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    const ask = (target: string): void => {
      signal.throwIfAborted();
      const socket = openTunnel(proxy, target, { onOpen: resolve, onRefused: reject });
      signal.addEventListener('abort', () => socket.destroy(), { once: true });
    };
    findTarget().then(ask).catch(reject);
  });
}

function secured(socket: Socket, url: URL): Socket {
  const host = bareHost(url);
  return connectSecure({ socket, host, servername: isIP(host) === 0 ? host : '' });
}

function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.once('response', resolve);
    // The handler stays, because a closed connection may still emit an error.
    asked.on('error', reject);
    // A server that switches protocols closes without an answer.
    asked.once('close', () => reject(new NotFetched('unreachable', 'no answer')));
    asked.end();
  });
}

function findRedirect({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (statusCode < 300 || statusCode > 399) return undefined;
  if (headers.location === undefined) throw new NotFetched('unreachable', `status ${statusCode}`);
  return headers.location;
}

async function readMedia(answer: IncomingMessage, room: MediaPatience['room']): Promise<FetchedMedia> {
  const { statusCode, headers } = answer;
  if (statusCode !== 200) throw new NotFetched('unreachable', `status ${statusCode}`);
  const contentType = headers['content-type'] ?? '';
  const encoding = (headers['content-encoding'] ?? '').toLowerCase();
  if (!mayBeMedia(contentType)) throw new NotFetched('type', 'the declared type');
  if (encoding !== '' && encoding !== 'identity')
    throw new NotFetched('type', 'an encoding nobody asked for');
  const declaredBytes = Number(headers['content-length'] ?? '');
  if (declaredBytes > MEDIA_BYTES_MAX) throw new NotFetched('too-large', 'by its own word');
  const chunks: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    heldBytes += chunk.length;
    if (heldBytes > MEDIA_BYTES_MAX) throw new NotFetched('too-large', 'while it was read');
    if (!room(chunk.length)) throw new NotFetched('no-room', 'the budget for bodies');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const mime = mediaType(contentType, bytes);
  if (mime === undefined) throw new NotFetched('type', 'the bytes');
  return { kind: 'media', mime, bytes };
}

function failure(reason: MediaFailure['reason'], detail: string): MediaFailure {
  return { kind: 'media-failure', reason, detail };
}

/** Codes only, because Node's messages contain names and addresses. */
function toDetail(error: unknown): string {
  if (error instanceof ForbiddenAddress || error instanceof EgressError) return error.message;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'the connection failed';
}
