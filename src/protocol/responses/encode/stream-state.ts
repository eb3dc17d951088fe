import type { Finish, HubUsage, Logprob } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import type { JsonValue } from '../../hub/content/json.ts';
import type { Citation } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';
import type { TypedTool } from '../typed-tools.ts';
import type { LongTexts } from './long-texts.ts';
import type { CallHead } from './output-item.ts';

/** The state of a stream for a client. */
export interface EncoderState {
  readonly session: Session;
  readonly typed: ReadonlyMap<string, TypedTool>;
  out: string;
  readonly longTexts: LongTexts;
  sequence: number;
  isStarted: boolean;
  /** The terminator or an error was sent: nothing may follow. */
  isOver: boolean;
  item: OpenItem | undefined;
  /** The finished items: the last event repeats them all. */
  readonly items: JsonValue[];
  hasRefusal: boolean;
  usage: HubUsage | undefined;
  finish: Finish | undefined;
}

export type OpenItem = OpenMessage | OpenReasoning | OpenCall;

/** Stays open from part to part, as long as only text comes. */
export interface OpenMessage {
  readonly kind: 'message';
  readonly id: string;
  readonly place: string;
  readonly content: JsonValue[];
  part: OpenWords | undefined;
}

export interface OpenWords {
  readonly kind: 'text' | 'refusal';
  /** The constant parts of a delta event: up to its number, and from there to the delta. */
  readonly place: string;
  text: string;
  /** The same text with JSON escapes: each delta is escaped once, and the whole never again. */
  quoted: string;
  readonly logprobs: Logprob[];
  readonly citations: Citation[];
}

/** Announced with its first character or at its end: empty thinking is not an item. */
export interface OpenReasoning {
  readonly kind: 'reasoning';
  id: string;
  place: string;
  text: string;
  signature: Signature | undefined;
}

export interface OpenCall {
  readonly kind: 'call';
  readonly id: string;
  readonly place: string;
  readonly head: CallHead;
  readonly typed: TypedTool | undefined;
  text: string;
}

/** Writes one event; `fields` is the rest of its JSON, from the comma before the next field. */
export function write(state: EncoderState, type: string, fields: string): void {
  state.out += `event: ${type}\ndata: {"type":"${type}","sequence_number":${state.sequence++}${fields}}\n\n`;
}
