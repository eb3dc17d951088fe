import { joinPieces } from '../../kernel/async/next-turn.ts';
import { changeMembers } from '../../kernel/encoding/json-members.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type {
  BodyChange,
  CloudCall,
  Grant,
  Headers,
  UpstreamClient,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHandler,
  UpstreamHead,
  UpstreamRequest,
} from '../contract.ts';
import { CLOUD_TURN_BYTES } from './bounds.ts';
import { EventStreamDecoder, isAwsEventStream } from './event-stream.ts';
import { type Grants, NoGrant } from './grants.ts';

export interface CloudPorts {
  readonly client: UpstreamClient;
  readonly grants: Grants;
  readonly clock: Clock;
}

type CloudRequest = UpstreamRequest & { readonly cloud: CloudCall };

/**
 * One request to a cloud: the token, the authorisation, the request itself, and once more with a new token if
 * the vendor refused the old one.
 */
export class CloudExchange implements UpstreamExchange, UpstreamHandler {
  readonly #ports: CloudPorts;
  readonly #handler: UpstreamHandler;
  /** Kept until the answer begins. */
  #request: CloudRequest | undefined;
  #inner: UpstreamExchange | undefined;
  #grant: Grant | undefined;
  #decoder: EventStreamDecoder | undefined;
  #renewed = false;
  #paused = false;
  #over = false;

  constructor(ports: CloudPorts, request: CloudRequest, handler: UpstreamHandler) {
    this.#ports = ports;
    this.#request = request;
    this.#handler = handler;
  }

  get sent(): boolean {
    return this.#inner?.sent ?? false;
  }

  start(): void {
    this.#send().catch((error: unknown) => this.#stumble(error));
  }

  pause(): void {
    this.#paused = true;
    this.#inner?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#inner?.resume();
  }

  abort(): void {
    this.#over = true;
    this.#request = undefined;
    this.#inner?.abort();
  }

  async #send(): Promise<void> {
    const request = this.#request;
    if (request === undefined) return;
    const { adapter } = request.cloud;
    const grantor = adapter.findGrantor(request.cloud);
    const { grants, clock, client } = this.#ports;
    const refused = this.#grant;
    if (grantor !== undefined) {
      this.#grant = await (refused === undefined ? grants.get(grantor) : grants.replace(grantor, refused));
    }
    const changed = await changeBody(request);
    const moment = { nowMs: clock.now(), grant: this.#grant };
    const headers = await adapter.authorize(changed, request.cloud, moment);
    // The client may have left while the token was requested.
    if (this.#over) return;
    this.#inner = client.send({ ...changed, headers, cloud: undefined }, this);
    if (this.#paused) this.#inner.pause();
  }

  /** No request was sent. A refused secret is an answer with 401, as it is with a plain vendor. */
  #stumble(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#request = undefined;
    if (!(error instanceof NoGrant) || error.kind === 'unreachable') {
      const detail = error instanceof NoGrant ? error.message : 'the request could not be authorised';
      this.#handler.onFailure({ kind: 'connect', detail });
      return;
    }
    const body = { error: { type: 'authentication_error', message: error.message } };
    this.#handler.onHead({ status: 401, headers: { 'content-type': 'application/json' } });
    this.#handler.onData(Buffer.from(JSON.stringify(body)));
    this.#handler.onEnd();
  }

  onHead(head: UpstreamHead): void {
    const request = this.#request;
    if (this.#grant !== undefined && !this.#renewed && request?.cloud.adapter.isExpired(head)) {
      this.#renewed = true;
      this.#inner?.abort();
      this.#inner = undefined;
      this.start();
      return;
    }
    this.#request = undefined;
    if (!isAwsEventStream(head)) {
      this.#handler.onHead(head);
      return;
    }
    this.#decoder = new EventStreamDecoder();
    const headers = { ...head.headers, 'content-type': 'text/event-stream; charset=utf-8' };
    this.#handler.onHead({ ...head, headers });
  }

  onData(chunk: LentBytes): void {
    if (this.#decoder === undefined) {
      this.#handler.onData(chunk);
      return;
    }
    const events = this.#decoder.push(chunk);
    if (events.length > 0) this.#handler.onData(events);
    if (this.#decoder.complaint === undefined || this.#over) return;
    this.#inner?.abort();
    this.onFailure({ kind: 'protocol', detail: this.#decoder.complaint });
  }

  onEnd(): void {
    if (this.#decoder?.isInside) {
      this.onFailure({ kind: 'reset', detail: 'the event stream ended inside of a message' });
      return;
    }
    this.#over = true;
    this.#handler.onEnd();
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#over) return;
    this.#over = true;
    this.#request = undefined;
    this.#handler.onFailure(failure);
  }
}

/** The request with the body of the cloud. The client's bytes are spliced, never written anew. */
async function changeBody(request: CloudRequest): Promise<UpstreamRequest> {
  const { cloud, headers } = request;
  const change = cloud.adapter.changeBody(cloud, headers);
  if (change === undefined) return request;
  const whole = await joinPieces(request.body);
  const body = await changeMembers(whole, change, CLOUD_TURN_BYTES);
  return { ...request, headers: withoutHeader(headers, change), body };
}

function withoutHeader(headers: Headers, { header }: BodyChange): Headers {
  if (header === undefined) return headers;
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] !== header) kept.push(headers[index] as string, headers[index + 1] as string);
  }
  return kept;
}
