import type { Caller } from '../accounts/contract.ts';
import type { Route } from '../catalog/contract.ts';
import type { PriceSnapshot } from '../catalog/price.ts';
import type { Lease, LeasedWindow } from '../gate/contract.ts';
import type { CreatedJob } from '../jobs/contract.ts';
import type { Refusal } from '../kernel/errors.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { Attempt, CallTerms, Payer } from '../ledger/contract.ts';
import type { Expected } from '../ledger/shortfall.ts';
import type { CallTrace } from '../open-telemetry/contract.ts';
import type { ClientRequest } from '../protocol/convert/convert.ts';
import type { FilePart, ImagePart } from '../protocol/hub/part.ts';
import type { FetchedMedia } from '../upstream/contract.ts';
import type { Endpoint } from './endpoints/find.ts';

/**
 * One call, from authentication to settlement. Each stage adds what it found. Settlement turns the call into
 * its record. No code outside gateway/ keeps a reference to it.
 */
export interface Call {
  readonly id: string;
  readonly createdAtMs: number;
  /** By the monotonic clock. Durations are measured from here. */
  readonly startedAt: number;
  /** The file of a batch says which protocol its items speak. */
  endpoint: Endpoint;
  /** Replaced when the gate knows a newer version of the account. */
  caller: Caller;
  modelAsked: string;
  modelUsed: string;
  stream: boolean;
  /** The number of requested images. They count at entry, whether they are produced or not. */
  images: number;
  payer: Payer;
  lease: Lease | undefined;
  route: Route | undefined;
  /** The protocol that the route's vendor gets. */
  protocolOut: Protocol | undefined;
  /** The id that the client was given for a response in the background, before its vendor answered. */
  responseId: string | undefined;
  /** Fields of the request that the vendor did not get. */
  dropped: readonly string[];
  price: PriceSnapshot | undefined;
  /** The most that the current or last attempt may use. */
  expected: Expected | undefined;
  readonly attempts: Attempt[];
  /** When the current attempt began; `undefined` between attempts. */
  attemptStartedAt: number | undefined;
  /** When the head of the vendor's answer to the current attempt arrived. */
  headAt: number | undefined;
  /** When the gate was asked, and when it admitted the call. */
  gateAskedAt: number | undefined;
  admittedAt: number | undefined;
  /** What the gateway itself answers instead of a vendor. */
  refusal: Refusal | undefined;
  /** When the first byte of the answer was sent to the client. */
  firstByteAt: number | undefined;
  /** The client's request in the form of the hub, decoded once for all routes. */
  decoded: ClientRequest | undefined;
  /** The input by our tokenizer, counted once. */
  countedInput: number | undefined;
  /** The memory that the call holds beside its request. */
  memory: CallMemory | undefined;
  /** Set when the call fetches media. */
  media: MediaLoader | undefined;
  /** What goes on at the vendor after the answer. */
  job: CreatedJob | undefined;
  /** Only if OpenTelemetry is on. */
  trace: CallTrace | undefined;
  /** Set at settlement. */
  usage: Usage;
  /** A call is settled exactly once. */
  settled: boolean;
}

export interface CallMemory {
  bytes: number;
  /** The part for the body of a converted request. The routes use it one after the other. */
  bodyBytes: number;
}

/** Fetches each address once for all routes of a call. */
export interface MediaLoader {
  fetch(address: string, what: (ImagePart | FilePart)['kind']): Promise<FetchedMedia | Refusal>;
}

/** nginx's status for a client that closed its connection. It appears in the call log only. */
export const CLIENT_CLOSED = 499;

const NOTHING_DROPPED: readonly string[] = [];
const NO_WINDOWS: readonly LeasedWindow[] = Object.freeze([]);

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
    responseId: undefined,
    dropped: NOTHING_DROPPED,
    price: undefined,
    expected: undefined,
    attempts: [],
    attemptStartedAt: undefined,
    headAt: undefined,
    gateAskedAt: undefined,
    admittedAt: undefined,
    refusal: undefined,
    firstByteAt: undefined,
    decoded: undefined,
    countedInput: undefined,
    memory: undefined,
    media: undefined,
    job: undefined,
    trace: undefined,
    usage: NO_USAGE,
    settled: false,
  };
}

/** The call as its records have it, with its route, payer and hold of this moment. */
export function toCallTerms(call: Call, creditsPerYuan: number): CallTerms {
  const { caller, route, lease } = call;
  return {
    callId: call.id,
    createdAtMs: call.createdAtMs,
    accountId: caller.account.id,
    keyId: caller.key.id,
    keyName: caller.key.name,
    modelAsked: call.modelAsked,
    modelUsed: call.modelUsed,
    routeId: route?.id ?? null,
    vendor: route?.vendor.code ?? null,
    protocolIn: call.endpoint.protocol,
    protocolOut: call.protocolOut ?? null,
    stream: call.stream,
    payer: call.payer,
    month: lease?.month,
    mayExchange: lease?.mayExchange,
    capMicro: lease?.capMicro,
    creditsPerYuan,
    price: call.price ?? null,
    heldMicro: lease?.heldMicro ?? 0n,
    windows: lease?.windows ?? NO_WINDOWS,
  };
}
