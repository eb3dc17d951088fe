import type { Capabilities } from '../../kernel/capability.ts';
import type { Framing, RawRequest } from '../dialect.ts';
import type { Figures } from '../meter/usage-report.ts';
import type { AnswerError, HubAnswer } from './answer.ts';
import type { JsonObject } from './content/json.ts';
import type { Emit, HubEvent } from './event.ts';
import type { FieldNames, Notes } from './notes.ts';
import type { TextProtocol } from './protocol.ts';
import type { HubRequest } from './request.ts';

/**
 * Converts one protocol to and from the hub: requests, answers and streams. No codec knows another one.
 *
 * Between decoding and encoding the hub does what is the same for all protocols (fit.ts, return.ts): tool
 * names and call ids that the other side accepts, results that follow their calls, signatures that go only to
 * their issuer.
 */
export interface Codec {
  readonly protocol: TextProtocol;
  /** Keys whose values stay raw text when a body is parsed: schemas, and arguments of tools. */
  readonly rawKeys: ReadonlySet<string>;
  readonly rules: CodecRules;
  /** The protocol's names for the options of the hub, for the loss report. */
  readonly fields: FieldNames;
  /**
   * Decodes a client's body. Throws `Inexpressible` for content that no protocol can carry; notes unknown
   * options.
   */
  decodeRequest(body: JsonObject, request: RawRequest, notes: Notes): HubRequest;
  /** Encodes the body for a vendor. Throws `Inexpressible` for content that the target cannot carry. */
  encodeRequest(request: HubRequest, target: Target, notes: Notes): JsonObject;
  /** Decodes a vendor's plain answer. `figures` is the usage that the vendor's dialect read in it. */
  decodeAnswer(body: JsonObject, session: Session, figures?: Figures): HubAnswer | AnswerError;
  /** Encodes the answer for a client. */
  encodeAnswer(answer: HubAnswer, session: Session): JsonObject;
  createDecoder(session: Session, emit: Emit): StreamDecoder;
  createEncoder(session: Session, framing: Framing): StreamEncoder;
  /**
   * For a request that stays in its protocol but has signatures in our envelopes, or signatures that its
   * vendor refused. Envelopes of this target are opened. All others are removed, with the parts that mean
   * nothing without them.
   */
  returnSignatures(body: JsonObject, target: Target): JsonObject;
}

/** What the hub must know about a protocol to make a request fit (rule C-24, rule C-32). */
export interface CodecRules {
  /** A tool name that may be sent unchanged. */
  readonly toolName: RegExp;
  readonly toolNameMax: number;
  readonly callIdMax: number;
  /** The protocol groups tools in namespaces. */
  readonly namespaces: boolean;
  /** The protocol has custom tools. The model may still lack them. */
  readonly customTools: boolean;
  /**
   * The client protocol has a field for reasoning with a signature. False: signatures are attached to the
   * next tool call.
   */
  readonly carriesReasoning: boolean;
}

/** The vendor's side of a conversion. */
export interface Target {
  readonly protocol: TextProtocol;
  /** The vendor's name for the model. */
  readonly model: string;
  /** Identifies vendor, credential and model for signatures. Letters, digits and `-` only. */
  readonly issuer: string;
  readonly capabilities: Capabilities;
}

/** What one conversion must know for the answer. */
export interface Session {
  readonly request: HubRequest;
  readonly target: Target;
  /** The platform's name of the model, which answers show. */
  readonly modelId: string;
  /** Ids of ours are derived from it, so that they are stable and unique. Letters and digits only. */
  readonly callId: string;
  readonly createdAtS: number;
}

/**
 * Takes the vendor's events one by one, already parsed. It never throws, whatever arrives. It must not keep
 * an event that yields a single delta: the next event may be read into the same object.
 */
export interface StreamDecoder {
  /** `figures` is the usage that the vendor's dialect read in the event, if there is any. */
  push(event: JsonObject, figures?: Figures): void;
  /** The vendor ended as its protocol demands. Everything that is still open is closed. */
  finish(): void;
}

/** Makes the client's bytes. */
export interface StreamEncoder {
  push(event: HubEvent): void;
  /** The text made since the last call: whole events only, empty if there are none. */
  take(): string;
  /** The same as bytes, instead of `take`, for an encoder that has some of them ready. */
  takeBytes?(): Buffer;
  /** Responses numbers its events. `undefined` elsewhere. */
  readonly nextSequenceNumber: number | undefined;
}
