import { REASONING_SILENCE_MS, REASONING_SILENCE_SURE_MS } from '../../bounds.ts';

/**
 * The time in which a vendor's answer showed nothing new, so that a model may have reasoned invisibly. If the
 * model surely reasons, this is all the time before its first output, and every later pause that is longer
 * than those between tokens. If it only may reason, it is the pauses that no network and no busy machine
 * would cause.
 */
export class Silence {
  #lastAt: number;
  #isFirst = true;
  #longMs = 0;
  #sureMs = 0;

  /** Starts at the head of the answer. */
  constructor(now: number) {
    this.#lastAt = now;
  }

  /** Output of the model has arrived. */
  broken(now: number): void {
    this.#longMs = this.ms(now, 'perhaps');
    this.#sureMs = this.ms(now, 'surely');
    this.#lastAt = now;
    this.#isFirst = false;
  }

  /** The vendor was not read in this time, so it does not count. */
  skip(ms: number): void {
    this.#lastAt += ms;
  }

  /** All silent time until now, by whether the model reasons in this call. */
  ms(now: number, reasons: 'surely' | 'perhaps'): number {
    const running = now - this.#lastAt;
    if (reasons === 'perhaps') return running >= REASONING_SILENCE_MS ? this.#longMs + running : this.#longMs;
    return this.#isFirst || running >= REASONING_SILENCE_SURE_MS ? this.#sureMs + running : this.#sureMs;
  }
}
