import type { Funds } from '../../accounts/contract.ts';
import type { CoverageWindow, Dimension, Policy, PolicyWindow } from '../../catalog/contract.ts';
import type {
  Actuals,
  CoverageRequest,
  EnterRequest,
  EnterResult,
  Gate,
  Lease,
  MoneyRequest,
  ReholdResult,
  ScopedPolicy,
  SettledCalls,
  WalletRequest,
} from '../contract.ts';

/** A gate with a clock the suite can move. Every implementation brings one. */
export interface GateUnderTest {
  readonly gate: Gate;
  /** Whole milliseconds; between two of them the clock stands still, as far as the gate can tell. */
  advance(ms: number): void | Promise<void>;
  close(): void | Promise<void>;
}

export type MakeGate = () => GateUnderTest | Promise<GateUnderTest>;

export const MONTH = '2026-11';
export const CREDIT = 1_000_000n;
/** Micro-yuan of one Credit at `CREDITS_PER_YUAN`. */
export const CREDIT_YUAN = 1_000n;
export const CREDITS_PER_YUAN = 1_000;
export const NOTHING_DONE: Actuals = { tokens: 0, amountMicro: 0n, chargeMicro: 0n, images: 0 };
let callNumber = 0;

export function createPolicy(windows: readonly PolicyWindow[], concurrency?: number): Policy {
  return { id: 1, name: 'test', concurrency, windows };
}

export function rule(dimension: Dimension, seconds: number, limit: bigint): PolicyWindow {
  return { dimension, seconds, limit };
}

/** Most sentences speak of one policy, that of the account. */
export type CallParts = Partial<EnterRequest & ScopedPolicy>;

export function createCall(parts: CallParts = {}): EnterRequest & ScopedPolicy {
  callNumber += 1;
  const { accountId = 1, policy } = parts;
  const scope = parts.scope ?? `account:${accountId}`;
  return {
    callId: `req_${callNumber}`,
    accountId,
    accountVersion: 1,
    accountAgeMs: 0,
    limits: [{ scope, policy }],
    inputTokens: 0,
    images: 0,
    imagesGuess: 0,
    videos: 0,
    money: undefined,
    ...parts,
    scope,
    policy,
  };
}

export function createFunds(parts: Partial<Funds> = {}): Funds {
  return { version: 1, creditsMicro: 0n, balanceMicro: 0n, monthSpentMicro: 0n, month: MONTH, ...parts };
}

/** What a call may cost: ten Credits, and one at least. It takes all that is free, unless told otherwise. */
export function createMoney(parts: Partial<MoneyRequest>): MoneyRequest {
  const { wantMicro = 10n * CREDIT, leastMicro = CREDIT } = parts;
  return {
    wantMicro,
    leastMicro,
    shareMicro: wantMicro > leastMicro ? wantMicro : leastMicro,
    wholeIfFree: true,
    creditsPerYuan: CREDITS_PER_YUAN,
    coverage: undefined,
    wallet: undefined,
    ...parts,
  };
}

/** Paid by Credits; terms of the wallet and of the money in one list. */
export function createHold(funds: Funds, parts: Partial<MoneyRequest & WalletRequest> = {}): MoneyRequest {
  const { autoExchange = false, capMicro = 0n, month = MONTH, ...money } = parts;
  return createMoney({ wallet: { funds, autoExchange, capMicro, month }, ...money });
}

/** Coverage of so many Credits, by a single window unless told otherwise. */
export function createCoverage(credits: bigint, seconds = 3600, scope = 'subscription:1'): CoverageRequest {
  return coverBy([{ seconds, amountMicro: credits * CREDIT_YUAN }], scope);
}

export function coverBy(windows: readonly CoverageWindow[], scope = 'subscription:1'): CoverageRequest {
  return { scope, windows };
}

/** A call that cost so many Credits and was charged for them. */
export function charged(credits: bigint): Actuals {
  return { ...NOTHING_DONE, amountMicro: credits * CREDIT_YUAN, chargeMicro: credits * CREDIT };
}

/** A call that cost so many Credits which nobody is charged for. */
export function covered(credits: bigint): Actuals {
  return { ...NOTHING_DONE, amountMicro: credits * CREDIT_YUAN };
}

export function toSettled(lease: Lease, credits: bigint, funds: Funds): SettledCalls {
  return {
    accountId: lease.accountId,
    calls: [{ callId: lease.callId, chargeMicro: credits * CREDIT, month: lease.month }],
    funds,
  };
}

export function requireLease(result: EnterResult): Lease {
  if (result.kind !== 'entered') throw new Error(`refused: ${toReason(result)}`);
  return result.lease;
}

export function toReason(result: EnterResult | ReholdResult): string {
  return result.kind === 'gate-refused' ? result.reason : result.kind;
}

/** What the sentences of the suite speak with: the gate of the running test, and its clock. */
export interface World {
  gate(): Gate;
  advance(ms: number): Promise<void>;
  enter(parts?: CallParts): Promise<EnterResult>;
  lease(parts?: CallParts): Promise<Lease>;
}
