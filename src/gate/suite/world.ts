import type { Funds } from '../../accounts/contract.ts';
import type { Dimension, Policy, PolicyWindow } from '../../catalog/contract.ts';
import type { Actuals, EnterRequest, EnterResult, Gate, HoldRequest, Lease } from '../contract.ts';

/** A gate with a clock the suite can move. Both implementations bring one. */
export interface GateUnderTest {
  readonly gate: Gate;
  advance(ms: number): void | Promise<void>;
  close(): void | Promise<void>;
}

export type MakeGate = () => GateUnderTest | Promise<GateUnderTest>;

export const MONTH = '2026-11';
export const CREDIT = 1_000_000n;
export const NOTHING_DONE: Actuals = { tokens: 0, amountMicro: 0n, chargeMicro: 0n, images: 0 };
let callNumber = 0;

export function policyOf(windows: readonly PolicyWindow[], concurrency?: number): Policy {
  return { id: 1, name: 'test', concurrency, windows };
}

export function rule(dimension: Dimension, seconds: number, limit: bigint): PolicyWindow {
  return { dimension, seconds, limit };
}

export function callOf(parts: Partial<EnterRequest> = {}): EnterRequest {
  callNumber += 1;
  const accountId = parts.accountId ?? 1;
  return {
    callId: `req_${callNumber}`,
    accountId,
    scope: `account:${accountId}`,
    policy: undefined,
    inputTokens: 0,
    images: 0,
    videos: 0,
    hold: undefined,
    ...parts,
  };
}

export function fundsOf(parts: Partial<Funds> = {}): Funds {
  return { version: 1, creditsMicro: 0n, balanceMicro: 0n, monthSpentMicro: 0n, month: MONTH, ...parts };
}

export function holdOf(funds: Funds, parts: Partial<HoldRequest> = {}): HoldRequest {
  return {
    funds,
    wantMicro: 10n * CREDIT,
    leastMicro: CREDIT,
    autoExchange: false,
    creditsPerYuan: 1000,
    capMicro: 0n,
    month: MONTH,
    ...parts,
  };
}

export function leaseOf(result: EnterResult): Lease {
  if (result.kind !== 'entered') throw new Error(`refused: ${result.reason}`);
  return result.lease;
}

export function reasonOf(result: EnterResult): string {
  return result.kind === 'entered' ? 'entered' : result.reason;
}

/** What the sentences of the suite speak with: the gate of the running test, and its clock. */
export interface World {
  gate(): Gate;
  advance(ms: number): Promise<void>;
  enter(parts?: Partial<EnterRequest>): Promise<EnterResult>;
  lease(parts?: Partial<EnterRequest>): Promise<Lease>;
}
