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

/** The calls of a period in pages. The reader stops when it has enough. */
export async function* pricedCalls(
  database: Database,
  { fromMs, toMs, pageRows }: { readonly fromMs: number; readonly toMs: number; readonly pageRows: number },
): AsyncGenerator<readonly PricedCall[]> {
  const prices = new Map<string, PriceSnapshot>();
  const parsePrice = (text: string): PriceSnapshot => {
    const known = prices.get(text);
    if (known !== undefined) return known;
    if (prices.size >= PRICES_KEPT_MAX) prices.clear();
    const parsed = parseJson(text, { bytesMax: PRICE_BYTES_MAX, depthMax: PRICE_DEPTH_MAX });
    const read = decodePrice((parsed.kind === 'parsed' ? parsed.value : undefined) as PriceJson);
    prices.set(text, read);
    return read;
  };
  let last: readonly [string, string] = [new Date(toMs).toISOString(), ''];
  for (;;) {
    const values = [new Date(fromMs).toISOString(), ...last, pageRows];
    const rows: readonly Row[] = await database.query<Row>(PAGE, values);
    if (rows.length > 0) yield rows.map((row) => toCall(row, parsePrice(row.price)));
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageRows) return;
    last = [end.created_at.toISOString(), end.call_id];
  }
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
