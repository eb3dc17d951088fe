import fc from 'fast-check';
import { type Funds, StoreUnavailable } from '../../accounts/contract.ts';
import { DIMENSIONS } from '../../catalog/contract.ts';
import type { PriceSnapshot } from '../../catalog/price.ts';
import { fault } from '../../kernel/fault.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import type { CallRecord, LedgerStore, OpenCall, SettledAccount } from '../contract.ts';

/** Calls and a store in memory, for the tests of this folder. */
export const SAMPLE_PRICE: PriceSnapshot = {
  prices: {
    inputMicro: 7_000_000n,
    outputMicro: 28_000_000n,
    cacheInputMicro: 700_000n,
    cacheOutputMicro: undefined,
    cacheWriteMicro: undefined,
    imageMicro: 40_000n,
    videoMicro: 0n,
  },
  rates: {
    rateMultiplierMicro: 1_000_000n,
    systemMicro: 100_000_000n,
    userMicro: 100_000_000n,
    vendorMicro: 100_000_000n,
    credentialMicro: 100_000_000n,
    nodeMicro: 100_000_000n,
  },
};

export function sampleUsage(inputFresh: number, outputText: number): Usage {
  return { ...NO_USAGE, inputFresh, outputText };
}

export function sampleOpen(callId: string, parts: Partial<OpenCall> = {}): OpenCall {
  return {
    callId,
    createdAtMs: 1_767_225_600_000,
    accountId: 1,
    keyId: 2,
    keyName: 'laptop',
    modelAsked: 'm-1',
    modelUsed: 'm-1',
    routeId: 3,
    vendor: 'acme',
    credential: 'main',
    protocolIn: 'chat',
    protocolOut: 'messages',
    stream: true,
    payer: 'credits',
    price: SAMPLE_PRICE,
    inputTokens: 1_000,
    images: 0,
    heldMicro: 50_000_000n,
    windows: [],
    ...parts,
  };
}

export function sampleEnd(callId: string, parts: Partial<CallRecord> = {}): CallRecord {
  const { inputTokens: _1, images: _2, windows: _3, credential: _4, ...open } = sampleOpen(callId);
  return {
    ...open,
    status: 200,
    errorCode: null,
    usage: sampleUsage(1_000, 500),
    estimated: false,
    amountMicro: 21_000n,
    chargeMicro: 21_000_000n,
    freeReason: null,
    verdict: 'complete',
    attempts: [{ routeId: 3, vendor: 'acme', credential: 'main', outcome: 'ok', durationMs: 12.5 }],
    ttfbMs: 4.25,
    durationMs: 13,
    droppedFields: [],
    windows: [],
    ...parts,
  };
}

/** Idempotent by call id, like the real one; it can be away, and it can refuse single calls. */
export class MemoryLedger implements LedgerStore {
  readonly calls = new Map<string, CallRecord>();
  readonly batches: string[][] = [];
  readonly refused = new Set<string>();
  away = false;
  tries = 0;

  async settle(calls: readonly CallRecord[]): Promise<readonly SettledAccount[]> {
    this.tries += 1;
    await Promise.resolve();
    if (this.away) throw new StoreUnavailable('the store is away');
    if (calls.some((call) => this.refused.has(call.callId))) throw new Error('value out of range');
    fault('settle.before-commit');
    this.batches.push(calls.map((call) => call.callId));
    for (const call of calls) if (!this.calls.has(call.callId)) this.calls.set(call.callId, call);
    fault('settle.after-commit');
    return [...new Set(calls.map((call) => call.accountId))].map((accountId) => ({
      accountId,
      funds: this.funds(),
    }));
  }

  get chargedMicro(): bigint {
    return [...this.calls.values()].reduce((sum, call) => sum + call.chargeMicro, 0n);
  }

  funds(): Funds {
    const creditsMicro = 1_000_000_000_000n - this.chargedMicro;
    return {
      version: this.batches.length,
      creditsMicro,
      balanceMicro: 0n,
      monthSpentMicro: 0n,
      month: '2026-01',
    };
  }
}

const count = fc.nat();
const id = fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER });
const micro = fc.bigInt({ min: 0n, max: 10n ** 18n });
const unsetMicro = fc.option(micro, { nil: undefined });
const text = fc.string({ unit: 'binary', maxLength: 30 });
const protocol = fc.constantFrom(...PROTOCOLS);
const payer = fc.constantFrom('byok', 'subscription', 'credits', 'none');
const durationMs = fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0);

export const anyUsage: fc.Arbitrary<Usage> = fc.record({
  inputFresh: count,
  cacheRead: count,
  cacheWrite: count,
  outputText: count,
  outputReasoning: count,
  images: count,
  videos: count,
});

const anyPrice: fc.Arbitrary<PriceSnapshot> = fc.record({
  prices: fc.record({
    inputMicro: micro,
    outputMicro: micro,
    cacheInputMicro: unsetMicro,
    cacheOutputMicro: unsetMicro,
    cacheWriteMicro: unsetMicro,
    imageMicro: micro,
    videoMicro: micro,
  }),
  rates: fc.record({
    rateMultiplierMicro: micro,
    systemMicro: micro,
    userMicro: micro,
    vendorMicro: micro,
    credentialMicro: micro,
    nodeMicro: micro,
    batchMicro: unsetMicro,
  }),
});

const caller = {
  callId: text,
  createdAtMs: count,
  accountId: id,
  keyId: id,
  keyName: text,
  modelAsked: text,
  modelUsed: text,
  protocolIn: protocol,
  stream: fc.boolean(),
  payer,
  heldMicro: micro,
} as const;

const leasedWindow = {
  scope: text,
  dimension: fc.constantFrom(...DIMENSIONS),
  seconds: count,
  startedAtMs: count,
} as const;

export const anyOpen = fc.record({
  ...caller,
  routeId: id,
  vendor: text,
  credential: text,
  own: fc.constantFrom(true, undefined),
  protocolOut: protocol,
  price: anyPrice,
  inputTokens: count,
  images: count,
  outputTokensMax: fc.option(count, { nil: undefined }),
  windows: fc.array(fc.record(leasedWindow), { maxLength: 3 }),
}) satisfies fc.Arbitrary<OpenCall>;

const attempt = { routeId: id, vendor: text, credential: text, outcome: text, durationMs } as const;

const anyHit = fc.option(
  fc.record({
    of: text,
    scope: fc.option(text),
    policy: fc.option(text),
    limit: text,
    used: text,
    held: text,
    needed: fc.option(text),
    seconds: count,
    resetMs: durationMs,
  }),
  { nil: undefined },
);

export const anyEnd = fc.record({
  ...caller,
  routeId: fc.option(id),
  vendor: fc.option(text),
  protocolOut: fc.option(protocol),
  status: fc.integer({ min: 100, max: 599 }),
  errorCode: fc.option(fc.integer({ min: 40_001, max: 50_401 })),
  usage: anyUsage,
  estimated: fc.boolean(),
  price: fc.option(anyPrice),
  amountMicro: micro,
  chargeMicro: micro,
  freeReason: fc.option(fc.constantFrom('byok', 'covered', 'below-one-credit', 'nothing-produced')),
  verdict: fc.constantFrom(
    'complete',
    'cut-by-upstream',
    'cut-by-client',
    'cut-by-gateway',
    'refused',
    'failed',
  ),
  attempts: fc.array(
    fc.oneof(fc.record(attempt), fc.record({ ...attempt, startMs: durationMs, headMs: durationMs })),
    { maxLength: 3 },
  ),
  expected: fc.option(fc.record({ inputTokens: count, outputTokens: count, images: count }), {
    nil: undefined,
  }),
  refusal: fc.option(
    fc.record({ message: text, retryAfterSeconds: fc.option(count, { nil: undefined }), hit: anyHit }),
    { nil: undefined },
  ),
  job: fc.option(fc.record({ kind: fc.constantFrom('video'), objectId: text }), { nil: undefined }),
  ttfbMs: fc.option(durationMs),
  durationMs,
  droppedFields: fc.array(text, { maxLength: 3 }),
  windows: fc.array(fc.record({ ...leasedWindow, used: micro }), { maxLength: 3 }),
}) satisfies fc.Arbitrary<CallRecord>;
