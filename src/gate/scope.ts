import type { Clock } from '../kernel/time/clock.ts';
import type { EnterRequest, RememberedWindow } from './contract.ts';
import { Slots } from './slots.ts';
import { amountTaken, type Rule, uses, type Window, windowKey } from './window.ts';

/** What is counted together: the slots and windows of an account, a key or a subscription. */
export class Scope {
  recent = false;
  readonly slots = new Slots();
  readonly name: string;
  readonly #clock: Clock;
  /** By the rule's key: each dimension and length is independent. */
  readonly #windows = new Map<number, Window>();
  /** No window ends before this time, so most sweeps end here. */
  #firstEndMs = Number.POSITIVE_INFINITY;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
  }

  /** The running windows, parallel to `rules`: one look-up per rule serves both check and taking. */
  lookUp(rules: readonly Rule[], nowMs: number): (Window | undefined)[] {
    const running: (Window | undefined)[] = [];
    for (const rule of rules) running.push(this.#find(rule, nowMs));
    return running;
  }

  /**
   * Takes from every rule that the call uses, and starts the windows that are used for the first time.
   * Afterwards `running` has exactly the windows of the call's admission.
   */
  take(rules: readonly Rule[], running: (Window | undefined)[], request: EnterRequest, nowMs: number): void {
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index];
      if (rule === undefined) continue;
      if (!uses(rule.dimension, request)) {
        running[index] = undefined;
        continue;
      }
      const window = running[index] ?? this.#start(rule, nowMs);
      if (rule.dimension !== 'amount') window.used += amountTaken(rule.dimension, request);
      running[index] = window;
    }
  }

  /** For dimensions that a call is found to use only at its end. */
  runningOrNew(rule: Rule, nowMs: number): Window {
    return this.#find(rule, nowMs) ?? this.#start(rule, nowMs);
  }

  /**
   * A window that began before this process. Its rest is known by the wall clock only. If that was set back
   * since, the window runs no longer than its length from now.
   */
  restore(window: RememberedWindow, nowMs: number): void {
    const { scope, dimension, seconds, startedAtMs, used } = window;
    const agedMs = Math.max(0, this.#clock.now() - startedAtMs);
    if (agedMs >= seconds * 1000) return;
    this.#keep(windowKey(dimension, seconds), {
      leased: { scope, dimension, seconds, startedAtMs },
      endsAtMs: nowMs + seconds * 1000 - agedMs,
      used,
      heldMicro: 0n,
    });
  }

  /** A scope with a running window is not removed, because the window would begin again. */
  isIdle(): boolean {
    if (this.slots.size > 0) return false;
    this.#dropEnded(this.#clock.monotonic());
    return this.#windows.size === 0;
  }

  sweep(nowMs: number): void {
    this.slots.expire(nowMs);
    this.#dropEnded(nowMs);
  }

  #find(rule: Rule, nowMs: number): Window | undefined {
    const window = this.#windows.get(rule.key);
    return window !== undefined && nowMs < window.endsAtMs ? window : undefined;
  }

  #start(rule: Rule, nowMs: number): Window {
    const { key, dimension, seconds } = rule;
    // A wall clock that was set back must not make a window older than the one before it.
    const before = this.#windows.get(key);
    const startedAtMs = Math.max(this.#clock.now(), before === undefined ? 0 : before.leased.startedAtMs + 1);
    return this.#keep(key, {
      leased: { scope: this.name, dimension, seconds, startedAtMs },
      endsAtMs: nowMs + seconds * 1000,
      used: 0n,
      heldMicro: 0n,
    });
  }

  #keep(key: number, window: Window): Window {
    this.#windows.set(key, window);
    if (window.endsAtMs < this.#firstEndMs) this.#firstEndMs = window.endsAtMs;
    return window;
  }

  /** An ended window stays while its start is in the future by the wall clock: the next must begin later. */
  #dropEnded(nowMs: number): void {
    if (nowMs < this.#firstEndMs) return;
    const wallMs = this.#clock.now();
    this.#firstEndMs = Number.POSITIVE_INFINITY;
    for (const [key, window] of this.#windows) {
      if (nowMs >= window.endsAtMs && wallMs > window.leased.startedAtMs) this.#windows.delete(key);
      else if (window.endsAtMs < this.#firstEndMs) this.#firstEndMs = window.endsAtMs;
    }
  }
}
