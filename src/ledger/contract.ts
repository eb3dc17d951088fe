import type { Funds } from '../accounts/contract.ts';
import type { PriceSnapshot } from '../catalog/price.ts';
import type { LeasedWindow, RememberedWindow } from '../gate/contract.ts';
import type { CreatedJob } from '../jobs/contract.ts';
import type { LimitHit } from '../kernel/errors.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Usage } from '../kernel/usage.ts';
import type { Expected } from './shortfall.ts';

/** How a call ended, as in the call log. */
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
 * The terms of the gate's grant. A call is settled by them, whatever has changed in the account since:
 * otherwise an account that switches auto-exchange off while its calls run would not pay for them. Absent if
 * no wallet pays, and in older journals.
 */
export interface Granted {
  /** The month of the cap that the call counts into. */
  readonly month?: string | undefined;
  /** Balance was held with the Credits. */
  readonly mayExchange?: true | undefined;
  /** The monthly cap of the grant, micro-yuan; 0n = none. */
  readonly capMicro?: bigint | undefined;
  /** The factor at the time of the grant. The setting may change while the call is in the journal. */
  readonly creditsPerYuan?: number | undefined;
}

/** One try of one route. */
export interface Attempt {
  readonly routeId: number;
  readonly vendor: string;
  readonly credential: string;
  /** The credential belongs to the account, so its name is not secret to it. */
  readonly own?: true | undefined;
  /** `ok`, an HTTP status, or `connect`, `timeout`, `reset`, `protocol`. */
  readonly outcome: string;
  readonly durationMs: number;
  /** From the arrival of the call until the attempt began. Absent in older journals. */
  readonly startMs?: number | undefined;
  /** From the arrival of the call until the head of the vendor's answer. Absent without one. */
  readonly headMs?: number | undefined;
}

/** Characters of the message of a refused call in the call log. */
export const LOGGED_MESSAGE_CHARS_MAX = 500;

/** Why the gateway itself refused or ended a call. */
export interface LoggedRefusal {
  /** As the client got it, shortened. */
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  /** Set if a limit or the lack of money refused the call. */
  readonly hit?: LimitHit | undefined;
}

/**
 * What is known of a call when it is opened: who calls which model on which route, who pays, and how much is
 * held. Open record and end record of a call begin with it. A refused call may have no route.
 */
export interface CallTerms extends Granted {
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
  readonly payer: Payer;
  readonly price: PriceSnapshot | null;
  readonly heldMicro: bigint;
  /** The windows of the gate that count the call. What it used of each is known at its end. */
  readonly windows: readonly LeasedWindow[];
}

/** The terms of a call that has a route. */
export interface RoutedTerms extends CallTerms {
  readonly routeId: number;
  readonly vendor: string;
  readonly protocolOut: Protocol;
  readonly price: PriceSnapshot;
}

/** Written before the first byte goes upstream, and again for every further route: the last one counts. */
export interface OpenCall extends RoutedTerms {
  /** Of the attempt that begins; `own` as in Attempt. */
  readonly credential: string;
  readonly own?: true | undefined;
  /** Estimated input: charged if the process dies after a mark without input tokens. */
  readonly inputTokens: number;
  readonly images: number;
  /** The maximum output; absent in older journals. */
  readonly outputTokensMax?: number | undefined;
}

/** How a call ended, for the client and the bill. */
export interface Outcome {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The gateway's five-digit code; none for an error of the upstream. */
  readonly errorCode: number | null;
  readonly verdict: Verdict;
  readonly usage: Usage;
  readonly estimated: boolean;
}

/** What a call costs. */
export interface Bill {
  /** Micro-yuan after all rates. */
  readonly amountMicro: bigint;
  /** Micro-Credits to take; 0n if the call is free. */
  readonly chargeMicro: bigint;
}

/** What the call log says of the way to the outcome. */
export interface Course {
  readonly attempts: readonly Attempt[];
  /** Recorded for calls paid by Credits, to explain a shortfall. Absent in older journals. */
  readonly expected?: Expected | undefined;
  /** From the arrival of the call until it entered the gate. Absent in older journals, and if it did not. */
  readonly admittedMs?: number | undefined;
  /** The part of it that the gate took. */
  readonly gateMs?: number | undefined;
  readonly refusal?: LoggedRefusal | undefined;
  /** The call created a job: its usage and bill are those of the complete job, and are held until it ends. */
  readonly job?: CreatedJob | undefined;
  readonly ttfbMs: number | null;
  readonly durationMs: number;
  readonly droppedFields: readonly string[];
}

/**
 * Everything that the call log, the charge and its receipt need; the journal's `end` record. `heldMicro` is
 * the hold at the end: cost beyond that is taken last (overrun.ts).
 */
export interface CallRecord extends CallTerms, Outcome, Bill, Course {
  readonly freeReason: FreeReason | null;
  /** What the call used of each window that counts it. The store keeps them across a restart. */
  readonly windows: readonly RememberedWindow[];
}

/**
 * The journal: an append-only file per node. Records go to the operating system in order, those of one turn
 * of the event loop together. A killed process does not lose what was written there. The disk follows within
 * a few milliseconds.
 */
export interface Journal {
  /**
   * Resolves when the record is in the operating system, at the end of this turn. Rejects with
   * StoreUnavailable if it could not be written: the call must not go upstream.
   */
  open(call: OpenCall): Promise<void>;
  /** With the current hold. This record and all before it are in the operating system when this returns. */
  mark(callId: string, usage: Usage, heldMicro: bigint): void;
  /** Written at the end of this turn. To send the client the end before that, flush first. */
  end(call: CallRecord): void;
  /** All records are in the operating system when this returns. */
  flush(): void;
  /** False if the journal is full or cannot be written: new calls get 50301. */
  readonly writable: boolean;
  /** Ended calls that are not committed to the store yet. */
  readonly lag: number;
  readonly bytes: number;
  close(): Promise<void>;
}

/** The port of the settler to the store: one transaction for many calls, exactly once per call id. */
export interface LedgerStore {
  /**
   * Writes call log, consumption log, ledger entries and balances of every call not yet known, in one
   * transaction. Known call ids change nothing. Returns the charges and the new funds per account. The charge
   * of a call that created a job is held; its log is written when the job ends.
   */
  settle(calls: readonly CallRecord[]): Promise<readonly SettledAccount[]>;
}

export interface SettledAccount {
  readonly accountId: number;
  readonly funds: Funds;
}
