import type { PriceSnapshot } from '../../src/catalog/price.ts';
import { chargeableCreditsMicro, costMicro } from '../../src/catalog/price.ts';
import { newCallId } from '../../src/kernel/id.ts';
import { NO_USAGE, type Usage } from '../../src/kernel/usage.ts';
import type { CallRecord } from '../../src/ledger/contract.ts';
import type { Database } from '../../src/store/database.ts';
import { postMovement } from '../../src/store/ledger/movement.ts';

export const CREDITS_PER_YUAN = 1000;
export const NOVEMBER = Date.UTC(2026, 10, 15, 12);
const LIST_PRICE = 100_000_000n;

/** 10 yuan per million input tokens, 30 for output, all rates at list price. */
export const PRICE: PriceSnapshot = {
  prices: {
    inputMicro: 10_000_000n,
    outputMicro: 30_000_000n,
    cacheInputMicro: 1_000_000n,
    cacheOutputMicro: undefined,
    cacheWriteMicro: undefined,
    imageMicro: 300_000n,
    videoMicro: 0n,
  },
  rates: {
    rateMultiplierMicro: 1_000_000n,
    systemMicro: LIST_PRICE,
    userMicro: LIST_PRICE,
    vendorMicro: LIST_PRICE,
    credentialMicro: LIST_PRICE,
    nodeMicro: LIST_PRICE,
  },
};

export interface CallOptions extends Partial<CallRecord> {
  readonly accountId: number;
}

/** A complete call paid with Credits; its amount and charge follow from its usage. */
export function callOf(options: CallOptions): CallRecord {
  const createdAtMs = options.createdAtMs ?? NOVEMBER;
  const usage: Usage = options.usage ?? { ...NO_USAGE, inputFresh: 1000, outputText: 500 };
  const amountMicro = costMicro(usage, PRICE);
  const chargeMicro = chargeableCreditsMicro(amountMicro, CREDITS_PER_YUAN);
  return {
    callId: newCallId(createdAtMs),
    createdAtMs,
    keyId: 1,
    keyName: 'test key',
    modelAsked: 'gpt-5',
    modelUsed: 'gpt-5',
    routeId: 1,
    vendor: 'openai',
    protocolIn: 'chat',
    protocolOut: 'responses',
    stream: true,
    status: 200,
    errorCode: null,
    usage,
    estimated: false,
    payer: 'credits',
    price: PRICE,
    amountMicro,
    chargeMicro,
    freeReason: null,
    verdict: 'complete',
    attempts: [{ routeId: 1, vendor: 'openai', credential: 'openai-main', outcome: 'ok', durationMs: 12 }],
    // What was granted is what may be taken.
    heldMicro: options.chargeMicro ?? chargeMicro,
    ttfbMs: 20,
    durationMs: 300,
    droppedFields: [],
    windows: [],
    ...options,
  };
}

const VIDEO_PRICE: PriceSnapshot = { ...PRICE, prices: { ...PRICE.prices, videoMicro: 25_000n } };

/** A call of now that created a video; it costs 25 Credits. */
export function jobOf(options: CallOptions): CallRecord {
  const createdAtMs = options.createdAtMs ?? Date.now();
  const callId = newCallId(createdAtMs);
  const video = { usage: { ...NO_USAGE, videos: 1 }, price: VIDEO_PRICE, stream: false, ttfbMs: null };
  const paid = { amountMicro: 25_000n, chargeMicro: 25_000_000n };
  const job = { kind: 'video', objectId: `video_${callId}` } as const;
  return callOf({ callId, createdAtMs, ...video, ...paid, modelUsed: 'sora-2', job, ...options });
}

export interface AccountOptions {
  readonly creditsMicro?: bigint;
  readonly balanceMicro?: bigint;
  readonly autoExchange?: boolean;
}

/** An account with money that came through the ledger. */
export async function accountWith(database: Database, options: AccountOptions = {}): Promise<number> {
  return await database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ id: bigint }>(
      `insert into accounts (email, password_hash, status, role, user_type, user_rate_micro, api_billing, auto_exchange)
       values (gen_random_uuid()::text, 'none', 'enabled', 'user', 1, 100000000, true, $1) returning id`,
      [options.autoExchange ?? false],
    );
    const accountId = Number(row?.id);
    const opening = { accountId, kind: 'top_up', ref: 'opening' } as const;
    const { creditsMicro = 0n, balanceMicro = 0n } = options;
    if (creditsMicro > 0n)
      await postMovement(transaction, { ...opening, pool: 'credits', changeMicro: creditsMicro });
    if (balanceMicro > 0n)
      await postMovement(transaction, { ...opening, pool: 'balance', changeMicro: balanceMicro });
    return accountId;
  });
}
