import {
  OUTPUT_SPEED_DEFAULT,
  OUTPUT_SPEED_MAX,
  OUTPUT_SPEED_MS,
  OUTPUT_SPEED_TOKENS_MIN,
} from '../../bounds.ts';

/** What the newest call weighs: a vendor's speed changes with the hour. */
const NEWEST = 0.2;
/** Shares of answers with reasoning. */
const USUALLY = 0.7;
const SOMETIMES = 0.01;

/** A complete answer, as its vendor reported it. */
export interface Measured {
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** From the head of the answer to its end, without the time in which the client did not read. */
  readonly ms: number;
}

/** How fast a route's model writes, and whether it was seen to reason. */
export class OutputSpeed {
  #tokensPerSecond: number | undefined;
  /** The share of answers with reasoning, the newest weighing most. */
  #reasoned = 0;

  /** Measured over complete streams; a usual one until there was any. */
  get tokensPerSecond(): number {
    return this.#tokensPerSecond ?? OUTPUT_SPEED_DEFAULT;
  }

  /** Some answer of late had reasoning tokens in its usage, or nearly all of them had. */
  get reasons(): 'never' | 'sometimes' | 'usually' {
    if (this.#reasoned > USUALLY) return 'usually';
    return this.#reasoned > SOMETIMES ? 'sometimes' : 'never';
  }

  /** A short stream tells more of the network than of the model. */
  measure({ outputTokens, reasoningTokens, ms }: Measured): void {
    this.noteReasoning(reasoningTokens);
    if (outputTokens < OUTPUT_SPEED_TOKENS_MIN) return;
    const measured = Math.min((outputTokens * 1_000) / Math.max(ms, 1), OUTPUT_SPEED_MAX);
    const before = this.#tokensPerSecond ?? measured;
    this.#tokensPerSecond = before + (measured - before) * NEWEST * Math.min(1, ms / OUTPUT_SPEED_MS);
  }

  /** Of a plain answer, whose head comes when it is made. */
  noteReasoning(reasoningTokens: number): void {
    const share = reasoningTokens > 0 ? 1 : 0;
    // The first answer with reasoning is believed at once.
    this.#reasoned = this.#reasoned === 0 ? share : this.#reasoned + (share - this.#reasoned) * NEWEST;
  }
}
