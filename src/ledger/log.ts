import type { Rates } from '../catalog/price.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Usage } from '../kernel/usage.ts';
import type { Attempt, FreeReason, Payer, Verdict } from './contract.ts';
import type { Receipt } from './receipt.ts';

/** What the logs tell an account of itself, and what one can ask them: plain data, for every reader. */

/** One row of the call log, with what was taken for it. */
export interface LoggedCall {
  /** Of the row: it orders calls of one millisecond. */
  readonly id: number;
  readonly callId: string;
  readonly createdAtMs: number;
  readonly accountId: number;
  readonly keyId: number;
  readonly keyName: string;
  readonly modelAsked: string;
  readonly modelUsed: string;
  readonly vendor: string | null;
  readonly protocolIn: Protocol;
  readonly protocolOut: Protocol | null;
  readonly stream: boolean;
  readonly status: number;
  readonly errorCode: number | null;
  readonly verdict: Verdict;
  readonly usage: Usage;
  readonly estimated: boolean;
  readonly payer: Payer;
  readonly freeReason: FreeReason | null;
  /** As they were at the time of the call; nothing when it reached no vendor. */
  readonly rates: Rates | null;
  /** What the call cost, micro-yuan. */
  readonly amountMicro: bigint;
  /** What was charged for it, micro-Credits; 0 when it was free. */
  readonly creditsMicro: bigint;
  readonly attempts: readonly Attempt[];
  readonly ttfbMs: number | null;
  readonly durationMs: number;
  readonly droppedFields: readonly string[];
}

/** A row of the consumption log. */
export interface ConsumptionItem {
  readonly id: number;
  readonly callId: string;
  readonly createdAtMs: number;
  readonly amountMicro: bigint;
  readonly creditsMicro: bigint;
  readonly shortfallMicro: bigint;
  readonly receipt: Receipt;
}

/** A row of the balance log. */
export interface BalanceItem {
  readonly id: number;
  readonly kind: string;
  readonly pool: string;
  readonly changeMicro: bigint;
  readonly afterMicro: bigint;
  readonly ref: string;
  readonly createdAtMs: number;
}

/** From the first moment on, up to but without the last one. */
export interface TimeRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface LogFilter extends TimeRange {
  /** The model that served, or was asked for when none did. */
  readonly model?: string | undefined;
  readonly keyId?: number | undefined;
  readonly protocol?: Protocol | undefined;
  /** An HTTP status; `ok` is served as asked for, or left by the client; `failed` is everything else. */
  readonly status?: number | 'ok' | 'failed' | undefined;
}

/** Counted from the newest row. */
export interface Place {
  readonly skip: number;
  readonly size: number;
}

export interface LogQuestion {
  readonly accountId: number;
  readonly filter: LogFilter;
  readonly place: Place;
}

export interface LogPage<Item> {
  readonly items: readonly Item[];
  /** Of all rows that fit the filter. */
  readonly total: number;
}

export interface UsageSums {
  readonly calls: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly images: number;
  readonly videos: number;
  readonly amountMicro: bigint;
  readonly creditsMicro: bigint;
}

export interface ModelUsage extends UsageSums {
  readonly model: string;
}

/** What all accounts together did with a model in a period. */
export interface ModelTraffic {
  readonly model: string;
  readonly calls: number;
  readonly tokens: number;
  readonly users: number;
  /** Streams that got a first token, and their milliseconds until it. */
  readonly ttftCalls: number;
  readonly ttftMs: number;
  /** Complete streams whose tokens the vendor counted: tokens, and milliseconds from the first one on. */
  readonly speedCalls: number;
  readonly speedTokens: number;
  readonly speedMs: number;
}
