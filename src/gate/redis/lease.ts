import type { Funds } from '../../accounts/contract.ts';
import type { EnterRequest, Lease, LeasedWindow, MoneyRequest, Shortage } from '../contract.ts';

const NO_WINDOWS: readonly LeasedWindow[] = Object.freeze([]);

/** The answer of the server about a hold. */
export interface Held {
  readonly payer: Lease['payer'];
  readonly heldMicro: bigint;
  readonly shortOf: Shortage | undefined;
  readonly freeMicro: bigint;
  /** The month that the call counts into; `-` if no wallet pays. */
  readonly month: string;
  /** By the server's clock. */
  readonly atMs: number;
}

/** A call that entered, with all that its end needs: the server may have lost it in the meantime. */
export class RedisLease implements Lease {
  readonly request: EnterRequest;
  readonly enteredAtMs: number;
  held: Held;
  /** The terms of the current hold; undefined if the call costs nothing here. */
  terms: MoneyRequest | undefined;
  left = false;
  /** The store has committed the charge before the gate heard that the call had left. */
  settled = false;
  /** What it then stood at, when the end of the call waits to be told. */
  settledFunds: Funds | undefined;
  /** A message about it got lost and may arrive after its end. */
  doubted = false;
  /** By the clock of this process. */
  renewedAtMs: number;

  constructor(request: EnterRequest, held: Held, renewedAtMs: number) {
    this.request = request;
    this.terms = request.money;
    this.held = held;
    this.enteredAtMs = held.atMs;
    this.renewedAtMs = renewedAtMs;
  }

  get callId(): string {
    return this.request.callId;
  }

  get accountId(): number {
    return this.request.accountId;
  }

  get payer(): Lease['payer'] {
    return this.held.payer;
  }

  get heldMicro(): bigint {
    return this.held.heldMicro;
  }

  get shortOf(): Shortage | undefined {
    return this.held.shortOf;
  }

  get freeMicro(): bigint {
    return this.held.freeMicro;
  }

  get month(): string | undefined {
    return this.held.payer === 'credits' ? this.held.month : undefined;
  }

  get mayExchange(): true | undefined {
    return this.held.payer === 'credits' && this.terms?.wallet?.autoExchange ? true : undefined;
  }

  get capMicro(): bigint | undefined {
    return this.held.payer === 'credits' ? this.terms?.wallet?.capMicro : undefined;
  }

  /** Redis outlives the process, so the store need not keep them. */
  get windows(): readonly LeasedWindow[] {
    return NO_WINDOWS;
  }
}
