import type { Refusal } from '../kernel/errors.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Usage } from '../kernel/usage.ts';

/**
 * What the gateway asks of a protocol when client and vendor speak the same one: find what it must know in
 * the bytes, replace what rule I-21 lists, and count what passes. Nothing is parsed and printed again.
 */
export interface Dialect {
  readonly protocol: Protocol;
  /**
   * Reads what the pipeline must know of a request. Large bodies are scanned in slices, hence the promise.
   */
  readRequest(request: RawRequest): RequestFacts | Refusal | Promise<RequestFacts | Refusal>;
  /** The body to send upstream: the client's bytes with `model` (and what rule I-21 lists) replaced. */
  spliceRequest(request: RawRequest, facts: RequestFacts, forwardModel: string): readonly Buffer[];
  /** Reads a plain answer: its usage, and the answer with the platform's model name in it. */
  readResponse(body: Buffer, facts: RequestFacts, modelId: string): PlainAnswer;
  /** A relay for one streamed answer. */
  relayStream(framing: Framing, facts: RequestFacts, modelId: string): VendorRelay;
  /** Counts the input of a request with the tokenizer, and its files by the facts; off the steady path. */
  countInput(request: RawRequest, facts: Pick<RequestFacts, 'form' | 'mediaTokens'>): number;
  /** One error in the client's own form, for a stream that already began (rule C-62). */
  encodeStreamError(framing: Framing, error: StreamError): Buffer;
  /** What to send while the vendor is silent, only between events (rule I-38). */
  keepAlive(framing: Framing, headers: ClientHeaders): Buffer;
}

/** The client's, as they came: a few clients must be spoken with in their own way. */
export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `sse`, or Google's JSON array that grows (`:streamGenerateContent` without `alt=sse`). */
export type Framing = 'sse' | 'json-array';

export interface RawRequest {
  readonly body: Buffer;
  /** The `content-type` header as sent, parameters included; images may be multipart. */
  readonly contentType: string;
  /** generateContent carries model and streaming in the path; nothing for the others. */
  readonly path: { readonly model: string; readonly stream: boolean; readonly framing: Framing } | undefined;
  /** Responses: the response this one continues, when its conversation was put into the body for it. */
  readonly previousResponseId?: string;
}

export interface RequestFacts {
  readonly model: string;
  readonly stream: boolean;
  /**
   * Byte ranges of the values of every top-level `model` (duplicates are all replaced; the last one counts).
   * Of a form none: it is written anew.
   */
  readonly modelRanges: readonly ByteRange[];
  /** `max_tokens` and its like, the largest a vendor may read; nothing when absent or not to be told. */
  readonly outputTokensMax: number | undefined;
  /** Answers asked for at once (`n`, `candidateCount`), at least 1: each may use `outputTokensMax`. */
  readonly answers: number;
  /**
   * Images asked for by an Images call (`n`, default 1), bounded by IMAGES_PER_CALL_MAX; 0 for text
   * protocols.
   */
  readonly images: number;
  /** An upper figure of the input, for windows and holds: by bytes, pages, pixels and seconds. */
  readonly inputTokensEstimate: number;
  /** The same without what is added to be safe: what a call has used that we know nothing else of. */
  readonly inputTokensLikely?: number;
  /** What the files of the request come to, in both figures. */
  readonly mediaTokens?: number;
  /** Some string of the body is an envelope of ours, with blobs that its vendor does not know. */
  readonly holdsEnvelope: boolean;
  /** Chat streams only: the client did not ask for usage, so we ask for it and keep it from the client. */
  readonly usageInjected: boolean;
  /** Where and how `include_usage` is put in; private to the chat dialect. */
  readonly usageSplice: { readonly at: ByteRange; readonly text: string } | undefined;
  /** Images: the call carries input images, so it goes to `/images/edits` upstream. */
  readonly edit: boolean;
  /** Images only: the request is a form, which is written anew for the vendor. */
  readonly form?: Form;
  /** Responses only: the request may bring the vendor's own tool that makes pictures. */
  readonly imageTool?: boolean;
  /** Responses only: what the request says about earlier answers, and about the keeping of its own. */
  readonly memory?: MemoryFacts;
}

/** A form as it goes on: its own boundary, and what the client's one held. */
export interface Form {
  readonly boundary: string;
  readonly parts: readonly FormPart[];
}

/** One part of a form: its field, where its content stands, and what is said of it if it is a file. */
export interface FormPart {
  readonly name: string;
  readonly content: ByteRange;
  readonly file?: { readonly name: string; readonly type: string | undefined };
}

export interface MemoryFacts {
  /** Every `input` and `previous_response_id`; the last one counts, and all of them are replaced. */
  readonly inputs: readonly ByteRange[];
  readonly previous: readonly ByteRange[];
  /** It continues a response, or may refer to an item of one: the body must be completed before. */
  readonly refers: boolean;
  /** It is more than is looked into: it can be neither completed nor kept. */
  readonly isTooMuch: boolean;
  /** Without `store: false` the answer is to be kept. */
  readonly keep: boolean;
  /** A field that asks for what a gateway cannot do: stored prompts and conversations, background work. */
  readonly unserved: string | undefined;
}

/** Half-open: `end` is the first byte after. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface PlainAnswer {
  /** The answer for the client, as pieces of the upstream's own bytes. */
  readonly pieces: readonly Buffer[];
  /** Nothing when the vendor reported none (or an absurd one): the caller estimates with `outputTokens`. */
  readonly usage: Usage | undefined;
  /** Images that were found in the answer: what is charged when the usage is missing. */
  readonly images?: number;
  /** The generated text in tokens, counted only when the usage is missing. */
  outputTokens(): number;
  /** False: the body is not a JSON object of this dialect at all (an HTML page with status 200). */
  readonly valid: boolean;
  /** True: a 200 that carries only an `error` object (rule C-9). */
  readonly isError: boolean;
}

/**
 * One streamed answer on its way. `push` takes the upstream's bytes as they come, split anywhere, and gives
 * back the bytes to send now: whole events only, each in the push that completed it. In the usual case (the
 * chunk holds whole events and nothing to replace) it is the very same buffer. The chunk is lent, and so is
 * what comes back: a relay copies what it holds back.
 */
export interface StreamRelay {
  push(chunk: Buffer): Buffer | undefined;
  /**
   * The upstream ended: what is left to forward (a tail without its blank line, a terminator that it left
   * out), and whether it was complete.
   */
  finish(end?: BodyEnd): { readonly rest: Buffer | undefined; readonly complete: boolean };
  /** What the first event of the stream was; awaited before the 200 is committed. */
  readonly first: 'none' | 'data' | 'error' | 'foreign';
  /** The text of the first event's error, when `first` is `error`. */
  readonly firstError: string | undefined;
  /** An error event passed by: the stream is not complete whatever follows. */
  readonly failed: boolean;
  /**
   * The terminator of rule I-34 passed by (Chat `[DONE]`, `message_stop`, `response.completed` and its like,
   * `finishReason`).
   */
  readonly terminated: boolean;
  /** It was a terminator behind which nothing can follow: however the vendor ends, the answer is complete. */
  readonly concluded: boolean;
  /**
   * The end of the answer was seen: all that was begun is written, and only the vendor's figures may be
   * missing. What begins after all makes it false again.
   */
  readonly ended: boolean;
  /** Events so far that held something the model wrote. */
  readonly generatedEvents: number;
  /** The vendor showed that the model reasons in this answer, whether or not it showed the words. */
  readonly reasoned: boolean;
  /** The vendor's figures are here, and cover all that was generated: `usage` has nothing to count. */
  readonly reported: boolean;
  /** The bytes held back for an unfinished event; over STREAM_EVENT_BYTES_MAX the relay is `overflowed`. */
  readonly heldBytes: number;
  readonly overflowed: boolean;
  /** True between events: a keep-alive may be sent. */
  readonly atBoundary: boolean;
  /** Responses: the number after the last event's, for an error of ours; nothing elsewhere. */
  readonly nextSequenceNumber: number | undefined;
  /**
   * Usage so far: what was reported, with the tokenizer's count for what was not. Costs time; at most once a
   * second. `images` counts finished images; when the client leaves early, the caller charges those it asked
   * for.
   */
  usage(): StreamUsage;
}

/**
 * How a body ended: with its last chunk or at its full length, or only with the connection, which looks the
 * same when the vendor dies.
 */
export type BodyEnd = 'counted' | 'closed';

/** Takes the data of one event; its bytes are good until the next one. */
export type TakeEvent = (payload: Buffer, start: number, end: number) => void;

/** The relay of a protocol's own stream, which may also serve a conversion of it. */
export interface VendorRelay extends StreamRelay {
  /** Whole events go to `take` from now on, as they came, and no bytes are handed out. */
  divert(take: TakeEvent): void;
}

export interface StreamUsage {
  readonly usage: Usage;
  /** Some figure of `usage` was counted by us. */
  readonly estimated: boolean;
  /** The vendor reported its input figures; otherwise the caller puts its own estimate in. */
  readonly inputReported: boolean;
}

export interface StreamError {
  readonly code: number;
  readonly status: number;
  readonly message: string;
  /** Responses numbers its events: the relay's `nextSequenceNumber`, where it is known. */
  readonly sequenceNumber?: number | undefined;
}
