import { DOCTOR_FINDINGS_MAX } from '../../bounds.ts';
import type { Shortfall } from '../../ledger/shortfall.ts';
import { type Database, idNumber } from '../database.ts';
import type { ShortJson } from '../logs/call-row.ts';
import { type UsageColumns, usageFromRow } from '../logs/usage-row.ts';

/** What a pool of the account had after the last entry before the call was settled, or with it. */
const selectLeft = (pool: 'credits' | 'balance'): string => `coalesce((
  select e.after_micro from ledger_entries e
  where e.account_id = s.account_id and e.pool = '${pool}' and e.seq <= (s.short ->> 'seq')::bigint
  order by e.seq desc limit 1), 0)`;

/** Micro-yuan that jobs held when the call was settled. They counted under the cap, void ones too. */
const HELD_THEN = `coalesce((
  select -sum(e.change_micro) from ledger_entries e
  where e.account_id = s.account_id and e.kind = 'hold' and e.seq <= (s.short ->> 'seq')::bigint), 0)
  / (s.receipt ->> 'creditsPerYuan')::numeric`;

/**
 * Each reason for a shortfall is compared with the ledger, also if nothing was taken. For older records
 * without reasons, only a charge shows what it left.
 */
export const SHORTFALL_WITH_MONEY = `
  select 'call ' || call_id as subject, shortfall_micro || ' short of ' || coalesce(short_of, 'something') || ', with '
    || credits_left || ' Credits and ' || balance_left || ' yuan left, '
    || month_spent || ' spent of a cap of ' || coalesce(cap_micro::text, 'nothing') as detail
  from (
    select s.call_id, s.created_at, s.shortfall_micro, s.credits_micro, c.held_micro, s.short ->> 'of' as short_of,
      s.short is null as is_old, (s.short ->> 'mayExchange')::boolean as may_exchange,
      (s.short ->> 'capMicro')::numeric as cap_micro, ${selectLeft('credits')} as credits_left,
      ${selectLeft('balance')} as balance_left,
      coalesce((select sum(other.spent_micro) from consumptions other
        where other.account_id = s.account_id and other.month = s.month), 0) + ${HELD_THEN} as month_spent,
      (select e.after_micro from ledger_entries e where e.ref = s.call_id and e.kind = 'consumption'
        and e.account_id = s.account_id) as charge_left
    from consumptions s join calls c on c.created_at = s.created_at and c.call_id = s.call_id
    where s.shortfall_micro > 0 or s.short is not null) told
  where case
    when shortfall_micro = 0 then true
    when is_old then charge_left > 0 and credits_micro <> held_micro
    when short_of = 'credits' then credits_left > 0 or (may_exchange and balance_left > 0)
    when short_of = 'cap' then cap_micro is null or month_spent < cap_micro
    when short_of = 'month-over' then credits_micro <> held_micro
    else true end
  order by created_at, call_id limit $1`;

const COUNT = `
  select count(*) as calls, coalesce(sum(shortfall_micro), 0)::bigint as sum_micro
  from consumptions where shortfall_micro > 0`;

const NEWEST = `
  select s.call_id, s.account_id, s.shortfall_micro, s.short, c.model_used, c.vendor, c.charge_micro, c.held_micro,
    c.input_fresh, c.cache_read, c.cache_write, c.output_text, c.output_reasoning, c.images, c.videos
  from consumptions s join calls c on c.created_at = s.created_at and c.call_id = s.call_id
  where s.shortfall_micro > 0 order by s.created_at desc, s.call_id desc limit $1`;

interface ShortfallRow extends UsageColumns {
  readonly call_id: string;
  readonly account_id: bigint;
  readonly shortfall_micro: bigint;
  readonly short: ShortJson | null;
  readonly model_used: string;
  readonly vendor: string | null;
  readonly charge_micro: bigint;
  readonly held_micro: bigint;
}

/** All calls in the kept logs that were not paid in full. */
export interface Shortfalls {
  readonly calls: number;
  readonly sumMicro: bigint;
  /** The newest of them, at most as many as findings. */
  readonly newest: readonly Shortfall[];
}

export async function listShortfalls(database: Database): Promise<Shortfalls> {
  const [count] = await database.query<{ calls: bigint; sum_micro: bigint }>(COUNT);
  const rows = await database.query<ShortfallRow>(NEWEST, [DOCTOR_FINDINGS_MAX]);
  return {
    calls: idNumber(count?.calls ?? 0n),
    sumMicro: count?.sum_micro ?? 0n,
    newest: rows.map(shortfallFromRow),
  };
}

function shortfallFromRow(row: ShortfallRow): Shortfall {
  return {
    callId: row.call_id,
    accountId: idNumber(row.account_id),
    model: row.model_used,
    vendor: row.vendor ?? 'unknown',
    usage: usageFromRow(row),
    chargeMicro: row.charge_micro,
    heldMicro: row.held_micro,
    shortfallMicro: row.shortfall_micro,
    of: row.short?.of,
    expected: row.short?.expected ?? undefined,
  };
}
