import type { Capabilities } from '../../kernel/capability.ts';
import type { Framing, RawRequest } from '../dialect.ts';
import type { AnswerError, HubAnswer } from './answer.ts';
import type { JsonObject } from './content/json.ts';
import type { Emit, HubEvent } from './event.ts';
import type { FieldNames, Notes } from './notes.ts';
import type { TextProtocol } from './protocol.ts';
import type { HubRequest } from './request.ts';

/**
 * What a protocol must be able to do so that it can be converted into every other one: its own words into the
 * hub's and back, for requests, answers and streams. No codec knows another one.
 *
 * Between decoding and encoding the hub does what does not depend on words (fit.ts, return.ts): tool names
 * and call ids that the other side accepts, results that follow their calls, blobs that go to their issuer
 * only.
 */
export interface Codec {
  readonly protocol: TextProtocol;
  /** Keys whose values stay raw text when a body is read: schemas, arguments of tools. */
  readonly rawKeys: ReadonlySet<string>;
  readonly rules: CodecRules;
  /** How its clients write the options of the hub, for the loss report. */
  readonly fields: FieldNames;
  /** A client's body. Throws `Inexpressible` for content nobody could carry; unknown options are noted. */
  decodeRequest(body: JsonObject, request: RawRequest, notes: Notes): HubRequest;
  /** The body for a vendor. Throws `Inexpressible` where the target has no place for content. */
  encodeRequest(request: HubRequest, target: Target, notes: Notes): JsonObject;
  /** A vendor's plain answer. */
  decodeAnswer(body: JsonObject, session: Session): HubAnswer | AnswerError;
  /** The answer for a client. */
  encodeAnswer(answer: HubAnswer, session: Session): JsonObject;
  createDecoder(session: Session, emit: Emit): StreamDecoder;
  createEncoder(session: Session, framing: Framing): StreamEncoder;
  /**
   * For a request that stays in its protocol but carries blobs in our envelopes, or blobs its vendor refused:
   * envelopes of this target are opened, all other ones go, with the parts that are nothing without them.
   */
  returnBlobs(body: JsonObject, target: Target): JsonObject;
}

/** What the hub must know of a protocol to make a request fit (rule C-24, rule C-32). */
export interface CodecRules {
  /** A tool name that may be sent as it is. */
  readonly toolName: RegExp;
  readonly toolNameMax: number;
  readonly callIdMax: number;
  /** The protocol groups tools in namespaces of its own. */
  readonly namespaces: boolean;
  /** The protocol itself has custom tools (the model may still lack them). */
  readonly customTools: boolean;
  /** The client protocol has a place for reasoning with a blob; false: blobs ride on the next tool call. */
  readonly carriesReasoning: boolean;
}

/** The vendor's side of a conversion. */
export interface Target {
  readonly protocol: TextProtocol;
  /** The vendor's name for the model. */
  readonly model: string;
  /** Names vendor, credential and model to the blobs; letters, digits and `-` only. */
  readonly issuer: string;
  readonly capabilities: Capabilities;
}

/** What one conversion must know on the way back. */
export interface Session {
  readonly request: HubRequest;
  readonly target: Target;
  /** The platform's name of the model, which answers show. */
  readonly modelId: string;
  /** Ids of ours are made from it, so that they are stable and unique: letters and digits only. */
  readonly callId: string;
  readonly createdAtS: number;
}

/**
 * Takes the vendor's events one by one; the payload is parsed already. Never throws, whatever comes. An event
 * that yields a single delta must not be kept: the next one may be read into the same object.
 */
export interface StreamDecoder {
  push(event: JsonObject): void;
  /** The vendor ended as its protocol demands; what is still open is closed. */
  finish(): void;
}

/** Makes the client's bytes. */
export interface StreamEncoder {
  push(event: HubEvent): void;
  /** The text made since the last call, whole events only; empty when there is none. */
  take(): string;
  /** The same as bytes, in place of `take`, by an encoder that has some of them ready. */
  takeBytes?(): Buffer;
  /** Responses numbers its events; nothing elsewhere. */
  readonly nextSequenceNumber: number | undefined;
}
