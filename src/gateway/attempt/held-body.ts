import { joinPieces } from '../../kernel/async/next-turn.ts';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import { OUTLINED_BYTES_MIN } from '../../protocol/bounds.ts';
import { Outline } from '../../protocol/bytes/outline.ts';
import type { BodyBudget } from './attempt-context.ts';

/** Collects the body of an answer that is not streamed. It counts in the account's share of body memory. */
export class HeldBody {
  readonly #budget: BodyBudget;
  readonly #accountId: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #heldBytes = 0;
  /** Set for a large body. */
  outline: Outline | undefined;

  constructor(budget: BodyBudget, accountId: number) {
    this.#budget = budget;
    this.#accountId = accountId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: LentBytes, bytesMax: number): 'taken' | 'too-large' | 'no-room' {
    this.#bytes += chunk.length;
    if (this.#bytes > bytesMax) return 'too-large';
    if (!this.#budget.take(this.#accountId, chunk.length)) return 'no-room';
    this.#heldBytes += chunk.length;
    this.#chunks.push(ownCopy(chunk));
    if (this.#bytes > OUTLINED_BYTES_MIN) this.#outlineOn(chunk);
    return 'taken';
  }

  #outlineOn(chunk: LentBytes): void {
    if (this.outline !== undefined) {
      this.outline.push(chunk);
      return;
    }
    this.outline = new Outline();
    for (const earlier of this.#chunks) this.outline.push(earlier);
  }

  /** A promise if the body is so large that joining its pieces takes several turns. */
  whole(): Buffer | Promise<Buffer> {
    return joinPieces(this.#chunks, this.#bytes);
  }

  /** Forgets the body and returns its size. The caller gives these bytes back to the budget. */
  release(): number {
    const heldBytes = this.#heldBytes;
    this.#heldBytes = 0;
    this.#chunks = [];
    return heldBytes;
  }
}
