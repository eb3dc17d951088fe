import type { ServerResponse } from 'node:http';
import type { BodyBudget } from './attempt-context.ts';

/** Smaller events are not counted: most events arrive whole. */
const COUNTED_BYTES_MIN = 256 * 1024;

/** Counts a large unfinished event of a stream in its account's share of body memory. */
export class EventShare {
  readonly #budget: BodyBudget;
  readonly #accountId: number;
  readonly #response: Pick<ServerResponse, 'closed' | 'once'>;
  #heldBytes = 0;
  #isWatched = false;

  constructor(budget: BodyBudget, accountId: number, response: Pick<ServerResponse, 'closed' | 'once'>) {
    this.#budget = budget;
    this.#accountId = accountId;
    this.#response = response;
  }

  /** Sets how many bytes are held now. False: there is not enough memory for them. */
  hold(bytes: number): boolean {
    const counted = bytes > COUNTED_BYTES_MIN ? bytes : 0;
    if (counted === this.#heldBytes) return true;
    if (counted < this.#heldBytes) {
      this.#budget.give(this.#accountId, this.#heldBytes - counted);
      this.#heldBytes = counted;
      return true;
    }
    // The client has left and the vendor is read only for its usage: no later step would release the bytes.
    if (this.#response.closed) return true;
    if (!this.#budget.take(this.#accountId, counted - this.#heldBytes)) return false;
    this.#heldBytes = counted;
    if (!this.#isWatched) this.#response.once('close', () => this.hold(0));
    this.#isWatched = true;
    return true;
  }
}
