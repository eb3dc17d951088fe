import { BREAKER_EJECT_MS, BREAKER_EJECT_MS_MAX, BREAKER_FAILURES } from '../../bounds.ts';

export type BreakerState = 'closed' | 'open' | 'half-open' | 'probing';

/**
 * Envoy's outlier detection for one route: consecutive failures eject it, each time for longer. When the
 * time is over, a single call is the probe that decides. Times are of the monotonic clock.
 */
export class Breaker {
  failures = 0;
  ejections = 0;
  #ejectedAtMs = 0;
  /** 0: not ejected. */
  #openUntilMs = 0;
  #probe: object | undefined;

  state(nowMs: number): BreakerState {
    if (this.#openUntilMs === 0) return 'closed';
    if (nowMs < this.#openUntilMs) return 'open';
    return this.#probe === undefined ? 'half-open' : 'probing';
  }

  /** `call` is about to use the route. It becomes the probe if the route waits for one. */
  begin(call: object, nowMs: number): void {
    if (this.state(nowMs) === 'half-open') this.#probe = call;
  }

  /**
   * A stream has begun. That brings the route back. But the stream may still fail, so
   * failures stay counted. A stream from before the ejection has no effect.
   */
  began(begunAtMs: number): void {
    if (this.#openUntilMs === 0 || begunAtMs < this.#ejectedAtMs) return;
    this.#openUntilMs = 0;
    this.#probe = undefined;
  }

  /** A complete answer, successful or with an error of the client. */
  succeeded(begunAtMs: number, nowMs: number): void {
    this.failures = 0;
    if (this.#openUntilMs !== 0) this.began(begunAtMs);
    else if (nowMs - this.#ejectedAtMs > BREAKER_EJECT_MS_MAX) this.ejections = 0;
  }

  failed(call: object, nowMs: number): void {
    const state = this.state(nowMs);
    if (state === 'open') return;
    if (state === 'closed') {
      this.failures += 1;
      if (this.failures >= BREAKER_FAILURES) this.#eject(nowMs);
    } else if (state === 'half-open' || this.#probe === call) {
      this.#eject(nowMs);
    }
  }

  /** The call is over. After a probe without a result (its client left) another one is allowed. */
  end(call: object): void {
    if (this.#probe === call) this.#probe = undefined;
  }

  #eject(nowMs: number): void {
    this.ejections += 1;
    this.failures = 0;
    this.#probe = undefined;
    this.#ejectedAtMs = nowMs;
    this.#openUntilMs = nowMs + Math.min(BREAKER_EJECT_MS * this.ejections, BREAKER_EJECT_MS_MAX);
  }
}
