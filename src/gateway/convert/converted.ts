import type { IncomingHttpHeaders } from 'node:http';
import type { Outline } from '../../protocol/bytes/outline.ts';
import { finish } from '../../protocol/bytes/slices.ts';
import type { Conversion } from '../../protocol/convert/convert.ts';
import type { Dialect, Framing, PlainAnswer, StreamRelay } from '../../protocol/dialect.ts';
import type { AnswerError } from '../../protocol/hub/answer.ts';
import type { TextProtocol } from '../../protocol/hub/protocol.ts';
import { readOutlined } from '../../protocol/pass-through/answer.ts';
import { getDialect } from '../../protocol/registry.ts';
import type { UpstreamHead, VendorAction } from '../../upstream/contract.ts';
import { isHeaderValue, VENDOR_JSON } from '../../upstream/vendor.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { isEventStream } from './pass-through.ts';
import { saveSignatures } from './signatures.ts';
import type { Translation } from './translation.ts';

export const NO_HEADERS: IncomingHttpHeaders = {};
export const EVENT_STREAM = 'text/event-stream; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Client and vendor use different protocols: request and answer are converted through the hub. */
export class Converted implements Translation {
  readonly protocol: TextProtocol;
  readonly action: VendorAction;
  readonly body: readonly Buffer[];
  /** The client's headers and query are meant for a vendor of its own protocol, so they are not sent. */
  readonly contentType = VENDOR_JSON;
  readonly clientHeaders = NO_HEADERS;
  readonly query: string;
  readonly outputLimit: number | undefined;
  readonly dropped: readonly string[];
  readonly #context: AttemptContext;
  readonly #conversion: Conversion;
  readonly #dialect: Dialect;

  constructor(
    context: AttemptContext,
    conversion: Conversion,
    { protocol, outputLimit }: { protocol: TextProtocol; outputLimit: number | undefined },
  ) {
    const { stream } = context.facts;
    this.#context = context;
    this.#conversion = conversion;
    this.#dialect = getDialect(protocol);
    this.protocol = protocol;
    this.outputLimit = outputLimit;
    this.action = stream ? 'stream' : 'generate';
    this.body = conversion.pieces;
    this.query = stream && protocol === 'gemini' ? 'alt=sse' : '';
    this.dropped = conversion.dropped;
  }

  findFraming(head: UpstreamHead): Framing | undefined {
    return isEventStream(head) ? 'sse' : undefined;
  }

  clientFraming(): Framing {
    return this.#context.raw.path?.framing ?? 'sse';
  }

  /**
   * The relay of the vendor's dialect meters the stream: a converted answer is charged like an unconverted
   * one.
   */
  relay(framing: Framing): StreamRelay {
    const { facts, model } = this.#context;
    const vendorFacts = { ...facts, usageInjected: false };
    const vendor = this.#dialect.relayStream(framing, vendorFacts, model.modelId);
    return this.#conversion.convertStream(this.clientFraming(), vendor);
  }

  readAnswer(body: Buffer, outline: Outline | undefined): PlainAnswer | Promise<PlainAnswer> {
    const { model } = this.#context;
    const answer = readOutlined(body, outline, () => this.#dialect.readResponse(body, model.modelId));
    if (!answer.valid || answer.isError) return answer;
    const converted = finish(this.#conversion.convertAnswerInTurns(body, answer.figures), body.length);
    return converted instanceof Promise
      ? converted.then((made) => withConverted(answer, made))
      : withConverted(answer, converted);
  }

  answerHeaders(head: UpstreamHead): string[] {
    const { facts, raw } = this.#context;
    const isEvents = facts.stream && raw.path?.framing !== 'json-array';
    return convertedHeaders(head, isEvents ? EVENT_STREAM : JSON_TYPE);
  }

  save(): void {
    const { deps, call } = this.#context;
    saveSignatures(deps.conversations, call.caller.account.id, this.#conversion.kept);
  }
}

function withConverted(
  answer: PlainAnswer,
  converted: readonly Buffer[] | AnswerError | undefined,
): PlainAnswer {
  if (converted === undefined) return { ...answer, valid: false };
  if ('status' in converted) return { ...answer, pieces: [encodeErrorBody(converted)], isError: true };
  return { ...answer, pieces: converted };
}

/** Some failed answers have no message, but all clients look for `error.message`. */
function encodeErrorBody({ status, type, message }: AnswerError): Buffer {
  return Buffer.from(JSON.stringify({ error: { code: status, type, message } }));
}

/** The vendor's rate-limit headers mean nothing in another protocol. Its request id helps its support. */
export function convertedHeaders({ headers }: UpstreamHead, contentType: string): string[] {
  const passed = ['content-type', contentType];
  const upstreamId = headers['x-request-id'] ?? headers['request-id'];
  if (upstreamId !== undefined && isHeaderValue(upstreamId)) passed.push('x-upstream-request-id', upstreamId);
  return passed;
}
