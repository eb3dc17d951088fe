import type { EnterRequest, Lease, LeasedWindow, Shortage } from './contract.ts';
import type { Holding } from './holding.ts';
import type { Bounds } from './refusal.ts';
import type { Scope } from './scope.ts';
import type { Slot } from './slots.ts';
import type { Rule, Window } from './window.ts';

const NO_WINDOWS: readonly LeasedWindow[] = Object.freeze([]);

/** A lease knows everything it took, so leaving needs no look-up and cannot hit the wrong call. */
export class MemoryLease implements Lease {
  heldMicro = 0n;
  shortOf: Shortage | undefined;
  left = false;
  /** Nothing when no money is held. */
  holding: Holding | undefined;
  readonly request: EnterRequest;
  readonly scope: Scope;
  readonly slot: Slot;
  readonly rules: readonly Rule[];
  /** Parallel to `rules`. Those of amounts count by `holding` instead: `rehold` may change them. */
  readonly running: (Window | undefined)[];

  constructor(request: EnterRequest, scope: Scope, slot: Slot, bounds: Bounds) {
    this.request = request;
    this.scope = scope;
    this.slot = slot;
    this.rules = bounds.rules;
    this.running = bounds.running;
  }

  get callId(): string {
    return this.request.callId;
  }

  get accountId(): number {
    return this.request.accountId;
  }

  get payer(): Lease['payer'] {
    if (this.holding === undefined) return 'none';
    return this.holding.purse === undefined ? 'subscription' : 'credits';
  }

  get month(): string | undefined {
    return this.holding?.purse === undefined ? undefined : this.holding.month;
  }

  get mayExchange(): true | undefined {
    const { holding } = this;
    return holding?.purse !== undefined && holding.terms.purse?.autoExchange ? true : undefined;
  }

  /** Made when it is asked for: most calls have no rules at all. */
  get windows(): readonly LeasedWindow[] {
    const { holding } = this;
    if (this.running.length === 0 && (holding === undefined || holding.pots.length === 0)) {
      return NO_WINDOWS;
    }
    const windows: LeasedWindow[] = [];
    for (const window of this.running) {
      if (window !== undefined && window.leased.dimension !== 'amount') windows.push(window.leased);
    }
    if (holding === undefined) return windows;
    for (const { window } of holding.pots) windows.push(window.leased);
    return windows;
  }
}
