import type { Protocol } from '../kernel/protocol-name.ts';
import type { CallRecord, Granted, Payer } from './contract.ts';
import type { Receipt } from './receipt.ts';

/** The rows of the logs and their filters: plain data for every reader. */

/** One row of the call log, with its charge. */
export interface LoggedCall extends Omit<CallRecord, keyof Granted | NotShown> {
  /** The id of the row. It orders calls of the same millisecond. */
  readonly id: number;
  /** The charge, micro-Credits; 0 if it was free. */
  readonly creditsMicro: bigint;
}

type NotShown = 'routeId' | 'chargeMicro' | 'expected' | 'windows' | 'job';

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
  /** `ref` is the id of a call. */
  readonly isOfCall: boolean;
  /** The model of the call, in pages, while the call is in the log. */
  readonly model: string | undefined;
  readonly createdAtMs: number;
}

/** The start is inclusive, the end exclusive. */
export interface TimeRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface LogFilter extends TimeRange {
  /** One of these models served the call, or was requested if none did. */
  readonly models?: readonly string[] | undefined;
  readonly keyId?: number | undefined;
  readonly protocol?: Protocol | undefined;
  /** An HTTP status; `ok` is served as requested, or aborted by the client; `failed` is everything else. */
  readonly status?: number | 'ok' | 'failed' | undefined;
  readonly payer?: Payer | undefined;
}

export const PAYERS = ['byok', 'subscription', 'credits', 'none'] as const satisfies readonly Payer[];

/** The groups of usage sums. */
export const USAGE_GROUPS = ['model', 'key', 'protocol', 'payer'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** A filter of usage. Roll-ups have no verdicts, so `ok` and `failed` are not available. */
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
  /** The number of all rows that match the filter. */
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
  /** Streams that had a first token, and their milliseconds to it. */
  readonly ttftCalls: number;
  readonly ttftMs: number;
}

export interface GroupUsage extends UsageSums {
  /** A model, the number of a key, a protocol or a payer. */
  readonly group: string;
}

/** The usage of one group, or of all others together (`undefined`), between each edge and the next. */
export interface GroupSeries {
  readonly group: string | undefined;
  readonly points: readonly UsageSums[];
}

/** The usage of a model by all accounts in a period. */
export interface ModelTraffic {
  readonly model: string;
  readonly calls: number;
  readonly tokens: number;
  readonly users: number;
  /** Streams that had a first token, and their milliseconds to it. */
  readonly ttftCalls: number;
  readonly ttftMs: number;
  /** Complete streams whose tokens the vendor counted: tokens, and milliseconds from the first one on. */
  readonly speedCalls: number;
  readonly speedTokens: number;
  readonly speedMs: number;
}

export interface WantedGroups {
  readonly by: UsageGroup;
  readonly range: UsageFilter;
  /** The groups with the largest amounts. */
  readonly most: number;
}
