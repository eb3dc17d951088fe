import type { Usage } from '../../kernel/usage.ts';
import type { Part } from './part.ts';

/** An answer as the vendor meant it. */
export interface HubAnswer {
  /** The vendor's own id, nothing where it has none. */
  readonly id: string | undefined;
  /** At least one: an answer without any has an empty one (rule C-52). */
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
  /** Why it was filtered or refused, where the vendor says so. */
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

/** Buckets that do not overlap, and two parts of them that some protocols show apart. */
export interface HubUsage extends Usage {
  /** Of `cacheWrite`: written to live for an hour. */
  readonly cacheWriteLong: number;
  /** Of `inputFresh`: prompts of tools that ran at the vendor. */
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

/** An error the vendor put where an answer should be: a 200 with `error`, a Responses answer that failed. */
export interface AnswerError {
  readonly status: number;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly message: string;
}
