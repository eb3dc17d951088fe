import {
  OUTPUT_SPEED_DEFAULT,
  OUTPUT_SPEED_MAX,
  OUTPUT_SPEED_MS,
  OUTPUT_SPEED_TOKENS_MIN,
} from '../../bounds.ts';

/** The weight of the newest call. A vendor's speed changes with the hour. */
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

/** How fast a route's model writes, and whether it has reported reasoning. */
export class OutputSpeed {
  #tokensPerSecond: number | undefined;
  /** The share of answers with reasoning. The newest count most. */
  #reasoned = 0;
  #firstTokenMs: number | undefined;

  /** Measured over complete streams; a default before the first. */
  get tokensPerSecond(): number {
    return this.#tokensPerSecond ?? OUTPUT_SPEED_DEFAULT;
  }

  /** Whether recent answers had reasoning tokens in their usage: some, or nearly all. */
  get reasons(): 'never' | 'sometimes' | 'usually' {
    if (this.#reasoned > USUALLY) return 'usually';
    return this.#reasoned > SOMETIMES ? 'sometimes' : 'never';
  }

  /** A short stream measures the network more than the model. */
  measure({ outputTokens, reasoningTokens, ms }: Measured): void {
    this.noteReasoning(reasoningTokens);
    if (outputTokens < OUTPUT_SPEED_TOKENS_MIN) return;
    const measured = Math.min((outputTokens * 1_000) / Math.max(ms, 1), OUTPUT_SPEED_MAX);
    const before = this.#tokensPerSecond ?? measured;
    this.#tokensPerSecond = before + (measured - before) * NEWEST * Math.min(1, ms / OUTPUT_SPEED_MS);
  }

  /** From the begin of an attempt to the first event of its stream. Undefined before the first stream. */
  get firstTokenMs(): number | undefined {
    return this.#firstTokenMs;
  }

  noteFirstToken(ms: number): void {
    this.#firstTokenMs =
      this.#firstTokenMs === undefined ? ms : this.#firstTokenMs + (ms - this.#firstTokenMs) * NEWEST;
  }

  /** A plain answer, whose head comes when it is complete. */
  noteReasoning(reasoningTokens: number): void {
    const share = reasoningTokens > 0 ? 1 : 0;
    // The first answer with reasoning counts at once.
    this.#reasoned = this.#reasoned === 0 ? share : this.#reasoned + (share - this.#reasoned) * NEWEST;
  }
}
