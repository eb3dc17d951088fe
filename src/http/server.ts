import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConsoleFiles } from '../console/files.ts';
import { sendRefusal } from '../gateway/answer/answer.ts';
import { serveCount } from '../gateway/endpoints/count.ts';
import { type Found, findEndpoint } from '../gateway/endpoints/find.ts';
import { serveObject } from '../gateway/endpoints/serve-object.ts';
import { guessProtocol, isWebSocket, unknownPath } from '../gateway/endpoints/unknown-path.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { serveCall } from '../gateway/pipeline.ts';
import { type ErrorName, refuse } from '../kernel/errors.ts';
import { newCallId } from '../kernel/id.ts';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Platform } from '../platform/http/dispatch.ts';
import { discardBody } from './body.ts';
import { type Cors, createCors } from './cors.ts';
import { refuseNotHttp } from './not-http.ts';
import {
  answerHealth,
  HEADERS_TIMEOUT_MS,
  type ListeningPlace,
  listen,
  type Operations,
  requestPath,
  sendText,
  serverUrl,
} from './operations.ts';

/** Longer than the usual sixty seconds of load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

/** Time for calls to notice that their connections are closed. */
const CALLS_END_MS = 5_000;

export interface HttpServer {
  readonly url: string;
  /** Running calls, from the first byte of the request on. */
  readonly running: number;
  /**
   * Stops listening and waits a bounded time for open connections, then closes them. Resolves when the last
   * call has ended, so that its last events still have listeners.
   */
  close(timeoutMs: number): Promise<void>;
}

export interface ServerParts extends ListeningPlace {
  readonly gateway: Gateway | undefined;
  /** All paths below `/api`, and the documents about it. */
  readonly platform: Platform | undefined;
  /** The pages of the web console. */
  readonly console: ConsoleFiles | undefined;
  readonly operations: Operations;
  /** Origins whose pages may read answers; none if empty. */
  readonly corsOrigins: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

interface OpenServer extends ServerParts {
  readonly cors: Cors | undefined;
}

/** One port for everything. Paths of the gateway are matched first, because they must be fast. */
export async function startServer(given: ServerParts): Promise<HttpServer> {
  const cors = createCors({ origins: given.corsOrigins, isGuarded: isPlatform });
  const parts = { ...given, cors };
  const calls = new RunningCalls();
  const answers = new WeakMap<Socket, ServerResponse>();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    answers.set(request.socket, response);
    if (parts.operations.isDraining()) dispatchLast(request, response, parts, calls);
    else dispatch(request, response, parts, calls);
  };
  const server = createServer(
    { noDelay: true, keepAlive: true, requestTimeout: 0, headersTimeout: HEADERS_TIMEOUT_MS },
    serve,
  );
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  // With `Expect`, the body's reader sends `100 Continue`, or a refusal is sent.
  server.on('checkContinue', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const requestId = newCallId(parts.clock.now());
    refuseNotHttp({ error, socket, answer: answers.get(socket), requestId });
  });
  await listen(server, parts);
  return {
    url: serverUrl(server, parts),
    get running() {
      return calls.count;
    },
    close: (timeoutMs) => close(server, calls, timeoutMs),
  };
}

/** Calls between request and end. A connection may be gone before its call is. */
class RunningCalls {
  #count = 0;
  #onIdle: (() => void) | undefined;

  get count(): number {
    return this.#count;
  }

  readonly ended = (): void => {
    this.#count -= 1;
    if (this.#count === 0) this.#onIdle?.();
  };

  began(): void {
    this.#count += 1;
  }

  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

/**
 * A draining server sends `connection: close`. Node closes once that is written, and with bytes of the
 * request still on their way the client would see a reset instead. So the body of a refused call is read to
 * its end first. A client that waits for `100 Continue` sends none.
 */
function dispatchLast(
  request: IncomingMessage,
  response: ServerResponse,
  parts: OpenServer,
  calls: RunningCalls,
): void {
  const answer = (): void => {
    response.shouldKeepAlive = false;
    dispatch(request, response, parts, calls);
  };
  if (isPlatform(request.url ?? '/') || request.headers.expect !== undefined) answer();
  else {
    discardBody(request, response);
    request.once('end', answer);
  }
}

function dispatch(
  request: IncomingMessage,
  response: ServerResponse,
  parts: OpenServer,
  calls: RunningCalls,
): void {
  if (parts.cors?.answer(request, response)) return;
  const { method = 'GET', url = '/' } = request;
  if (parts.gateway !== undefined) {
    const found = findEndpoint(method, url);
    if (method === 'GET' && found.kind !== 'no-endpoint' && isWebSocket(request.headers)) {
      refuseAddressed(request, response, 'webSocketUnserved', parts);
      return;
    }
    const serving = serveFound(found, request, response, parts.gateway);
    if (serving !== undefined) {
      follow(serving, response, parts, calls);
      return;
    }
    if (found.kind === 'method-not-allowed') {
      response.setHeader('allow', found.allow);
      refuseAddressed(request, response, 'methodNotAllowed', parts);
      return;
    }
  }
  if (parts.platform !== undefined && isPlatform(url)) {
    follow(parts.platform.handle(request, response), response, parts, calls);
    return;
  }
  operate(request, response, parts);
}

/** Refuses what is addressed to a path of the gateway, but is no call. */
function refuseAddressed(
  request: IncomingMessage,
  response: ServerResponse,
  error: ErrorName,
  { clock }: ServerParts,
): void {
  discardBody(request, response);
  closeHandshake(request, response);
  const protocol = guessProtocol(request.url?.split('?', 1)[0] ?? '/', request.headers);
  sendRefusal(response, refuse(error), newCallId(clock.now()), protocol);
}

/** Undefined: not a path of the gateway, or not with this method. */
function serveFound(
  found: Found,
  request: IncomingMessage,
  response: ServerResponse,
  gateway: Gateway,
): Promise<void> | undefined {
  switch (found.kind) {
    case 'call':
      return serveCall(request, response, found.endpoint, gateway);
    case 'count':
      return serveCount(request, response, found.endpoint, gateway);
    case 'object':
      return serveObject(request, response, found.asked, gateway);
    default:
      return undefined;
  }
}

const PLATFORM_PATH = /^\/(?:api|docs|openapi\.json)(?:[/?]|$)/;

function isPlatform(url: string): boolean {
  return PLATFORM_PATH.test(url);
}

/** An error that no call caught ends its request only. */
function follow(
  serving: Promise<void>,
  response: ServerResponse,
  { log, clock }: ServerParts,
  calls: RunningCalls,
): void {
  calls.began();
  serving.then(calls.ended, (error: unknown) => {
    calls.ended();
    log.error({ err: error }, 'request failed before a call began');
    sendRefusal(response, refuse('internal'), newCallId(clock.now()), undefined);
  });
}

function operate(request: IncomingMessage, response: ServerResponse, parts: ServerParts): void {
  const requestId = newCallId(parts.clock.now());
  const answer = { response, requestId, status: 200 };
  const path = requestPath(request);
  if (answerHealth(path, answer, parts.operations)) return;
  response.setHeader('x-request-id', requestId);
  if (path !== '' && parts.console?.serve(request, response, path)) return;
  if (path === '/' && (request.method === 'GET' || request.method === 'HEAD')) {
    sendText(answer, 'Tollgate\n');
    return;
  }
  discardBody(request, response);
  closeHandshake(request, response);
  const { method = 'GET', url = '/', headers } = request;
  const { refusal, protocol } = unknownPath(method, url, headers);
  sendRefusal(response, refusal, requestId, protocol);
}

/** What a client sends behind a refused handshake are frames, and no requests. */
function closeHandshake({ headers }: IncomingMessage, response: ServerResponse): void {
  if (isWebSocket(headers)) response.shouldKeepAlive = false;
}

async function close(server: Server, calls: RunningCalls, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(late);
  // Nothing should delay a call for long now. One that hangs must not delay the stop.
  const hung = new Promise<void>((resolve) => setTimeout(resolve, CALLS_END_MS).unref());
  await Promise.race([calls.idle(), hung]);
}
