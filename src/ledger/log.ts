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
  readonly payer?: Payer | undefined;
}

export const PAYERS = ['byok', 'subscription', 'credits', 'none'] as const satisfies readonly Payer[];

/** What usage can be added up by. */
export const USAGE_GROUPS = ['model', 'key', 'protocol', 'payer'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** A question about usage; only whole rows of the roll-ups can be left out, so `ok` and `failed` are none. */
export interface UsageFilter extends Omit<LogFilter, 'status'> {
  readonly status?: number | undefined;
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
  /** Streams that got a first token, and their milliseconds until it. */
  readonly ttftCalls: number;
  readonly ttftMs: number;
}

export interface GroupUsage extends UsageSums {
  /** A model, the number of a key, a protocol or a payer. */
  readonly group: string;
}

/** Of some groups, or of all others together (`undefined`): what was used between each edge and the next. */
export interface GroupSeries {
  readonly group: string | undefined;
  readonly points: readonly UsageSums[];
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
