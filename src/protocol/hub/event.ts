import type { AnswerError, Finish, HubUsage, Logprob } from './answer.ts';
import type { Blob } from './blob.ts';
import type { Citation, ServerToolPart } from './part.ts';

/**
 * A streamed answer in steps. What a decoder promises, for each choice: `start` first and once; parts one
 * after the other, never interleaved (a vendor that interleaves is put in order by its decoder: later parts
 * wait until the open one ends); every delta belongs to the part opened last; a part ends where the next one
 * opens, at `part-end`, or at `finish`; `usage` is cumulative and may come before or after `finish`; nothing
 * but `usage` and `end` follows `finish`. `end` is the vendor's terminator: without it nothing was complete.
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
  /** What must come back with the open reasoning or text part; at most once, before the part ends. */
  | { readonly kind: 'blob'; readonly choice: number; readonly blob: Blob }
  | { readonly kind: 'citation'; readonly choice: number; readonly citation: Citation }
  | { readonly kind: 'part-end'; readonly choice: number }
  | { readonly kind: 'usage'; readonly usage: HubUsage }
  | { readonly kind: 'finish'; readonly choice: number; readonly finish: Finish }
  | { readonly kind: 'error'; readonly error: AnswerError }
  | { readonly kind: 'end' };

/** What opens. Deltas carry a text, visible reasoning, a call's arguments (raw) or the text of a refusal. */
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
      readonly blobs?: readonly Blob[] | undefined;
    }
  /** Whole at once. */
  | { readonly kind: 'image'; readonly mime: string; readonly base64: string }
  | ServerToolPart;

export type Emit = (event: HubEvent) => void;
