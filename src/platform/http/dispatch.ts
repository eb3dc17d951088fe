import type { IncomingMessage, ServerResponse } from 'node:http';
import { StoreUnavailable } from '../../accounts/contract.ts';
import type { SessionAuthenticator } from '../../accounts/login-contract.ts';
import { Semaphore, type SemaphoreBounds } from '../../kernel/async/semaphore.ts';
import { newCallId } from '../../kernel/id.ts';
import { visitorAddress } from '../../kernel/visitor.ts';
import { readCookies } from '../../operations/auth/cookies.ts';
import {
  LIVE_STREAMS_MAX,
  LIVE_STREAMS_OF_ONE_MAX,
  PLATFORM_ACTIVE_MAX,
  PLATFORM_ACTIVE_OF_ONE_MAX,
  PLATFORM_EXPORTS_MAX,
  PLATFORM_EXPORTS_OF_ONE_MAX,
  PLATFORM_TIMEOUT_MS,
  PLATFORM_WAIT_MS,
  PLATFORM_WAITING_MAX,
} from '../../operations/bounds.ts';
import type { Context, OperationDeps } from '../../operations/context.ts';
import { type Failure, fail } from '../../operations/failure.ts';
import type { Answer, Operation } from '../../operations/operation.ts';
import { createDocuments, type SendDocument } from '../openapi/documents.ts';
import { admit } from './access.ts';
import { type BodyResult, readJsonBody } from './body.ts';
import { type Addressee, sendEnvelope, sendFailure } from './envelope.ts';
import { createRouter, type Match, type Router } from './router.ts';
import { sendEvents } from './send-events.ts';
import { sendText } from './send-text.ts';
import { readQuery } from './texts.ts';
import { createValidator, type Validator } from './validate.ts';

export interface PlatformParts {
  readonly operations: readonly Operation[];
  readonly sessions: SessionAuthenticator;
  /** `owner` is an account, or the address of a client without a login. */
  readBody(request: IncomingMessage, owner: number | string, response: ServerResponse): Promise<BodyResult>;
  /** For a request that is answered before its body is read. */
  discardBody(request: IncomingMessage, response: ServerResponse): void;
  /** The client's address, also behind trusted proxies. */
  readAddress(request: IncomingMessage): string;
  readonly observer: PlatformObserver;
  /** What the operations work with. */
  readonly deps: OperationDeps;
  readonly bounds?: Partial<PlatformBounds>;
}

export interface PlatformObserver {
  platformEnded(endpoint: string, status: number, durationMs: number): void;
}

export interface PlatformBounds {
  readonly slots: SemaphoreBounds;
  readonly exports: SemaphoreBounds;
  /** Streams of events. They take none of the other places. */
  readonly streams: SemaphoreBounds;
  readonly timeoutMs: number;
}

export interface Platform {
  /** Answers all requests below `/api`, and those for the documents about it. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends all streams of events: the process stops. */
  endStreams(): void;
}

const BOUNDS: PlatformBounds = {
  slots: {
    active: PLATFORM_ACTIVE_MAX,
    activeOfOne: PLATFORM_ACTIVE_OF_ONE_MAX,
    waiting: PLATFORM_WAITING_MAX,
    waitMs: PLATFORM_WAIT_MS,
  },
  exports: {
    active: PLATFORM_EXPORTS_MAX,
    activeOfOne: PLATFORM_EXPORTS_OF_ONE_MAX,
    waiting: 0,
    waitMs: 0,
  },
  streams: {
    active: LIVE_STREAMS_MAX,
    activeOfOne: LIVE_STREAMS_OF_ONE_MAX,
    waiting: 0,
    waitMs: 0,
  },
  timeoutMs: PLATFORM_TIMEOUT_MS,
};

/** After this time the store is probably back, or the other requests are done. */
const RETRY_MS = 1_000;
const TOO_LONG = 'The request took too long. It may still complete, so check before you try again';

export function createPlatform(parts: PlatformParts): Platform {
  const dispatcher = new Dispatcher(parts);
  return {
    handle: (request, response) => dispatcher.handle(request, response),
    endStreams: () => parts.deps.live.close(),
  };
}

/** One request in progress. */
interface Exchange extends Addressee {
  readonly request: IncomingMessage;
  readonly query: string;
  readonly begunMs: number;
  /** `none` until a row is found. */
  endpoint: string;
  /** Whose slot it takes: the address, until the login is known. */
  owner: number | string;
}

type Row = Extract<Match, { kind: 'row' }>;
/** The client is gone, so there is no answer. */
const GONE = { kind: 'gone' } as const;
type Outcome = Answer | typeof GONE;

class Dispatcher {
  readonly #parts: PlatformParts;
  readonly #bounds: PlatformBounds;
  readonly #router: Router;
  readonly #validators = new Map<Operation, Validator>();
  readonly #documents: ReadonlyMap<string, SendDocument>;
  readonly #slots: Semaphore;
  readonly #exports: Semaphore;
  readonly #streams: Semaphore;

  constructor(parts: PlatformParts) {
    this.#parts = parts;
    this.#bounds = { ...BOUNDS, ...parts.bounds };
    this.#router = createRouter(parts.operations);
    this.#documents = createDocuments(parts.operations);
    this.#slots = new Semaphore(this.#bounds.slots);
    this.#exports = new Semaphore(this.#bounds.exports);
    this.#streams = new Semaphore(this.#bounds.streams);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock } = this.#parts.deps;
    const { method = 'GET', url = '/' } = request;
    const [pathname = '/', query = ''] = splitOnce(url, '?');
    const exchange: Exchange = {
      ...{ request, response, query, endpoint: 'none' },
      owner: visitorAddress(this.#parts.readAddress(request)),
      requestId: newCallId(clock.now()),
      begunMs: clock.monotonic(),
    };
    const document = isReading(method) ? this.#documents.get(pathname) : undefined;
    try {
      if (document === undefined) {
        await this.#answer(exchange, await this.#serve(exchange, this.#router(method, pathname)));
      } else {
        this.#discard(exchange);
        await document(exchange);
      }
    } catch (error) {
      this.#discard(exchange);
      sendFailure(exchange, this.#toFailure(error, exchange));
    }
    this.#ended(exchange);
  }

  /** From the row to its answer. The caller handles what is thrown. */
  async #serve(exchange: Exchange, match: Match): Promise<Outcome> {
    const { request, response } = exchange;
    if (match.kind !== 'row') {
      this.#discard(exchange);
      return refuseMatch(match, response);
    }
    exchange.endpoint = match.row.name;
    const admission = await this.#inSlot(exchange, () =>
      admit(toAdmitInput(match, request), this.#parts.sessions),
    );
    if (admission.kind !== 'admitted') {
      this.#discard(exchange);
      return admission.kind === 'refused' ? admission.failure : admission;
    }
    exchange.owner = admission.caller?.accountId ?? exchange.owner;
    const body = await this.#readBody(exchange, match);
    if (body.kind !== 'json') return body;
    const query = readQuery(exchange.query);
    if (query.kind === 'problem') return fail('badParameter', query.message);
    const checked = this.#requireValidator(match.row)({
      params: match.params,
      query: match.row.events ? resumed(query.texts, request) : query.texts,
      body: body.value,
    });
    if (checked.kind === 'problem') return fail('badParameter', checked.message);
    const context = this.#toContext(exchange, admission.caller);
    return this.#inTime(exchange, () => match.row.handle(checked.input, context));
  }

  async #readBody(exchange: Exchange, { row }: Row): Promise<JsonBody | Failure | typeof GONE> {
    const { request, response, owner } = exchange;
    if (row.body !== undefined) {
      const read = readJsonBody(request, await this.#parts.readBody(request, owner, response));
      return read.kind === 'aborted' ? GONE : read;
    }
    // A row without a schema reads no body. A body that is sent anyway is discarded.
    this.#discard(exchange);
    return { kind: 'json', value: undefined };
  }

  /** Discarding keeps the connection open for the body, so it is done only if there is one. */
  #discard({ request, response }: Exchange): void {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
    if (length !== '0' || coding !== undefined) this.#parts.discardBody(request, response);
  }

  /** A slot is held while the store works, never while a client sends its body. */
  async #inSlot<Result>({ owner }: Exchange, work: () => Promise<Result>): Promise<Result | Failure> {
    const leave = await this.#slots.enter(owner);
    if (leave === undefined) return fail('busy', undefined, RETRY_MS);
    return work().finally(leave);
  }

  /** A late request is answered without its result. Its slot is free only when its work has ended. */
  async #inTime(exchange: Exchange, work: () => Promise<Answer>): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), this.#bounds.timeoutMs);
    });
    const working = this.#inSlot(exchange, work);
    const answer = await Promise.race([working, late]).finally(() => clearTimeout(timer));
    if (answer !== 'late') return answer;
    this.#followLate(exchange, working);
    return fail('unavailable', TOO_LONG, RETRY_MS);
  }

  #followLate({ requestId, endpoint }: Exchange, working: Promise<Answer>): void {
    const fields = { requestId, endpoint };
    this.#parts.deps.log.warn(
      fields,
      'platform request took too long and was answered with an error; its work goes on',
    );
    working.catch((error: unknown) => {
      this.#parts.deps.log.error(
        { ...fields, err: error },
        'platform request failed after it was answered as too long',
      );
    });
  }

  async #answer(exchange: Exchange, outcome: Outcome): Promise<void> {
    switch (outcome.kind) {
      case 'gone':
        return;
      case 'failure':
        return sendFailure(exchange, outcome);
      case 'text': {
        const leave = await this.#exports.enter(exchange.owner);
        if (leave === undefined) return sendFailure(exchange, fail('busy', undefined, RETRY_MS));
        return sendText(exchange, outcome).finally(leave);
      }
      case 'events': {
        const leave = await this.#streams.enter(exchange.owner);
        if (leave === undefined) return sendFailure(exchange, fail('busy', undefined, RETRY_MS));
        return sendEvents(exchange, outcome, leave);
      }
      default:
        return sendEnvelope(exchange, outcome);
    }
  }

  #toFailure(error: unknown, { requestId, endpoint }: Exchange): Failure {
    const { log } = this.#parts.deps;
    if (error instanceof StoreUnavailable) {
      log.warn({ requestId, endpoint, err: error }, 'platform request failed: the database does not answer');
      return fail('unavailable', undefined, RETRY_MS);
    }
    log.error({ requestId, endpoint, err: error }, 'platform request failed');
    return fail('internal', `Something went wrong on our side (request ${requestId})`);
  }

  #requireValidator(row: Operation): Validator {
    const known = this.#validators.get(row);
    if (known !== undefined) return known;
    const made = createValidator(row);
    this.#validators.set(row, made);
    return made;
  }

  #toContext({ request, requestId }: Exchange, caller: Context['caller']): Context {
    const { headers } = request;
    return {
      ...this.#parts.deps,
      ...{ caller, requestId },
      address: this.#parts.readAddress(request),
      userAgent: headers['user-agent'] ?? '',
      cookies: readCookies(headers.cookie),
    };
  }

  #ended({ response, requestId, endpoint, begunMs }: Exchange): void {
    const { deps, observer } = this.#parts;
    const { clock, log } = deps;
    const durationMs = clock.monotonic() - begunMs;
    const status = response.headersSent ? response.statusCode : 0;
    observer.platformEnded(endpoint, status, durationMs);
    log.debug({ requestId, endpoint, status, durationMs }, 'platform request ended');
  }
}

type JsonBody = { readonly kind: 'json'; readonly value: unknown };

function toAdmitInput(
  { row }: Row,
  { method = 'GET', headers }: IncomingMessage,
): Parameters<typeof admit>[0] {
  return { access: row.access, method, headers };
}

/** A browser that comes back asks for the same address, so the header is newer than the query. */
function resumed(
  texts: ReadonlyMap<string, string>,
  { headers }: IncomingMessage,
): ReadonlyMap<string, string> {
  const last = headers['last-event-id'];
  return typeof last === 'string' && last !== '' ? new Map([...texts, ['after', last]]) : texts;
}

function refuseMatch(match: Exclude<Match, Row>, response: ServerResponse): Failure {
  switch (match.kind) {
    case 'method-not-allowed':
      response.setHeader('allow', match.allow);
      return fail('methodNotAllowed', `This path allows ${match.allow}`);
    case 'not-decodable':
      return fail('badParameter', `${match.name} is not percent-encoded UTF-8`);
    default:
      return fail('notFound', 'There is no such path');
  }
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
