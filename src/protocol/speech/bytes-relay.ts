import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { BodyEnd, StreamUsage, VendorRelay } from '../dialect.ts';

/**
 * An answer that is passed on as it comes, because nothing in it is read: sound, or events with sound. What
 * it costs was known before.
 */
export class BytesRelay implements VendorRelay {
  first: 'none' | 'data' = 'none';
  terminated = false;
  readonly firstError = undefined;
  readonly failed = false;
  readonly concluded = false;
  readonly ended = false;
  readonly generatedEvents = 0;
  readonly reasoned = false;
  readonly reported = true;
  readonly heldBytes = 0;
  readonly overflowed = false;
  readonly broken = false;
  /** Nothing of ours may stand between two bytes of a sound. */
  readonly atBoundary = false;
  readonly nextSequenceNumber = undefined;
  readonly #units: number;

  constructor(units: number) {
    this.#units = units;
  }

  readonly push = (chunk: LentBytes): LentBytes | undefined => {
    if (chunk.length > 0) this.first = 'data';
    return chunk;
  };

  /** A connection that only closes may have broken in the middle of the sound. */
  finish(end: BodyEnd = 'counted'): { readonly rest: undefined; readonly complete: boolean } {
    this.terminated = end === 'counted' && this.first === 'data';
    return { rest: undefined, complete: this.terminated };
  }

  usage(): StreamUsage {
    const usage = { ...NO_USAGE, inputFresh: this.#units };
    return { usage, estimated: false, inputReported: true };
  }

  /** Nothing is converted to speech, or made of it. */
  divert(): void {}
}
