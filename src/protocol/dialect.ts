import type { LentBytes } from '../kernel/encoding/lent-bytes.ts';
import type { Refusal } from '../kernel/errors.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Usage } from '../kernel/usage.ts';
import type { Figures } from './meter/usage-report.ts';

/**
 * What the gateway needs of a protocol when client and vendor use the same one: find values in the bytes,
 * replace what rule I-21 lists, and count what passes. Nothing is parsed and serialized again.
 */
export interface Dialect {
  readonly protocol: Protocol;
  /** What the gateway acts on in a JSON request. A value of another kind is refused. */
  readonly members: readonly RequestMember[];
  /**
   * Finds what the pipeline needs to know about a request. Large bodies are scanned in slices, hence the
   * promise.
   */
  readRequest(request: RawRequest): RequestFacts | Refusal | Promise<RequestFacts | Refusal>;
  /** The body to send upstream: the client's bytes with `model` replaced, and what else rule I-21 lists. */
  spliceRequest(request: RawRequest, facts: RequestFacts, forwardModel: string): readonly Buffer[];
  /** Reads a plain answer: its usage, and the answer with the platform's model name. */
  readResponse(body: Buffer, modelId: string): PlainAnswer;
  /** Not all models of a vendor stream: one may answer a call for a stream with a plain answer. */
  readonly mayNotStream?: true;
  /** A relay for one streamed answer. */
  relayStream(framing: Framing, facts: RequestFacts, modelId: string): VendorRelay;
  /**
   * Counts the input of a request with the tokenizer; its files count as in the facts. Not for every call.
   */
  countInput(request: RawRequest, facts: CountedFacts): number;
  /** One error event in the client's protocol, for a stream that has already begun (rule C-62). */
  encodeStreamError(framing: Framing, error: StreamError): Buffer;
  /** The bytes that are sent between events while the vendor is silent (rule I-38). */
  keepAlive(framing: Framing, headers: ClientHeaders): Buffer;
}

export interface RequestMember {
  /** From the top of the body: `stream_options.include_usage`. */
  readonly path: string;
  readonly kinds: readonly MemberKind[];
}

/** What a member that the gateway acts on may be. `null` always counts as absent. */
export type MemberKind =
  | 'text'
  | 'list'
  | 'object'
  | 'flag'
  /** How many answers or images. */
  | 'count'
  /** The longest answer. Vendors take a negative one as no limit. */
  | 'limit'
  /** Another reader judges the value, or the gateway acts on its presence alone. */
  | 'any';

/** What counting takes from the facts, because it was found while the request was read. */
export type CountedFacts = Pick<RequestFacts, 'form' | 'mediaTokens' | 'inputTokensLikely'>;

/** The client's headers, unchanged: a few clients need special treatment. */
export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `sse`, Google's growing JSON array (`:streamGenerateContent` without `alt=sse`), or bytes as they come. */
export type Framing = 'sse' | 'json-array' | 'bytes';

export interface RawRequest {
  readonly body: Buffer;
  /** The `content-type` header with its parameters. Images calls may be multipart. */
  readonly contentType: string;
  /** generateContent has model and streaming in the path. `undefined` for other protocols. */
  readonly path:
    | {
        readonly model: string;
        readonly stream: boolean;
        readonly framing: Framing;
        /** `:batchEmbedContents`: many requests in one. */
        readonly batch?: true;
      }
    | undefined;
  /** The model of a request that names none, where the protocol allows that. */
  readonly defaultModel?: string | undefined;
  /** Responses: the response that this request continues, if its conversation was put into the body. */
  readonly previousResponseId?: string;
  /** Responses: the conversation that was put into the body, and the new items for it. */
  readonly conversation?: { readonly id: string; readonly items: readonly Buffer[] };
}

export interface RequestFacts {
  readonly model: string;
  readonly stream: boolean;
  /**
   * Byte ranges of the values of every top-level `model`. All duplicates are replaced; the last one counts.
   * Empty for a form, which is written again, and for a request that names no model.
   */
  readonly modelRanges: readonly ByteRange[];
  /** The largest value of `max_tokens` and similar fields. `undefined` if absent or not determinable. */
  readonly outputTokensMax: number | undefined;
  /** The call generates no text, so what it may cost is known before: all of it is held. */
  readonly isFixed?: true;
  /** The number of requested answers (`n`, `candidateCount`), at least 1. Each may use `outputTokensMax`. */
  readonly answers: number;
  /**
   * Images requested by an Images call (`n`, default 1), at most IMAGES_PER_CALL_MAX. 0 for text protocols.
   */
  readonly images: number;
  /** The call asks for a video, which is made after its answer. */
  readonly videos?: 1;
  /** The answer names work of the vendor that goes on after it. */
  readonly job?: 'video' | 'batch' | 'message-batch';
  /** An upper estimate of the input for windows and holds, by bytes, pages, pixels and seconds. */
  readonly inputTokensEstimate: number;
  /**
   * The same estimate without the safety margin. It is charged if nothing better is known about the input.
   */
  readonly inputTokensLikely?: number;
  /** Reranking only: the search units that its documents are at least, where a vendor counts those. */
  readonly unitsLikely?: number;
  /** Transcriptions only: the seconds of the sound, and the most that it has, where a vendor counts those. */
  readonly secondsLikely?: number;
  readonly secondsMost?: number;
  /** The tokens of the request's files, which both estimates include. */
  readonly mediaTokens?: number;
  /**
   * Some string of the body is an envelope of ours, with signatures that the vendor of this protocol cannot
   * read.
   */
  readonly holdsEnvelope: boolean;
  /** Chat streams only: the client did not ask for usage, so we ask for it and remove it from the answer. */
  readonly usageInjected: boolean;
  /** Where and how `include_usage` is inserted. Private to the chat dialect. */
  readonly usageSplice: { readonly at: ByteRange; readonly text: string } | undefined;
  /** Images: the call has input images, so it goes to `/images/edits` upstream. */
  readonly edit: boolean;
  /** Images only: the request is a form, which is written again for the vendor. */
  readonly form?: Form;
  /** Responses only: the request may use the vendor's own image tool. */
  readonly imageTool?: boolean;
  /** Responses only: references to earlier answers, and whether this answer is stored. */
  readonly memory?: MemoryFacts;
}

/** A form for the vendor: a new boundary, and the parts of the client's form. */
export interface Form {
  readonly boundary: string;
  readonly parts: readonly FormPart[];
}

/** One part of a form: its field, the range of its content, and the file headers if it is a file. */
export interface FormPart {
  readonly name: string;
  readonly content: ByteRange;
  readonly file?: { readonly name: string; readonly type: string | undefined };
}

export interface MemoryFacts {
  /** Every `input` and `previous_response_id`. The last one counts, and all of them are replaced. */
  readonly inputs: readonly ByteRange[];
  readonly previous: readonly ByteRange[];
  /** Every `conversation` that is given. */
  readonly conversation: readonly ByteRange[];
  /** The request continues something that is stored, or refers to it: the body is completed first. */
  readonly refers: boolean;
  /** The request is too large to be completed or stored. */
  readonly isTooMuch: boolean;
  /** The answer is stored unless the request has `store: false`. */
  readonly keep: boolean;
  /** Every `background` that is true: the call goes on after its client has a first answer. */
  readonly background: readonly ByteRange[];
  /** A field for something that a gateway cannot do: stored prompts. */
  readonly unserved: string | undefined;
}

/** Half-open: `end` is the first byte after the range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface PlainAnswer {
  /** The answer for the client, as pieces of the vendor's own bytes. */
  readonly pieces: readonly Buffer[];
  /**
   * `undefined` if the vendor reported none, or an absurd one: the caller estimates it with `outputTokens`.
   */
  readonly usage: Usage | undefined;
  /** The usage as the vendor reported it, for a conversion. */
  readonly figures?: Figures;
  /** The number of images in the answer. It is charged if the usage is missing. */
  readonly images?: number;
  /** The vendor's id of work that goes on after this answer. */
  readonly jobId?: string | undefined;
  /** The tokens of the generated text. Called only if the usage is missing. */
  outputTokens(): number;
  /** False: the body is not a JSON object of this dialect (for example an HTML page with status 200). */
  readonly valid: boolean;
  /** True: a 200 with only an `error` object (rule C-9). */
  readonly isError: boolean;
}

/**
 * One streamed answer. `push` takes the vendor's bytes as they arrive, split anywhere, and returns the bytes
 * to send now: whole events only, each in the push that completed it. Usually a chunk contains whole events
 * and nothing to replace, and then the same buffer is returned. The chunk and the returned bytes are lent: a
 * relay copies what it keeps.
 */
export interface StreamRelay {
  readonly push: (chunk: LentBytes) => LentBytes | undefined;
  /**
   * The vendor's answer ended: returns the rest to forward (a tail without its blank line, a missing
   * terminator), and whether the answer was complete.
   */
  finish(end?: BodyEnd): { readonly rest: Buffer | undefined; readonly complete: boolean };
  /** The kind of the stream's first event. The 200 is sent only after it is known. */
  readonly first: 'none' | 'data' | 'error' | 'foreign';
  /** The text of the first event's error, if `first` is `error`. */
  readonly firstError: string | undefined;
  /** An error event passed: the stream is not complete, whatever follows. */
  readonly failed: boolean;
  /**
   * The terminator of rule I-34 passed (Chat `[DONE]`, `message_stop`, `response.completed` and similar,
   * `finishReason`).
   */
  readonly terminated: boolean;
  /** Nothing can follow this terminator: the answer is complete, however the vendor ends. */
  readonly concluded: boolean;
  /**
   * The end of the answer was seen: everything that began has ended, and only the vendor's usage may be
   * missing. New content makes it false again.
   */
  readonly ended: boolean;
  /** The number of events so far with output of the model. */
  readonly generatedEvents: number;
  /** The vendor showed that the model reasons in this answer, with or without the text of the reasoning. */
  readonly reasoned: boolean;
  /** The vendor's usage has arrived and covers all output: `usage` has nothing to count. */
  readonly reported: boolean;
  /**
   * The bytes that are kept for an unfinished event. Above STREAM_EVENT_BYTES_MAX the relay is `overflowed`.
   */
  readonly heldBytes: number;
  readonly overflowed: boolean;
  /** The vendor mixed another answer into this one: nothing that follows belongs to it. */
  readonly broken: boolean;
  /** True between events: a keep-alive may be sent. */
  readonly atBoundary: boolean;
  /** Responses: the number after the last event's, for an error event of ours. `undefined` elsewhere. */
  readonly nextSequenceNumber: number | undefined;
  /**
   * The usage so far: the reported figures, and the tokenizer's count for what was not reported. Expensive:
   * call it at most once a second. `images` counts finished images; if the client leaves early, the caller
   * charges the requested ones.
   */
  usage(): StreamUsage;
}

/**
 * How a body ended: with its last chunk or at its full length (`counted`), or only with the connection
 * (`closed`), which looks the same if the vendor crashes.
 */
export type BodyEnd = 'counted' | 'closed';

/**
 * Takes the data of one event, and the usage that the relay read in it, if there is any. The bytes are valid
 * until the next event.
 */
export type TakeEvent = (
  payload: LentBytes,
  start: number,
  end: number,
  figures: Figures | undefined,
) => void;

/** The relay of a protocol's own stream. A conversion may use it too. */
export interface VendorRelay extends StreamRelay {
  /** From now on whole events go to `take` unchanged, and no bytes are returned. */
  divert(take: TakeEvent): void;
}

export interface StreamUsage {
  readonly usage: Usage;
  /** Some figure of `usage` was counted by us. */
  readonly estimated: boolean;
  /** The vendor reported its input figures. Otherwise the caller adds its own estimate. */
  readonly inputReported: boolean;
}

export interface StreamError {
  readonly code: number;
  readonly status: number;
  readonly message: string;
  /** Responses numbers its events: the relay's `nextSequenceNumber`, if it is known. */
  readonly sequenceNumber?: number | undefined;
}
