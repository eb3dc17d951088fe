import { PAGE_SIZE_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { timeOfCallId } from '../../kernel/id.ts';
import type { Attempt, FreeReason, Payer } from '../../ledger/contract.ts';
import type { ConsumptionItem } from '../../ledger/log.ts';
import { describeReceipt, type Receipt, type SourceEntry } from '../../ledger/receipt.ts';
import { decodePrice, type PriceJson } from '../catalog/price-json.ts';
import { type Database, idNumber } from '../database.ts';
import { type UsageColumns, usageFromRow } from './usage-row.ts';

/** Where a page begins: after the last row of the previous page. */
export interface ConsumptionCursor {
  readonly createdAtMs: number;
  readonly id: number;
}

export interface ConsumptionRow extends UsageColumns {
  readonly id: bigint;
  readonly call_id: string;
  readonly created_at: Date;
  readonly amount_micro: bigint;
  readonly credits_micro: bigint;
  readonly shortfall_micro: bigint;
  readonly receipt: { readonly creditsPerYuan: number; readonly exchangedMicro: string };
  readonly model_used: string;
  readonly model_asked: string;
  readonly payer: Payer;
  readonly estimated: boolean;
  readonly price: PriceJson;
  readonly charge_micro: bigint;
  readonly held_micro: bigint;
  readonly free_reason: FreeReason | null;
  readonly attempts: readonly Attempt[];
  readonly entries: readonly EntryJson[];
}

interface EntryJson {
  readonly id: string;
  readonly kind: string;
  readonly pool: string;
  readonly change: string;
  readonly after: string;
}

/**
 * The rows that `picked` selects, each with its call and its ledger entries. A call's charge is found by its
 * id, and its exchange is the entry before it; holds and corrections name it too. Ids and amounts are texts,
 * because JSON numbers are floats. Rows of one millisecond are in the order of this log's ids, or of the
 * calls'.
 */
export const withReceipts = (picked: string, within: 'picked.id' | 'c.id' = 'picked.id'): string => `
  select picked.*, c.model_used, c.model_asked, c.payer, c.estimated, c.input_fresh, c.cache_read,
    c.cache_write, c.output_text, c.output_reasoning, c.images, c.videos, c.price, c.charge_micro, c.held_micro,
    c.free_reason, c.attempts, coalesce(entries.list, '[]') as entries
  from (select id, call_id, created_at, account_id, amount_micro, credits_micro, shortfall_micro, receipt
        from consumptions where ${picked}) as picked
  join calls c on c.account_id = picked.account_id and c.created_at = picked.created_at
    and c.call_id = picked.call_id
  left join lateral (
    select json_agg(json_build_object('id', e.id::text, 'kind', e.kind, 'pool', e.pool,
      'change', e.change_micro::text, 'after', e.after_micro::text) order by e.seq) as list
    from (
      select e.* from ledger_entries charge
      join ledger_entries e on e.account_id = charge.account_id and e.ref = charge.ref
        and e.seq between charge.seq - 2 and charge.seq
      where charge.ref = picked.call_id and charge.account_id = picked.account_id
        and charge.kind = 'consumption' and picked.credits_micro > 0
      union
      select e.* from ledger_entries held
      join ledger_entries e on e.account_id = held.account_id and e.ref = held.ref
        and e.seq between held.seq - 2 and held.seq
      where held.account_id = picked.account_id and held.ref = picked.call_id and held.kind = 'hold'
      union
      select e.* from ledger_entries e
      where e.account_id = picked.account_id and e.ref = picked.call_id and e.kind = 'adjustment'
        and e.call_at is not null) as e) as entries on c.payer = 'credits'
  order by picked.created_at desc, ${within} desc`;

const FIND = withReceipts('account_id = $1 and call_id = $2 and created_at = $3');
const PAGE = withReceipts(`account_id = $1 and (created_at, id) < ($2, $3)
  order by created_at desc, id desc limit $4`);

/** The newest rows of an account, or those after the cursor. */
export async function listConsumptions(
  database: Database,
  accountId: number,
  page: { readonly after?: ConsumptionCursor; readonly limit: number },
): Promise<readonly ConsumptionItem[]> {
  assert(page.limit >= 1 && page.limit <= PAGE_SIZE_MAX, 'a page is bounded');
  const { after, limit } = page;
  const from = after === undefined ? ['infinity', 0] : [new Date(after.createdAtMs).toISOString(), after.id];
  const rows = await database.query<ConsumptionRow>(PAGE, [accountId, ...from, limit]);
  return rows.map(itemFromRow);
}

/** Undefined if the account has no such call, or the call never reached a vendor. */
export async function findReceipt(
  database: Database,
  accountId: number,
  callId: string,
): Promise<Receipt | undefined> {
  // The id contains the time, and both together are the key of the log: no other month is read.
  const createdAtMs = timeOfCallId(callId);
  if (createdAtMs === undefined) return undefined;
  const values = [accountId, callId, new Date(createdAtMs).toISOString()];
  const [row] = await database.query<ConsumptionRow>(FIND, values);
  return row === undefined ? undefined : itemFromRow(row).receipt;
}

export function itemFromRow(row: ConsumptionRow): ConsumptionItem {
  return {
    id: idNumber(row.id),
    callId: row.call_id,
    createdAtMs: row.created_at.getTime(),
    amountMicro: row.amount_micro,
    creditsMicro: row.credits_micro,
    shortfallMicro: row.shortfall_micro,
    receipt: receiptFromRow(row),
  };
}

function receiptFromRow(row: ConsumptionRow): Receipt {
  return describeReceipt({
    callId: row.call_id,
    modelUsed: row.model_used,
    modelAsked: row.model_asked,
    payer: row.payer,
    estimated: row.estimated,
    usage: usageFromRow(row),
    price: decodePrice(row.price),
    chargeMicro: row.charge_micro,
    heldMicro: row.held_micro,
    freeReason: row.free_reason,
    attempts: row.attempts,
    creditsPerYuan: row.receipt.creditsPerYuan,
    exchangedMicro: BigInt(row.receipt.exchangedMicro),
    creditsMicro: row.credits_micro,
    shortfallMicro: row.shortfall_micro,
    entries: row.entries.map(entryFromJson),
  });
}

function entryFromJson(entry: EntryJson): SourceEntry {
  return {
    id: BigInt(entry.id),
    kind: entry.kind,
    pool: entry.pool,
    changeMicro: BigInt(entry.change),
    afterMicro: BigInt(entry.after),
  };
}
