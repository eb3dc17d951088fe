import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type { HoldWatch } from '../settle/hold-watch.ts';

/** The stream that the bytes are for. */
export interface PaidStream {
  /** It takes no more bytes. */
  readonly closed: boolean;
  readonly take: (slice: LentBytes) => void;
}

/**
 * What a vendor sends, passed on in slices that the hold surely pays for. A vendor may send a whole answer at
 * once, so one read can cost more than is held. While a remote gate is asked for more, the rest waits here.
 */
export class PaidInput {
  readonly #hold: HoldWatch;
  readonly #stream: PaidStream;
  #waiting: Buffer[] = [];
  /** The end of the vendor's answer, if it came while the gate is asked. */
  #end: (() => void) | undefined;

  constructor(hold: HoldWatch, stream: PaidStream) {
    this.#hold = hold;
    this.#stream = stream;
  }

  push(chunk: LentBytes): void {
    // The gate has not answered yet: what TLS has already read arrives even after a pause.
    if (this.#hold.extending) this.#waiting.push(ownCopy(chunk));
    else this.#pass(chunk);
  }

  /** False: the gate is not being asked, so the answer ends now. */
  endsLater(end: () => void): boolean {
    if (!this.#hold.extending) return false;
    this.#end ??= end;
    return true;
  }

  /** The gate has answered. True: nothing waits any longer. */
  continue(): boolean {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const chunk of waiting) this.push(chunk);
    if (this.#waiting.length > 0 && !this.#stream.closed) return false;
    const end = this.#end;
    this.#end = undefined;
    end?.();
    return true;
  }

  #pass(chunk: LentBytes): void {
    let at = 0;
    while (at < chunk.length && !this.#stream.closed) {
      const end = Math.min(chunk.length, at + this.#hold.sliceBytes);
      this.#stream.take(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
      at = end;
      if (this.#hold.extending && at < chunk.length) {
        this.#waiting.push(ownCopy(chunk.subarray(at)));
        return;
      }
    }
  }
}
