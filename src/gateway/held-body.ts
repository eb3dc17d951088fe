import { ownCopy } from '../kernel/own-copy.ts';
import type { BodyBudget } from './passage.ts';

/** The body of an answer that is not streamed, while it arrives; it counts in the share of its account. */
export class HeldBody {
  readonly #budget: BodyBudget;
  readonly #accountId: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #heldBytes = 0;

  constructor(budget: BodyBudget, accountId: number) {
    this.#budget = budget;
    this.#accountId = accountId;
  }

  add(chunk: Buffer, bytesMax: number): 'taken' | 'too-large' | 'no-room' {
    this.#bytes += chunk.length;
    if (this.#bytes > bytesMax) return 'too-large';
    if (!this.#budget.take(this.#accountId, chunk.length)) return 'no-room';
    this.#heldBytes += chunk.length;
    this.#chunks.push(ownCopy(chunk));
    return 'taken';
  }

  whole(): Buffer {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
  }

  /** Nothing is held here any longer; who asks gives these bytes back to the budget. */
  release(): number {
    const heldBytes = this.#heldBytes;
    this.#heldBytes = 0;
    this.#chunks = [];
    return heldBytes;
  }
}
