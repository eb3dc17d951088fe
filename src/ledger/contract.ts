import type { Funds } from '../accounts/contract.ts';
import type { PriceSnapshot } from '../catalog/price.ts';
import type { LeasedWindow, RememberedWindow } from '../gate/contract.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Usage } from '../kernel/usage.ts';
import type { Expected } from './shortfall.ts';

/** How a call ended, as the call log says it. */
export type Verdict =
  | 'complete'
  | 'cut-by-upstream'
  | 'cut-by-client'
  | 'cut-by-gateway'
  | 'refused'
  | 'failed';

export type Payer = 'byok' | 'subscription' | 'credits' | 'none';

export type FreeReason = 'byok' | 'covered' | 'below-one-credit' | 'nothing-produced';

/**
 * What the gate's grant rested on. A call is settled by it, whatever the account has changed since: otherwise
 * an account that switches auto-exchange off while its calls run would not pay for them. Absent where no
 * wallet pays, and in older journals.
 */
export interface Granted {
  /** Of the monthly cap that the call was counted under. */
  readonly month?: string | undefined;
  /** Balance was held with the Credits. */
  readonly mayExchange?: true | undefined;
  /** The monthly cap that it was granted under, micro-yuan; 0n = none. */
  readonly capMicro?: bigint | undefined;
  /** The factor of the moment, though the setting has changed while the call lay in the journal. */
  readonly creditsPerYuan?: number | undefined;
}

/** One try of one route. */
export interface Attempt {
  readonly routeId: number;
  readonly vendor: string;
  readonly credential: string;
  /** The credential is the account's own: its name is no secret of the platform. */
  readonly own?: true | undefined;
  /** `ok`, an HTTP status, or `connect`, `timeout`, `reset`, `protocol`. */
  readonly outcome: string;
  readonly durationMs: number;
}

/** Written before the first byte goes upstream, and again for every further route: the last one counts. */
export interface OpenCall extends Granted {
  readonly callId: string;
  readonly createdAtMs: number;
  readonly accountId: number;
  readonly keyId: number;
  readonly keyName: string;
  readonly modelAsked: string;
  readonly modelUsed: string;
  readonly routeId: number;
  readonly vendor: string;
  /** Of the attempt that begins; `own` as in Attempt. */
  readonly credential: string;
  readonly own?: true | undefined;
  readonly protocolIn: Protocol;
  readonly protocolOut: Protocol;
  readonly stream: boolean;
  readonly payer: Payer;
  readonly price: PriceSnapshot;
  /** Estimated input: charged when the process dies after a mark that does not know it. */
  readonly inputTokens: number;
  readonly images: number;
  /** The most output that it may bring; nothing in journals from before. */
  readonly outputTokensMax?: number | undefined;
  readonly heldMicro: bigint;
  /** The windows of the gate that count the call; what it used of each is known at its end. */
  readonly windows: readonly LeasedWindow[];
}

/** Everything the call log, the charge and a person who recomputes it need; the journal's `end` record. */
export interface CallRecord extends Granted {
  readonly callId: string;
  readonly createdAtMs: number;
  readonly accountId: number;
  readonly keyId: number;
  readonly keyName: string;
  readonly modelAsked: string;
  readonly modelUsed: string;
  readonly routeId: number | null;
  readonly vendor: string | null;
  readonly protocolIn: Protocol;
  readonly protocolOut: Protocol | null;
  readonly stream: boolean;
  /** HTTP status the client got. */
  readonly status: number;
  /** Our five-digit code, or nothing (an upstream's error has none). */
  readonly errorCode: number | null;
  readonly usage: Usage;
  readonly estimated: boolean;
  readonly payer: Payer;
  readonly price: PriceSnapshot | null;
  /** Micro-yuan after all rates. */
  readonly amountMicro: bigint;
  /** Micro-Credits to take: 0n when free. */
  readonly chargeMicro: bigint;
  readonly freeReason: FreeReason | null;
  readonly verdict: Verdict;
  readonly attempts: readonly Attempt[];
  /** What was held for the call at its end. What it cost beyond that is taken last (overrun.ts). */
  readonly heldMicro: bigint;
  /** Kept of calls that Credits pay: should one be short, it tells why. Nothing in journals from before. */
  readonly expected?: Expected | undefined;
  readonly ttfbMs: number | null;
  readonly durationMs: number;
  readonly droppedFields: readonly string[];
  /** What the call used of each window that counts it; the store remembers them across a restart. */
  readonly windows: readonly RememberedWindow[];
}

/**
 * The journal: an append-only file per node. Records go to the operating system in the order they were told,
 * those of one turn of the event loop together. What was written there a killed process does not lose; the
 * disk follows within a few milliseconds.
 */
export interface Journal {
  /**
   * Resolves when the record is in the operating system, at the end of this turn. Rejects with
   * StoreUnavailable when it could not be written: the call must not go upstream.
   */
  open(call: OpenCall): Promise<void>;
  /** With what the call holds now. It, and all before it, is in the operating system when this returns. */
  mark(callId: string, usage: Usage, heldMicro: bigint): void;
  /** Written at the end of this turn: who tells the client of the end before that flushes first. */
  end(call: CallRecord): void;
  /** All that was told is in the operating system when this returns. */
  flush(): void;
  /** False when the journal has reached its bound or cannot be written: new calls get 50301. */
  readonly writable: boolean;
  /** Ended calls not yet committed to the store. */
  readonly lag: number;
  readonly bytes: number;
  close(): Promise<void>;
}

/** What the settler needs from the store: one transaction for many calls, exactly once per call id. */
export interface LedgerStore {
  /**
   * Writes call log, consumption log, ledger entries and balances of every call not yet known, in one
   * transaction; known call ids change nothing. Returns per account what was charged and what stands now.
   */
  settle(calls: readonly CallRecord[]): Promise<readonly SettledAccount[]>;
}

export interface SettledAccount {
  readonly accountId: number;
  readonly funds: Funds;
}
