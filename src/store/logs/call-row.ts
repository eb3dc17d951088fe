import type { PriceSnapshot } from '../../catalog/price.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import type { Expected, ShortOf } from '../../ledger/shortfall.ts';
import { encodePrice } from '../catalog/price-json.ts';
import { type Columns, columnNames, encodeColumns, flag, json, text, time, whole } from '../columns.ts';
import type { Consumption, Short } from '../ledger/charge.ts';
import type { Part } from '../writes.ts';

/** The maximum of the column. A wall clock that is set by weeks during a call must not prevent its charge. */
const DURATION_MS_MAX = 2_147_483_647;

const CALL_COLUMNS: Columns<CallRecord> = {
  call_id: text((call) => call.callId),
  created_at: time((call) => call.createdAtMs),
  account_id: whole('bigint', (call) => call.accountId),
  key_id: whole('bigint', (call) => call.keyId),
  key_name: text((call) => call.keyName),
  model_asked: text((call) => call.modelAsked),
  model_used: text((call) => call.modelUsed),
  route_id: whole('bigint', (call) => call.routeId),
  vendor: text((call) => call.vendor),
  protocol_in: text((call) => call.protocolIn),
  protocol_out: text((call) => call.protocolOut),
  stream: flag((call) => call.stream),
  status: whole('int', (call) => call.status),
  error_code: whole('int', (call) => call.errorCode),
  input_fresh: whole('bigint', ({ usage }) => usage.inputFresh),
  cache_read: whole('bigint', ({ usage }) => usage.cacheRead),
  cache_write: whole('bigint', ({ usage }) => usage.cacheWrite),
  output_text: whole('bigint', ({ usage }) => usage.outputText),
  output_reasoning: whole('bigint', ({ usage }) => usage.outputReasoning),
  images: whole('bigint', ({ usage }) => usage.images),
  videos: whole('bigint', ({ usage }) => usage.videos),
  estimated: flag((call) => call.estimated),
  payer: text((call) => call.payer),
  amount_micro: whole('bigint', (call) => call.amountMicro),
  charge_micro: whole('bigint', (call) => call.chargeMicro),
  free_reason: text((call) => call.freeReason),
  verdict: text((call) => call.verdict),
  attempts: json((call) => call.attempts),
  held_micro: whole('bigint', (call) => call.heldMicro),
  ttfb_ms: whole('int', ({ ttfbMs }) => (ttfbMs === null ? null : Math.round(ttfbMs))),
  duration_ms: whole('int', (call) => Math.min(Math.round(call.durationMs), DURATION_MS_MAX)),
  dropped_fields: json((call) => call.droppedFields),
  admitted_ms: whole('int', ({ admittedMs }) => cutMs(admittedMs)),
  gate_ms: whole('int', ({ gateMs }) => cutMs(gateMs)),
  refusal: json((call) => call.refusal ?? null),
};

function cutMs(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.min(Math.round(ms), DURATION_MS_MAX);
}

/** The index of a call's price among those of the batch, which are the value after all columns. */
const PRICE_PLACE = whole<number | null>('int', (place) => place);
const WITH_PRICE = { ...CALL_COLUMNS, price: PRICE_PLACE };

export const INSERT_CALLS: Part = {
  name: 'logged',
  columns: WITH_PRICE,
  text: (given) => `
    insert into calls (${columnNames(CALL_COLUMNS)}, price)
    select ${columnNames(CALL_COLUMNS)}, $${Object.keys(WITH_PRICE).length + 1}::jsonb -> price
    from ${given}`,
};

/** Many calls have the same price, which is a third of a row, so each price is sent once. */
export function encodeCalls(calls: readonly CallRecord[]): string[] {
  const places = new Map<PriceSnapshot, number>();
  const placed = calls.map(({ price }) => (price === null ? null : requirePriceIndex(places, price)));
  const prices = JSON.stringify([...places.keys()].map(encodePrice));
  return [...encodeColumns(CALL_COLUMNS, calls), PRICE_PLACE.encode(placed), prices];
}

function requirePriceIndex(places: Map<PriceSnapshot, number>, price: PriceSnapshot): number {
  const place = places.get(price) ?? places.size;
  if (place === places.size) places.set(price, place);
  return place;
}

/** The receipt of a call that was not paid in full. Amounts and entry numbers are texts. */
export interface ShortJson {
  readonly of: ShortOf;
  readonly capMicro: string | null;
  readonly mayExchange: boolean;
  readonly seq: string;
  readonly expected: Expected | null;
}

/**
 * The stored receipt contains how the charge was paid. Usage, prices and rates are in the call log only,
 * which is kept for as long. ledger/receipt.ts combines them.
 */
const CONSUMPTION_COLUMNS: Columns<Consumption> = {
  call_id: text(({ call }) => call.callId),
  created_at: time(({ call }) => call.createdAtMs),
  account_id: whole('bigint', ({ call }) => call.accountId),
  month: text((each) => each.month),
  amount_micro: whole('bigint', ({ call }) => call.amountMicro),
  spent_micro: whole('bigint', (each) => each.spentMicro),
  credits_micro: whole('bigint', (each) => each.creditsMicro),
  shortfall_micro: whole('bigint', (each) => each.shortfallMicro),
  receipt: json(({ call, creditsPerYuan, exchangedMicro }) => ({
    model: call.modelUsed,
    estimated: call.estimated,
    creditsPerYuan,
    chargeMicro: String(call.chargeMicro),
    exchangedMicro: String(exchangedMicro),
  })),
  short: json(({ short, call }) => (short === undefined ? null : shortJson(short, call))),
};

function shortJson({ of, capMicro, mayExchange, seq }: Short, { expected }: CallRecord): ShortJson {
  const cap = capMicro === undefined ? null : String(capMicro);
  return { of, capMicro: cap, mayExchange, seq: String(seq), expected: expected ?? null };
}

export const INSERT_CONSUMPTIONS: Part = {
  name: 'consumed',
  columns: CONSUMPTION_COLUMNS,
  text: (given) => `
    insert into consumptions (${columnNames(CONSUMPTION_COLUMNS)})
    select ${columnNames(CONSUMPTION_COLUMNS)} from ${given}`,
};

export function encodeConsumptions(consumptions: readonly Consumption[]): string[] {
  return encodeColumns(CONSUMPTION_COLUMNS, consumptions);
}
