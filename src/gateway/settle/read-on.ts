import { USAGE_WAIT_BYTES_MAX, USAGE_WAIT_MS } from '../../bounds.ts';
import type { StreamRelay } from '../../protocol/dialect.ts';
import type { Spent } from '../attempt/attempt-result.ts';
import { READ_ON_BYTES_MAX, READ_ON_MS } from './bounds.ts';

/**
 * Why a vendor is read on after its client has left (rule M-10). `ended`: the end of the answer was seen, and
 * only the usage is missing. `hidden`: the model reasons out of sight, so only the usage shows what it made.
 */
export type ReadOnReason = 'ended' | 'hidden';

export const READ_ON: Readonly<Record<ReadOnReason, { readonly ms: number; readonly bytesMax: number }>> = {
  ended: { ms: USAGE_WAIT_MS, bytesMax: USAGE_WAIT_BYTES_MAX },
  hidden: { ms: READ_ON_MS, bytesMax: READ_ON_BYTES_MAX },
};

/** A stream that is read on after its client has left, to learn the vendor's own usage. */
export class ReadOn {
  /** What was produced until the client left. It is charged if the vendor reports nothing. */
  readonly spent: Spent;
  readonly #reason: ReadOnReason;
  #bytes = 0;

  constructor(reason: ReadOnReason, spent: Spent) {
    this.#reason = reason;
    this.spent = spent;
  }

  get ms(): number {
    return READ_ON[this.#reason].ms;
  }

  /** Counts arrived bytes. True: the usage is there, or it is not worth reading on. */
  isOver(relay: StreamRelay, arrivedBytes: number): boolean {
    this.#bytes += arrivedBytes;
    const { ended, reported, concluded, overflowed, broken } = relay;
    if (reported || concluded || overflowed || broken) return true;
    return this.#bytes > READ_ON[this.#reason].bytesMax || (this.#reason === 'ended' && !ended);
  }
}
