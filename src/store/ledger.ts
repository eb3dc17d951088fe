import { StoreUnavailable } from '../accounts/contract.ts';
import { ROLLUP_LANES, SETTLE_BATCH_MAX } from '../bounds.ts';
import { assert } from '../kernel/assert.ts';
import type { Calendar } from '../kernel/calendar.ts';
import { fault } from '../kernel/fault.ts';
import { systemRandom } from '../kernel/random.ts';
import type { CallRecord, LedgerStore, SettledAccount } from '../ledger/contract.ts';
import {
  CALL_COLUMNS,
  CONSUMPTION_COLUMNS,
  encodeCallRows,
  encodeConsumptionRow,
  encodeRows,
  timeText,
} from './call-row.ts';
import { type Consumption, freeConsumption, takeCharge } from './charge.ts';
import { type Database, isSchemaFault } from './database.ts';
import { addToClosedDays } from './days.ts';
import { markKeysUsed } from './key-use.ts';
import { ensurePartitions, logMonth } from './partitions.ts';
import { type HeldPurse, holdPurses, savePurses } from './purse.ts';
import { addRollups } from './rollup.ts';
import { rememberWindows } from './windows.ts';

export interface LedgerOptions {
  readonly database: Database;
  readonly creditsPerYuan: number;
  /** Tells the month a spending cap counts in. */
  readonly calendar: Calendar;
}

export function createLedgerStore(options: LedgerOptions): LedgerStore {
  return new PostgresLedger(options);
}

const recordSet = (columns: Readonly<Record<string, string>>): string => {
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return `json_to_recordset($1) as rows(${types.join(', ')})`;
};
const namesOf = (columns: Readonly<Record<string, string>>): string => Object.keys(columns).join(', ');

const { price: _place, ...OWN_COLUMNS } = CALL_COLUMNS;
const INSERT_CALLS = `
  insert into calls (price, ${namesOf(OWN_COLUMNS)})
  select $2::jsonb -> price, ${namesOf(OWN_COLUMNS)} from ${recordSet(CALL_COLUMNS)}`;
const INSERT_CONSUMPTIONS = `
  insert into consumptions (${namesOf(CONSUMPTION_COLUMNS)})
  select ${namesOf(CONSUMPTION_COLUMNS)} from ${recordSet(CONSUMPTION_COLUMNS)}`;

// Of months whose log was dropped nothing can be looked up; their calls were settled long ago.
const FIND_KNOWN = `
  select asked.call_id from unnest($1::timestamptz[], $2::text[]) as asked(created_at, call_id)
  left join lateral (
    select true as is_logged from calls
    where calls.created_at = asked.created_at and calls.call_id = asked.call_id
      and calls.created_at between $3::timestamptz and $4::timestamptz limit 1) as logged on true
  where is_logged or asked.created_at < (select kept_from from log_retention)`;

class PostgresLedger implements LedgerStore {
  readonly #options: LedgerOptions;
  /** Months whose partitions are known to be there. */
  readonly #months = new Set<string>();
  readonly #lane = Math.floor(systemRandom.unit() * ROLLUP_LANES);

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  async settle(calls: readonly CallRecord[]): Promise<readonly SettledAccount[]> {
    assert(calls.length <= SETTLE_BATCH_MAX, 'a batch is bounded');
    if (calls.length === 0) return [];
    const once = [...new Map(calls.map((call) => [call.callId, call])).values()];
    const settled = await this.#commit(once);
    fault('settle.after-commit');
    return settled;
  }

  async #commit(calls: readonly CallRecord[]): Promise<readonly SettledAccount[]> {
    try {
      await this.#ensureMonths(calls);
      return await this.#options.database.transaction((transaction) => this.#write(transaction, calls));
    } catch (error) {
      if (!isSchemaFault(error)) throw error;
      throw new StoreUnavailable('the database does not have the form that this version writes', {
        cause: error,
      });
    }
  }

  async #ensureMonths(calls: readonly CallRecord[]): Promise<void> {
    const months = new Set(calls.map((call) => logMonth(call.createdAtMs)));
    const missing = [...months].filter((month) => !this.#months.has(month));
    if (missing.length === 0) return;
    await ensurePartitions(this.#options.database, missing);
    for (const month of missing) this.#months.add(month);
  }

  /**
   * The accounts are locked first, so two settlers of the same call come one after the other, and the second
   * one finds the call known. What belongs to no account is written last, in the order of its keys: nobody
   * waits in a circle. The statements are as many for one call as for a full batch.
   */
  async #write(transaction: Database, calls: readonly CallRecord[]): Promise<readonly SettledAccount[]> {
    const purses = await holdPurses(transaction, [...new Set(calls.map((call) => call.accountId))]);
    const known = await findKnown(transaction, calls);
    const fresh = calls.filter((call) => !known.has(call.callId));
    // A call without a price never reached a vendor: the call log has it, the consumption log does not.
    const consumptions = fresh
      .filter((call) => call.price !== null || call.chargeMicro > 0n)
      .map((call) => this.#consume(purses, call));
    if (fresh.length > 0) await transaction.query(INSERT_CALLS, encodeCallRows(fresh), 'insert-calls');
    if (consumptions.length > 0) {
      const rows = consumptions.map((each) => encodeConsumptionRow(each, this.#options.creditsPerYuan));
      await transaction.query(INSERT_CONSUMPTIONS, [encodeRows(rows)], 'insert-consumptions');
    }
    const funds = await savePurses(transaction, purses);
    if (fresh.length > 0) {
      await markKeysUsed(transaction, fresh);
      await rememberWindows(transaction, fresh);
      await addRollups(transaction, fresh, { consumptions, lane: this.#lane });
      await addToClosedDays(transaction, fresh, (accountId) => heldPurse(purses, accountId).daysClosedToMs);
    }
    fault('settle.before-commit');
    return [...funds].map(([accountId, each]) => ({ accountId, funds: each }));
  }

  #consume(purses: ReadonlyMap<number, HeldPurse>, call: CallRecord): Consumption {
    const { creditsPerYuan, calendar } = this.#options;
    const month = calendar.month(call.createdAtMs);
    if (call.chargeMicro === 0n) return freeConsumption(call, month);
    return takeCharge(heldPurse(purses, call.accountId), call, { creditsPerYuan, month });
  }
}

function heldPurse(purses: ReadonlyMap<number, HeldPurse>, accountId: number): HeldPurse {
  const purse = purses.get(accountId);
  assert(purse !== undefined, 'the purse of every call is held');
  return purse;
}

async function findKnown(transaction: Database, calls: readonly CallRecord[]): Promise<ReadonlySet<string>> {
  const times = calls.map(timeText);
  const sorted = times.toSorted();
  const values = [times, calls.map((call) => call.callId), sorted[0], sorted.at(-1)];
  const rows = await transaction.query<{ call_id: string }>(FIND_KNOWN, values, 'find-known');
  return new Set(rows.map((row) => row.call_id));
}
