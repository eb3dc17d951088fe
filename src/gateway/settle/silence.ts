import { REASONING_SILENCE_MS, REASONING_SILENCE_SURE_MS } from '../../bounds.ts';

/**
 * The time in which a vendor's answer showed nothing new: there a model may have reasoned in secret. Where it
 * surely reasons, that is all the time before its first word, and every pause later that is longer than those
 * between words. Where it only may, it is pauses that no network and no busy machine would make.
 */
export class Silence {
  #lastAt: number;
  #isFirst = true;
  #longMs = 0;
  #sureMs = 0;

  /** From the head of the answer on. */
  constructor(now: number) {
    this.#lastAt = now;
  }

  /** Something the model wrote has come. */
  broken(now: number): void {
    this.#longMs = this.ms(now, 'perhaps');
    this.#sureMs = this.ms(now, 'surely');
    this.#lastAt = now;
    this.#isFirst = false;
  }

  /** The vendor was not read meanwhile: this time tells nothing. */
  skip(ms: number): void {
    this.#lastAt += ms;
  }

  /** All of it until now; by whether the model reasons in this call. */
  ms(now: number, reasons: 'surely' | 'perhaps'): number {
    const running = now - this.#lastAt;
    if (reasons === 'perhaps') return running >= REASONING_SILENCE_MS ? this.#longMs + running : this.#longMs;
    return this.#isFirst || running >= REASONING_SILENCE_SURE_MS ? this.#sureMs + running : this.#sureMs;
  }
}
