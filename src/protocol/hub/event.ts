import type { AnswerError, Finish, HubUsage, Logprob } from './answer.ts';
import type { Citation, ServerToolPart } from './part.ts';
import type { Signature } from './signature.ts';

/**
 * A streamed answer in steps. A decoder guarantees, for each choice: `start` comes first and once; parts come
 * one after the other and are never interleaved (if a vendor interleaves, its decoder orders them: later
 * parts wait until the open one ends); every delta belongs to the part opened last; a part ends where the
 * next one opens, at `part-end`, or at `finish`; `usage` is cumulative and may come before or after `finish`;
 * only `usage` and `end` follow `finish`. `end` is the vendor's terminator: without it the answer is not
 * complete.
 */
export type HubEvent =
  | { readonly kind: 'start'; readonly id: string | undefined; readonly usage: HubUsage | undefined }
  | { readonly kind: 'part'; readonly choice: number; readonly head: PartHead }
  | {
      readonly kind: 'delta';
      readonly choice: number;
      readonly text: string;
      readonly logprobs?: readonly Logprob[] | undefined;
    }
  /** What must be sent back with the open reasoning or text part. At most once, before the part ends. */
  | { readonly kind: 'signature'; readonly choice: number; readonly signature: Signature }
  | { readonly kind: 'citation'; readonly choice: number; readonly citation: Citation }
  | { readonly kind: 'part-end'; readonly choice: number }
  | { readonly kind: 'usage'; readonly usage: HubUsage }
  | { readonly kind: 'finish'; readonly choice: number; readonly finish: Finish }
  | { readonly kind: 'error'; readonly error: AnswerError }
  | { readonly kind: 'end' };

/**
 * The part that opens. Deltas carry text, visible reasoning, a call's raw arguments, or the text of a
 * refusal.
 */
export type PartHead =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning' }
  | { readonly kind: 'refusal' }
  | {
      readonly kind: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly namespace?: string | undefined;
      readonly custom: boolean;
      readonly signatures?: readonly Signature[] | undefined;
    }
  /** Complete at once. */
  | { readonly kind: 'image'; readonly mime: string; readonly base64: string }
  | ServerToolPart;

export type Emit = (event: HubEvent) => void;
