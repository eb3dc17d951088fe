import type { CredentialLimits } from '../../catalog/contract.ts';

const WINDOW_MS = 60_000;
/** When a slot will be free is not known; a client is told to come back after this. */
const SLOT_WAIT_MS = 1_000;

/**
 * A credential's own limits, set by the operator so that a vendor's are not run into: calls at once, and
 * requests and tokens in fixed minutes that begin at first use. The limits themselves come with each
 * question, because the catalogue may change them at any time.
 */
export class CredentialUse {
  active = 0;
  #windowAtMs = Number.NEGATIVE_INFINITY;
  #requests = 0;
  #tokens = 0;

  /** 0: free now. Otherwise how long until it may be. */
  waitMs(limits: CredentialLimits, tokens: number, nowMs: number): number {
    if (limits.concurrency !== undefined && this.active >= limits.concurrency) return SLOT_WAIT_MS;
    const leftMs = this.#windowAtMs + WINDOW_MS - nowMs;
    if (leftMs <= 0) return 0;
    if (limits.rpm !== undefined && this.#requests >= limits.rpm) return leftMs;
    // A call larger than the whole limit passes in an empty minute; otherwise it never would.
    if (limits.tpm !== undefined && this.#tokens > 0 && this.#tokens + tokens > limits.tpm) return leftMs;
    return 0;
  }

  /** The window the call is counted in: `leave` needs it back. */
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

  /** Puts what was really used in the place of the estimate, if that minute still runs. */
  leave(windowAtMs: number, moreTokens: number): void {
    this.active -= 1;
    if (windowAtMs === this.#windowAtMs) this.#tokens = Math.max(0, this.#tokens + moreTokens);
  }
}
