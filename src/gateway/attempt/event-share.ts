import type { ServerResponse } from 'node:http';
import type { BodyBudget } from './attempt-context.ts';

/** Smaller ones are not worth a count: most events are whole when they come. */
const COUNTED_BYTES_MIN = 256 * 1024;

/** An unfinished event of a stream counts in its account's share of the bodies, once it is large. */
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

  /** So many bytes are held now; false when there is no room for them. */
  hold(bytes: number): boolean {
    const counted = bytes > COUNTED_BYTES_MIN ? bytes : 0;
    if (counted === this.#heldBytes) return true;
    if (counted < this.#heldBytes) {
      this.#budget.give(this.#accountId, this.#heldBytes - counted);
      this.#heldBytes = counted;
      return true;
    }
    // Nobody would give back what is taken now: the vendor is only read on for its figures.
    if (this.#response.closed) return true;
    if (!this.#budget.take(this.#accountId, counted - this.#heldBytes)) return false;
    this.#heldBytes = counted;
    if (!this.#isWatched) this.#response.once('close', () => this.hold(0));
    this.#isWatched = true;
    return true;
  }
}
