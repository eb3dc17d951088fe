import type { PriceSnapshot } from '../catalog/price.ts';
import type { CallRecord } from '../ledger/contract.ts';
import type { Consumption } from './charge.ts';
import { encodePrice } from './price-json.ts';

/** Columns of `calls` that a settlement writes, with their types in the record set. */
export const CALL_COLUMNS = {
  call_id: 'text',
  created_at: 'timestamptz',
  account_id: 'bigint',
  key_id: 'bigint',
  key_name: 'text',
  model_asked: 'text',
  model_used: 'text',
  route_id: 'bigint',
  vendor: 'text',
  protocol_in: 'text',
  protocol_out: 'text',
  stream: 'boolean',
  status: 'int',
  error_code: 'int',
  input_fresh: 'bigint',
  cache_read: 'bigint',
  cache_write: 'bigint',
  output_text: 'bigint',
  output_reasoning: 'bigint',
  images: 'bigint',
  videos: 'bigint',
  estimated: 'boolean',
  payer: 'text',
  /** Its place among the prices of the batch. */
  price: 'int',
  amount_micro: 'bigint',
  charge_micro: 'bigint',
  free_reason: 'text',
  verdict: 'text',
  attempts: 'jsonb',
  held_micro: 'bigint',
  ttfb_ms: 'int',
  duration_ms: 'int',
  dropped_fields: 'jsonb',
} as const;

type CallRow = Record<keyof typeof CALL_COLUMNS, unknown>;

export const CONSUMPTION_COLUMNS = {
  call_id: 'text',
  created_at: 'timestamptz',
  account_id: 'bigint',
  month: 'text',
  amount_micro: 'bigint',
  spent_micro: 'bigint',
  credits_micro: 'bigint',
  shortfall_micro: 'bigint',
  receipt: 'jsonb',
} as const;

type ConsumptionRow = Record<keyof typeof CONSUMPTION_COLUMNS, unknown>;

/**
 * The rows of a batch and its prices. Many calls have the same one, and it is a third of a row: each goes to
 * the database once, and a row has its place among them.
 */
export function encodeCallRows(calls: readonly CallRecord[]): [rows: string, prices: string] {
  const places = new Map<PriceSnapshot, number>();
  const rows = calls.map((call) => encodeCallRow(call, placeOf(places, call.price)));
  return [encodeRows(rows), JSON.stringify([...places.keys()].map(encodePrice))];
}

function placeOf(places: Map<PriceSnapshot, number>, price: PriceSnapshot | null): number | null {
  if (price === null) return null;
  const place = places.get(price) ?? places.size;
  if (place === places.size) places.set(price, place);
  return place;
}

/** The column's own. A wall clock that is set by weeks during a call must not make its charge unwritable. */
const DURATION_MS_MAX = 2_147_483_647;

function encodeCallRow(call: CallRecord, price: number | null): CallRow {
  const { usage } = call;
  return {
    call_id: call.callId,
    created_at: timeText(call),
    account_id: call.accountId,
    key_id: call.keyId,
    key_name: call.keyName,
    model_asked: call.modelAsked,
    model_used: call.modelUsed,
    route_id: call.routeId,
    vendor: call.vendor,
    protocol_in: call.protocolIn,
    protocol_out: call.protocolOut,
    stream: call.stream,
    status: call.status,
    error_code: call.errorCode,
    input_fresh: usage.inputFresh,
    cache_read: usage.cacheRead,
    cache_write: usage.cacheWrite,
    output_text: usage.outputText,
    output_reasoning: usage.outputReasoning,
    images: usage.images,
    videos: usage.videos,
    estimated: call.estimated,
    payer: call.payer,
    price,
    amount_micro: String(call.amountMicro),
    charge_micro: String(call.chargeMicro),
    free_reason: call.freeReason,
    verdict: call.verdict,
    attempts: call.attempts,
    held_micro: String(call.heldMicro),
    ttfb_ms: call.ttfbMs === null ? null : Math.round(call.ttfbMs),
    duration_ms: Math.min(Math.round(call.durationMs), DURATION_MS_MAX),
    dropped_fields: call.droppedFields,
  };
}

/**
 * The stored receipt says how the charge was paid. Usage, prices and rates stand once, in the call log, which
 * is kept for as long; ledger/receipt.ts puts them together.
 */
export function encodeConsumptionRow(consumption: Consumption, creditsPerYuan: number): ConsumptionRow {
  const { call } = consumption;
  return {
    call_id: call.callId,
    created_at: timeText(call),
    account_id: call.accountId,
    month: consumption.month,
    amount_micro: String(call.amountMicro),
    spent_micro: String(consumption.spentMicro),
    credits_micro: String(consumption.creditsMicro),
    shortfall_micro: String(consumption.shortfallMicro),
    receipt: {
      model: call.modelUsed,
      estimated: call.estimated,
      creditsPerYuan,
      chargeMicro: String(call.chargeMicro),
      exchangedMicro: String(consumption.exchangedMicro),
    },
  };
}

let lastTimeMs = Number.NaN;
let lastTimeText = '';

/** Calls of a batch come in the order of their time, many in one millisecond, and each is asked for twice. */
export function timeText({ createdAtMs }: CallRecord): string {
  if (createdAtMs !== lastTimeMs) {
    lastTimeText = new Date(createdAtMs).toISOString();
    lastTimeMs = createdAtMs;
  }
  return lastTimeText;
}

// What JSON.stringify prints for a NUL or half a surrogate pair; PostgreSQL stores neither.
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** Model names and field names are the client's own text; no spelling of them may stop a settlement. */
export function encodeRows(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
}

/** A text as PostgreSQL can store it, with a mark in place of what it cannot. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
