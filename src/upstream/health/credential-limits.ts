import type { CredentialLimits } from '../../catalog/contract.ts';

const WINDOW_MS = 60_000;
/** The wait for a client, because it is unknown when a slot will be free. */
const SLOT_WAIT_MS = 1_000;

/**
 * A credential's own limits, set by the operator to stay below the vendor's: concurrent calls, and
 * requests and tokens in fixed minutes that begin at first use. The limits are a parameter of each
 * method, because the catalogue may change them at any time.
 */
export class CredentialUse {
  active = 0;
  #windowAtMs = Number.NEGATIVE_INFINITY;
  #requests = 0;
  #tokens = 0;

  /** 0 if it is free now, else the wait. */
  waitMs(limits: CredentialLimits, tokens: number, nowMs: number): number {
    if (limits.concurrency !== undefined && this.active >= limits.concurrency) return SLOT_WAIT_MS;
    const leftMs = this.#windowAtMs + WINDOW_MS - nowMs;
    if (leftMs <= 0) return 0;
    if (limits.rpm !== undefined && this.#requests >= limits.rpm) return leftMs;
    // A call above the whole limit passes in an empty minute, otherwise it never could.
    if (limits.tpm !== undefined && this.#tokens > 0 && this.#tokens + tokens > limits.tpm) return leftMs;
    return 0;
  }

  /** Returns the window that counts the call, for `leave`. */
  enter(tokens: number, nowMs: number): number {
    if (nowMs - this.#windowAtMs >= WINDOW_MS) {
      this.#windowAtMs = nowMs;
      this.#requests = 0;
      this.#tokens = 0;
    }
    this.active += 1;
    this.#requests += 1;
    this.#tokens += tokens;
    return this.#windowAtMs;
  }

  /** Replaces the estimate by the true use, if that minute is not over. */
  leave(windowAtMs: number, moreTokens: number): void {
    this.active -= 1;
    if (windowAtMs === this.#windowAtMs) this.#tokens = Math.max(0, this.#tokens + moreTokens);
  }
}
