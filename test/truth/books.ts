import type { World } from '../support/world.ts';

/** What the books say of one call: its row in the log, and what it moved. */
export interface Booked {
  readonly model_used: string;
  readonly account: number;
  readonly protocol_in: string;
  readonly protocol_out: string | null;
  readonly stream: boolean;
  readonly status: number;
  readonly verdict: string;
  readonly payer: string;
  readonly free_reason: string | null;
  readonly estimated: boolean;
  readonly input_fresh: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output_text: number;
  readonly output_reasoning: number;
  readonly images: number;
  readonly amount_micro: bigint;
  readonly charge_micro: bigint;
  readonly held_micro: bigint;
  /** Of the consumption log; nothing when the call was free. */
  readonly paid_micro: bigint | null;
  readonly shortfall_micro: bigint | null;
  /** Entries of the account's ledger for this call, and what they changed. */
  readonly entries: number;
  readonly changed_micro: bigint;
}

const ROWS = `
  select c.model_used, c.account_id::int as account, c.protocol_in, c.protocol_out, c.stream, c.status, c.verdict,
    c.payer, c.free_reason, c.estimated, c.input_fresh::int, c.cache_read::int, c.cache_write::int,
    c.output_text::int, c.output_reasoning::int, c.images::int, c.amount_micro, c.charge_micro, c.held_micro,
    s.credits_micro as paid_micro, s.shortfall_micro,
    (select count(*)::int from ledger_entries e where e.ref = c.call_id and e.account_id = c.account_id) as entries,
    (select coalesce(sum(e.change_micro), 0)::bigint from ledger_entries e
     where e.ref = c.call_id and e.account_id = c.account_id) as changed_micro
  from calls c left join consumptions s using (created_at, call_id)
  where c.model_asked = any($1) order by c.created_at, c.id`;

/** The calls of these models by model and account, oldest first. */
export async function readBooks(
  world: World,
  models: readonly string[],
): Promise<ReadonlyMap<string, readonly Booked[]>> {
  const rows = await world.database.query<Booked & { readonly model_used: string } & Record<string, unknown>>(
    ROWS,
    [models],
  );
  const found = new Map<string, Booked[]>();
  for (const row of rows) {
    const place = placeOf(row.model_used, row.account);
    const known = found.get(place);
    if (known === undefined) found.set(place, [row]);
    else known.push(row);
  }
  return found;
}

export function placeOf(model: string, accountId: number): string {
  return `${model} ${accountId}`;
}

/** Credits by account. */
export async function readCredits(world: World): Promise<ReadonlyMap<number, bigint>> {
  const rows = await world.database.query<{ id: bigint; credits_micro: bigint }>(
    'select id, credits_micro from accounts',
  );
  return new Map(rows.map(({ id, credits_micro }) => [Number(id), credits_micro]));
}
