import { StoreUnavailable } from '../../accounts/contract.ts';
import { ROLLUP_LANES, SETTLE_BATCH_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { nextTurn } from '../../kernel/async/next-turn.ts';
import { fault } from '../../kernel/fault.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { Calendar } from '../../kernel/time/calendar.ts';
import type { CallRecord, LedgerStore, SettledAccount } from '../../ledger/contract.ts';
import { KeyUse, type Uses } from '../accounts/key-use.ts';
import { ModelUsers, type Users } from '../catalog/model-users.ts';
import { type Columns, columnRows, encodeColumns, text, time } from '../columns.ts';
import { type Database, isMissingPartition, isSchemaFault } from '../database.ts';
import { encodeCalls, encodeConsumptions, INSERT_CALLS, INSERT_CONSUMPTIONS } from '../logs/call-row.ts';
import { addToClosedDays } from '../logs/daily-rollup.ts';
import { ensurePartitions, logMonth } from '../logs/partitions.ts';
import { addRollups } from '../logs/rollup.ts';
import { Writes } from '../writes.ts';
import { type Consumption, type EntryTime, freeConsumption, takeCharge } from './charge.ts';
import { addWallets, type LockedWallet, lockWallets, toFunds } from './wallet.ts';
import { addWindows } from './windows.ts';

export interface LedgerOptions {
  readonly database: Database;
  readonly creditsPerYuan: number;
  /** Returns the month that a spending cap counts in. */
  readonly calendar: Calendar;
  readonly entries?: EntryTime;
}

export function createLedgerStore(options: LedgerOptions): LedgerStore {
  return new PostgresLedger(options);
}

const ASKED_COLUMNS: Columns<CallRecord> = {
  created_at: time((call) => call.createdAtMs),
  call_id: text((call) => call.callId),
};

/** Logged calls, and calls of months whose log was dropped, about which the log has no data. */
const FIND_KNOWN = `
  select given.call_id, is_logged is true as is_logged from ${columnRows(ASKED_COLUMNS)}
  left join lateral (
    select true as is_logged from calls
    where calls.created_at = given.created_at and calls.call_id = given.call_id
      and calls.created_at between $3::timestamptz and $4::timestamptz limit 1) as logged on true
  where is_logged or given.created_at < (select kept_from from log_retention)`;

const FIND_CHARGED = `
  select ref from ledger_entries
  where ref = any($1::text[]) and kind = 'consumption' and account_id is not null`;

/** What a transaction has done, to be cached when it is committed. */
interface Written {
  readonly accounts: readonly SettledAccount[];
  readonly keys: Uses;
  readonly users: Users;
}

class PostgresLedger implements LedgerStore {
  readonly #options: LedgerOptions;
  /** Months whose partitions are known to exist. */
  readonly #months = new Set<string>();
  readonly #keyUse = new KeyUse();
  readonly #modelUsers = new ModelUsers();
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
      const written = await this.#options.database.transaction((transaction) =>
        this.#write(transaction, calls),
      );
      this.#keyUse.remember(written.keys);
      this.#modelUsers.remember(written.users);
      return written.accounts;
    } catch (error) {
      // After an outage the server may have lost what it had reported as committed.
      this.#modelUsers.forget();
      this.#months.clear();
      if (isMissingPartition(error)) {
        throw new StoreUnavailable('a month of the log was dropped; the next try makes it', { cause: error });
      }
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
   * The accounts are locked first, so two settlers of the same call run one after the other, and the second
   * finds the call known. Rows without an account are written last, in the order of their keys, so that there
   * are no deadlocks. The number of statements is the same for one call and for a full batch.
   */
  async #write(transaction: Database, calls: readonly CallRecord[]): Promise<Written> {
    const wallets = await lockWallets(transaction, [...new Set(calls.map((call) => call.accountId))]);
    const known = await findKnown(transaction, calls);
    const fresh = calls.filter((call) => !known.has(call.callId));
    const taken = fresh.map((call) => this.#consume(wallets, call));
    // A call without a price never reached a vendor: it is in the call log, not in the consumption log.
    const consumptions = taken.filter(({ call }) => call.price !== null || call.chargeMicro > 0n);
    const writes = new Writes();
    // Other calls go on between the parts: a full batch takes some ten milliseconds of the event loop.
    if (fresh.length > 0) writes.add(INSERT_CALLS, encodeCalls(fresh));
    await nextTurn();
    if (consumptions.length > 0) writes.add(INSERT_CONSUMPTIONS, encodeConsumptions(consumptions));
    await nextTurn();
    addWallets(writes, wallets);
    const keys = this.#keyUse.add(writes, fresh);
    addWindows(writes, fresh);
    await nextTurn();
    const users = addRollups(writes, taken, { lane: this.#lane, modelUsers: this.#modelUsers });
    await nextTurn();
    await writes.send(transaction);
    await addToClosedDays(transaction, fresh, (accountId) => heldWallet(wallets, accountId).daysClosedToMs);
    fault('settle.before-commit');
    const accounts = [...wallets].map(([accountId, wallet]) => ({ accountId, funds: toFunds(wallet) }));
    return { accounts, keys, users };
  }

  #consume(wallets: ReadonlyMap<number, LockedWallet>, call: CallRecord): Consumption {
    const { creditsPerYuan, calendar, entries = 'now' } = this.#options;
    const terms = {
      entries,
      creditsPerYuan: call.creditsPerYuan ?? creditsPerYuan,
      month: call.month ?? calendar.month(call.createdAtMs),
    };
    if (isFree(call)) return freeConsumption(call, terms);
    return takeCharge(heldWallet(wallets, call.accountId), call, terms);
  }
}

function heldWallet(wallets: ReadonlyMap<number, LockedWallet>, accountId: number): LockedWallet {
  const wallet = wallets.get(accountId);
  assert(wallet !== undefined, 'the wallet of every call is held');
  return wallet;
}

async function findKnown(transaction: Database, calls: readonly CallRecord[]): Promise<ReadonlySet<string>> {
  const times = calls.map((call) => call.createdAtMs);
  const bounds = [Math.min(...times), Math.max(...times)].map((timeMs) => new Date(timeMs).toISOString());
  const rows = await transaction.query<{ call_id: string; is_logged: boolean }>(
    FIND_KNOWN,
    [...encodeColumns(ASKED_COLUMNS, calls), ...bounds],
    'find-known',
  );
  const logged = rows.filter((row) => row.is_logged).map((row) => row.call_id);
  if (logged.length === rows.length) return new Set(logged);
  const dropped = new Set(rows.filter((row) => !row.is_logged).map((row) => row.call_id));
  const late = calls.filter((call) => dropped.has(call.callId));
  return new Set([...logged, ...(await findKnownToLedger(transaction, late))]);
}

/**
 * For calls whose log was dropped the ledger still has the charges. A missing charge was never taken: a
 * journal came back late, or the clock of its node is slow. A call that costs nothing is skipped.
 */
async function findKnownToLedger(
  transaction: Database,
  calls: readonly CallRecord[],
): Promise<readonly string[]> {
  const [free, priced] = [calls.filter(isFree), calls.filter((call) => !isFree(call))];
  const rows = await transaction.query<{ ref: string }>(FIND_CHARGED, [priced.map((call) => call.callId)]);
  return [...free.map((call) => call.callId), ...rows.map((row) => row.ref)];
}

function isFree({ chargeMicro }: CallRecord): boolean {
  return chargeMicro === 0n;
}
