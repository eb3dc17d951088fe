import type { EnterRequest, Lease, LeasedWindow, Shortage } from './contract.ts';
import { type Holding, NO_MONEY_WINDOWS } from './holding.ts';
import type { Bounds } from './refusal.ts';
import type { Slot } from './slots.ts';

const NO_WINDOWS: readonly LeasedWindow[] = Object.freeze([]);

/** A lease has everything that its call took, so leaving needs no look-up. */
export class MemoryLease implements Lease {
  heldMicro = 0n;
  shortOf: Shortage | undefined;
  freeMicro = 0n;
  left = false;
  /** Undefined if no money is held. */
  holding: Holding | undefined;
  readonly request: EnterRequest;
  /** Parallel to the limits of the request. Amounts count by `holding` instead: `rehold` may change them. */
  readonly bounds: readonly Bounds[];
  /** Parallel to `bounds`. */
  readonly slots: readonly Slot[];

  constructor(request: EnterRequest, bounds: readonly Bounds[], slots: readonly Slot[]) {
    this.request = request;
    this.bounds = bounds;
    this.slots = slots;
  }

  get callId(): string {
    return this.request.callId;
  }

  get accountId(): number {
    return this.request.accountId;
  }

  get payer(): Lease['payer'] {
    if (this.holding === undefined) return 'none';
    return this.holding.wallet === undefined ? 'subscription' : 'credits';
  }

  get month(): string | undefined {
    return this.holding?.wallet === undefined ? undefined : this.holding.month;
  }

  get mayExchange(): true | undefined {
    const { holding } = this;
    return holding?.wallet !== undefined && holding.terms.wallet?.autoExchange ? true : undefined;
  }

  get capMicro(): bigint | undefined {
    return this.holding?.wallet === undefined ? undefined : this.holding.terms.wallet?.capMicro;
  }

  /** Built on demand: most calls have no rules. */
  get windows(): readonly LeasedWindow[] {
    let windows: LeasedWindow[] | undefined;
    for (const { running } of this.bounds) {
      for (const window of running) {
        if (window === undefined || window.leased.dimension === 'amount') continue;
        windows ??= [];
        windows.push(window.leased);
      }
    }
    for (const { window } of this.holding?.windows ?? NO_MONEY_WINDOWS) {
      windows ??= [];
      windows.push(window.leased);
    }
    return windows ?? NO_WINDOWS;
  }
}
