import type { PriceSnapshot } from '../../catalog/price.ts';
import { parseJson } from '../../kernel/encoding/json.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { Payer } from '../../ledger/contract.ts';
import { decodePrice, type PriceJson } from '../catalog/price-json.ts';
import { type Database, idNumber } from '../database.ts';
import { type UsageColumns, usageFromRow } from './usage-row.ts';

/** A call that reached a vendor, with what it was charged by. Equal prices are the same object. */
export interface PricedCall {
  readonly createdAtMs: number;
  readonly model: string;
  readonly vendor: string;
  readonly routeId: number | undefined;
  readonly payer: Payer;
  readonly usage: Usage;
  readonly price: PriceSnapshot;
  readonly amountMicro: bigint;
  readonly chargeMicro: bigint;
}

interface Row extends UsageColumns {
  readonly call_id: string;
  readonly created_at: Date;
  readonly model_used: string;
  readonly vendor: string;
  readonly route_id: bigint | null;
  readonly payer: Payer;
  readonly price: string;
  readonly amount_micro: bigint;
  readonly charge_micro: bigint;
}

/** A call that was to be paid with Credits, with what was taken for it. */
export interface ChargedCall extends PricedCall {
  readonly callId: string;
  readonly accountId: number;
  readonly creditsPerYuan: number;
  readonly takenMicro: bigint;
  readonly shortfallMicro: bigint;
  /** What corrections gave back; negative if they took more. */
  readonly correctedMicro: bigint;
}

interface ChargedRow extends Row {
  readonly account_id: bigint;
  readonly credits_per_yuan: number;
  readonly taken_micro: bigint;
  readonly shortfall_micro: bigint;
  readonly corrected_micro: bigint;
}

/** Of one model. The page is chosen first, and the rest is looked up for its rows only. */
const CHARGED_PAGE = `
  select c.*, (s.receipt ->> 'creditsPerYuan')::int as credits_per_yuan, s.credits_micro as taken_micro,
    s.shortfall_micro, corrected.sum_micro as corrected_micro
  from (
    select call_id, created_at, model_used, vendor, route_id, payer, price::text as price, amount_micro, charge_micro,
      input_fresh, cache_read, cache_write, output_text, output_reasoning, images, videos, account_id
    from calls
    where created_at >= $1 and (created_at, call_id) < ($2::timestamptz, $3) and price is not null
      and vendor is not null and payer = 'credits' and model_used = $5
    order by created_at desc, call_id desc limit $4) as c
  cross join lateral (
    select receipt, credits_micro, shortfall_micro from consumptions
    where consumptions.created_at = c.created_at and consumptions.call_id = c.call_id limit 1) as s
  cross join lateral (
    select coalesce(sum(change_micro), 0)::bigint as sum_micro from ledger_entries e
    where e.account_id = c.account_id and e.ref = c.call_id and e.kind = 'adjustment' and e.call_at is not null
      and e.pool = 'credits') as corrected
  order by c.created_at desc, c.call_id desc`;

/** Newest first, each page after the last one, by the primary key. */
const PAGE = `
  select call_id, created_at, model_used, vendor, route_id, payer, price::text as price, amount_micro, charge_micro,
    input_fresh, cache_read, cache_write, output_text, output_reasoning, images, videos
  from calls
  where created_at >= $1 and (created_at, call_id) < ($2::timestamptz, $3) and price is not null and vendor is not null
  order by created_at desc, call_id desc limit $4`;

/** Accounts have rates of their own, so there are many prices; those of a day fit. */
const PRICES_KEPT_MAX = 10_000;
const PRICE_BYTES_MAX = 16_384;
const PRICE_DEPTH_MAX = 8;

export interface CallPeriod {
  readonly fromMs: number;
  readonly toMs: number;
  readonly pageRows: number;
}

/** The calls of a period in pages. The reader stops when it has enough. */
export async function* pricedCalls(
  database: Database,
  period: CallPeriod,
): AsyncGenerator<readonly PricedCall[]> {
  const readPrice = createPriceReader();
  for await (const rows of pagesOf<Row>(database, PAGE, { ...period, more: [] })) {
    yield rows.map((row) => toCall(row, readPrice(row.price)));
  }
}

/** The calls of one model that were to be paid with Credits, in pages. */
export async function* chargedCalls(
  database: Database,
  { modelId, ...period }: CallPeriod & { readonly modelId: string },
): AsyncGenerator<readonly ChargedCall[]> {
  const readPrice = createPriceReader();
  for await (const rows of pagesOf<ChargedRow>(database, CHARGED_PAGE, { ...period, more: [modelId] })) {
    yield rows.map((row) => ({
      ...toCall(row, readPrice(row.price)),
      callId: row.call_id,
      accountId: idNumber(row.account_id),
      creditsPerYuan: row.credits_per_yuan,
      takenMicro: row.taken_micro,
      shortfallMicro: row.shortfall_micro,
      correctedMicro: row.corrected_micro,
    }));
  }
}

async function* pagesOf<Each extends Row>(
  database: Database,
  statement: string,
  { fromMs, toMs, pageRows, more }: CallPeriod & { readonly more: readonly string[] },
): AsyncGenerator<readonly Each[]> {
  let last: readonly [string, string] = [new Date(toMs).toISOString(), ''];
  for (;;) {
    const values = [new Date(fromMs).toISOString(), ...last, pageRows, ...more];
    const rows: readonly Each[] = await database.query<Each>(statement, values);
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageRows) return;
    last = [end.created_at.toISOString(), end.call_id];
  }
}

/** Equal texts are the same object, which what is computed from it is remembered by. */
function createPriceReader(): (text: string) => PriceSnapshot {
  const prices = new Map<string, PriceSnapshot>();
  return (text) => {
    const known = prices.get(text);
    if (known !== undefined) return known;
    if (prices.size >= PRICES_KEPT_MAX) prices.clear();
    const parsed = parseJson(text, { bytesMax: PRICE_BYTES_MAX, depthMax: PRICE_DEPTH_MAX });
    const read = decodePrice((parsed.kind === 'parsed' ? parsed.value : undefined) as PriceJson);
    prices.set(text, read);
    return read;
  };
}

function toCall(row: Row, price: PriceSnapshot): PricedCall {
  return {
    createdAtMs: row.created_at.getTime(),
    model: row.model_used,
    vendor: row.vendor,
    routeId: row.route_id === null ? undefined : idNumber(row.route_id),
    payer: row.payer,
    usage: usageFromRow(row),
    price,
    amountMicro: row.amount_micro,
    chargeMicro: row.charge_micro,
  };
}
