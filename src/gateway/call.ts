import type { Caller } from '../accounts/contract.ts';
import type { Route } from '../catalog/contract.ts';
import type { PriceSnapshot } from '../catalog/price.ts';
import type { Lease } from '../gate/contract.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { Attempt, Payer, Verdict } from '../ledger/contract.ts';
import type { Expected } from '../ledger/shortfall.ts';
import type { Endpoint } from './endpoints/endpoints.ts';

/**
 * One call on its way, from authentication to settlement. Each stage adds what it found out; settlement turns
 * the whole into the call's record. Nothing outside gateway/ holds one.
 */
export interface Call {
  readonly id: string;
  readonly createdAtMs: number;
  /** By the monotonic clock: durations are measured from here. */
  readonly startedAt: number;
  readonly endpoint: Endpoint;
  /** Read again when the gate knows of a newer account. */
  caller: Caller;
  modelAsked: string;
  modelUsed: string;
  stream: boolean;
  /** Asked for: they count at entry, made or not. */
  images: number;
  payer: Payer;
  lease: Lease | undefined;
  route: Route | undefined;
  /** What is spoken with the route's vendor. */
  protocolOut: Protocol | undefined;
  /** What the client said and the vendor did not hear. */
  dropped: readonly string[];
  price: PriceSnapshot | undefined;
  /** What it may use at most, of the attempt that runs or ran last. */
  expected: Expected | undefined;
  readonly attempts: Attempt[];
  /** When the attempt that runs now began; nothing between attempts. */
  attemptStartedAt: number | undefined;
  /** When the first byte of the answer went to the client. */
  firstByteAt: number | undefined;
  /** What it used, known when it is settled. */
  usage: Usage;
  /** Set once: a call is settled exactly once. */
  settled: boolean;
}

/** nginx's status for a client that left before its answer; no client ever sees it, the call log does. */
export const CLIENT_CLOSED = 499;

/** How a call ended, as far as the client and the bill are concerned. */
export interface Outcome {
  readonly status: number;
  readonly errorCode: number | null;
  readonly verdict: Verdict;
  readonly usage: Usage;
  readonly estimated: boolean;
}

const NOTHING_DROPPED: readonly string[] = [];

export interface CallStart {
  readonly id: string;
  readonly createdAtMs: number;
  readonly startedAt: number;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
}

export function newCall(start: CallStart): Call {
  return {
    id: start.id,
    createdAtMs: start.createdAtMs,
    startedAt: start.startedAt,
    endpoint: start.endpoint,
    caller: start.caller,
    modelAsked: '',
    modelUsed: '',
    stream: false,
    images: 0,
    payer: 'none',
    lease: undefined,
    route: undefined,
    protocolOut: undefined,
    dropped: NOTHING_DROPPED,
    price: undefined,
    expected: undefined,
    attempts: [],
    attemptStartedAt: undefined,
    firstByteAt: undefined,
    usage: NO_USAGE,
    settled: false,
  };
}
