import type { Usage } from '../../kernel/usage.ts';
import type { Part } from './part.ts';

/** A vendor's plain answer in the form of the hub. */
export interface HubAnswer {
  /** The vendor's own id; `undefined` if it has none. */
  readonly id: string | undefined;
  /** At least one: an answer without any gets an empty one (rule C-52). */
  readonly choices: readonly Choice[];
  readonly usage: HubUsage | undefined;
  readonly serviceTier: string | undefined;
}

export interface Choice {
  readonly parts: readonly Part[];
  readonly finish: Finish;
  readonly logprobs?: readonly Logprob[] | undefined;
}

export interface Finish {
  readonly reason: FinishReason;
  readonly stopSequence?: string | undefined;
  /** Why the answer was filtered or refused, if the vendor gives a reason. */
  readonly message?: string | undefined;
}

export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'tool'
  | 'length'
  | 'context'
  | 'filter'
  | 'refusal'
  | 'pause';

/** Buckets that do not overlap, and two parts of them that some protocols show separately. */
export interface HubUsage extends Usage {
  /** The part of `cacheWrite` that lives for an hour. */
  readonly cacheWriteLong: number;
  /** The part of `inputFresh` for prompts of tools that ran at the vendor. */
  readonly toolPrompt: number;
}

export interface Logprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | undefined;
  readonly top: readonly {
    readonly token: string;
    readonly logprob: number;
    readonly bytes?: readonly number[] | undefined;
  }[];
}

/** An error in place of an answer: a 200 with `error`, or a Responses answer that failed. */
export interface AnswerError {
  readonly status: number;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly message: string;
}
