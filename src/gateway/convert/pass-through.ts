import type { Route } from '../../catalog/contract.ts';
import type { Outline } from '../../protocol/bytes/outline.ts';
import type { Framing, PlainAnswer, RawRequest, RequestFacts, StreamRelay } from '../../protocol/dialect.ts';
import { formContentType } from '../../protocol/images/form.ts';
import { readOutlined } from '../../protocol/pass-through/answer.ts';
import { answerHeaders } from '../../upstream/answer-headers.ts';
import type { UpstreamHead, VendorAction } from '../../upstream/contract.ts';
import { VENDOR_JSON } from '../../upstream/vendor.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import type { Endpoint } from '../endpoints/find.ts';
import type { Translation } from './translation.ts';

const NOTHING_DROPPED: readonly string[] = [];

export interface ChangedRequest {
  readonly raw: RawRequest;
  readonly facts: RequestFacts;
  readonly outputLimit?: number | undefined;
}

/** Client and vendor use the same protocol: the bytes pass unchanged, except for what rule I-21 lists. */
export class PassThrough implements Translation {
  readonly protocol;
  readonly action: VendorAction;
  readonly body: readonly Buffer[];
  readonly contentType: string;
  readonly clientHeaders;
  readonly query: string;
  readonly outputLimit: number | undefined;
  readonly dropped = NOTHING_DROPPED;
  readonly #context: AttemptContext;

  /**
   * `request` is the client's request, or a changed one: without other vendors' signatures, or with a lower
   * limit.
   */
  constructor(context: AttemptContext, route: Route, request: ChangedRequest = context) {
    const { call, dialect, headers } = context;
    const { raw, facts, outputLimit } = request;
    this.outputLimit = outputLimit;
    this.#context = context;
    this.protocol = call.endpoint.protocol;
    this.action = chooseAction(call.endpoint, raw, facts);
    this.body = dialect.spliceRequest(raw, facts, route.forwardModelId);
    this.contentType = facts.form === undefined ? VENDOR_JSON : formContentType(facts.form);
    this.clientHeaders = headers;
    this.query = call.endpoint.query;
  }

  findFraming(head: UpstreamHead): Framing | undefined {
    if (this.protocol === 'speech') return isJson(head) ? undefined : 'bytes';
    if (isEventStream(head)) return 'sse';
    const { path } = this.#context.raw;
    return path?.framing === 'json-array' && isJson(head) ? 'json-array' : undefined;
  }

  clientFraming(framing: Framing): Framing {
    return framing;
  }

  relay(framing: Framing): StreamRelay {
    const { dialect, facts, model } = this.#context;
    return dialect.relayStream(framing, facts, model.modelId);
  }

  readAnswer(body: Buffer, outline: Outline | undefined): PlainAnswer {
    const { dialect, model } = this.#context;
    return readOutlined(body, outline, () => dialect.readResponse(body, model.modelId));
  }

  answerHeaders(head: UpstreamHead): string[] {
    return answerHeaders(head.headers);
  }

  save(): void {
    // Nothing to store: the client's protocol has a field for everything that the vendor sends.
  }
}

function chooseAction({ edit, action }: Endpoint, { path }: RawRequest, facts: RequestFacts): VendorAction {
  if (action !== undefined) return action;
  if (facts.edit || edit) return 'edit';
  if (path?.batch === true) return 'batch';
  return facts.stream ? 'stream' : 'generate';
}

/** RFC 9110: media types are case-insensitive. */
export function isEventStream({ headers }: UpstreamHead): boolean {
  return (headers['content-type'] ?? '').toLowerCase().startsWith('text/event-stream');
}

function isJson({ headers }: UpstreamHead): boolean {
  return (headers['content-type'] ?? '').toLowerCase().startsWith('application/json');
}
