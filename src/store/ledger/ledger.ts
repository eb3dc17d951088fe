import { StoreUnavailable } from '../../accounts/contract.ts';
import { ROLLUP_LANES, SETTLE_BATCH_MAX } from '../../bounds.ts';
import type { JobEnding } from '../../jobs/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { nextTurn } from '../../kernel/async/next-turn.ts';
import { fault } from '../../kernel/fault.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { Calendar } from '../../kernel/time/calendar.ts';
import type { CallRecord, LedgerStore, SettledAccount } from '../../ledger/contract.ts';
import { jobRecord } from '../../ledger/end-record.ts';
import { touchAccount } from '../accounts/accounts.ts';
import { KeyUse, type Uses } from '../accounts/key-use.ts';
import { ModelUsers, type Users } from '../catalog/model-users.ts';
import { type Columns, columnRows, encodeColumns, text, time } from '../columns.ts';
import { type Database, isMissingPartition, isSchemaFault } from '../database.ts';
import { encodeCalls, encodeConsumptions, INSERT_CALLS, INSERT_CONSUMPTIONS } from '../logs/call-row.ts';
import { addToClosedDays } from '../logs/daily-rollup.ts';
import { ensurePartitions, logMonth } from '../logs/partitions.ts';
import { addRollups } from '../logs/rollup.ts';
import { Writes } from '../writes.ts';
import {
  type Consumption,
  type EntryTime,
  freeConsumption,
  returnHold,
  type Terms,
  takeCharge,
  takeHold,
} from './charge.ts';
import { addJobs, divideJobs, endRunning, findRunning } from './job-holds.ts';
import { addWallets, type LockedWallet, lockWallets, toFunds } from './wallet.ts';
import { addWindows } from './windows.ts';

export interface LedgerOptions {
  readonly database: Database;
  readonly creditsPerYuan: number;
  /** Returns the month that a spending cap counts in. */
  readonly calendar: Calendar;
  readonly entries?: EntryTime;
}

/** The end of a job: what was held for its call is returned, and the call is settled. */
export interface JobLedger {
  /** False if the job has ended already. */
  endJob(callId: string, ending: JobEnding): Promise<boolean>;
}

export function createLedgerStore(options: LedgerOptions): LedgerStore & JobLedger {
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

/** What a transaction writes. */
interface Batch {
  /** Calls that are settled. */
  readonly taken: readonly Consumption[];
  /** Calls whose jobs begin to run. */
  readonly holds: readonly Consumption[];
}

class PostgresLedger implements LedgerStore, JobLedger {
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
    const settled = await this.#commit(once, (transaction) => this.#write(transaction, once));
    fault('settle.after-commit');
    return settled.accounts;
  }

  async endJob(callId: string, ending: JobEnding): Promise<boolean> {
    const running = await findRunning(this.#options.database, callId);
    if (running === undefined) return false;
    const written = await this.#commit([running], (transaction) =>
      this.#end(transaction, { callId, accountId: running.accountId }, ending),
    );
    fault('job.after-end-commit');
    return written !== undefined;
  }

  async #commit<Result extends Written | undefined>(
    calls: readonly Pick<CallRecord, 'createdAtMs'>[],
    work: (transaction: Database) => Promise<Result>,
  ): Promise<Result> {
    try {
      await this.#ensureMonths(calls);
      const written = await this.#options.database.transaction(work);
      if (written !== undefined) {
        this.#keyUse.remember(written.keys);
        this.#modelUsers.remember(written.users);
      }
      return written;
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

  async #ensureMonths(calls: readonly Pick<CallRecord, 'createdAtMs'>[]): Promise<void> {
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
    const { held, settled } = await divideJobs(transaction, fresh);
    const holds = held.map((call) => this.#consume(wallets, call, takeHold));
    const taken = settled.map((call) => this.#consume(wallets, call, takeCharge));
    const written = await this.#writeBatch(transaction, wallets, { taken, holds });
    fault('settle.before-commit');
    return written;
  }

  /** As if the hold had not been, the call is settled. All nodes learn of the new funds. */
  async #end(
    transaction: Database,
    { callId, accountId }: Pick<CallRecord, 'callId' | 'accountId'>,
    ending: JobEnding,
  ): Promise<Written | undefined> {
    const wallets = await lockWallets(transaction, [accountId]);
    const held = await endRunning(transaction, callId, ending.state);
    if (held === undefined) return undefined;
    returnHold(heldWallet(wallets, accountId), held);
    const call = jobRecord(held.call, ending, this.#options.creditsPerYuan);
    const settled = this.#consume(wallets, call, takeCharge);
    const exchangedMicro = settled.exchangedMicro + held.exchangedMicro;
    const taken = [{ ...settled, exchangedMicro }];
    const written = await this.#writeBatch(transaction, wallets, { taken, holds: [] });
    await touchAccount(transaction, accountId);
    fault('job.before-end-commit');
    return written;
  }

  async #writeBatch(
    transaction: Database,
    wallets: ReadonlyMap<number, LockedWallet>,
    { taken, holds }: Batch,
  ): Promise<Written> {
    const calls = taken.map(({ call }) => call);
    // A call without a price never reached a vendor: it is in the call log, not in the consumption log.
    const consumptions = taken.filter(({ call }) => call.price !== null || call.chargeMicro > 0n);
    const writes = new Writes();
    // Other calls go on between the parts: a full batch takes some ten milliseconds of the event loop.
    if (calls.length > 0) writes.add(INSERT_CALLS, encodeCalls(calls));
    await nextTurn();
    if (consumptions.length > 0) writes.add(INSERT_CONSUMPTIONS, encodeConsumptions(consumptions));
    await nextTurn();
    addJobs(writes, holds);
    addWallets(writes, wallets);
    const keys = this.#keyUse.add(writes, calls);
    addWindows(writes, holds.length === 0 ? calls : [...calls, ...holds.map(({ call }) => call)]);
    await nextTurn();
    const users = addRollups(writes, taken, { lane: this.#lane, modelUsers: this.#modelUsers });
    await nextTurn();
    await writes.send(transaction);
    await addToClosedDays(transaction, calls, (accountId) => heldWallet(wallets, accountId).daysClosedToMs);
    const accounts = [...wallets].map(([accountId, wallet]) => ({ accountId, funds: toFunds(wallet) }));
    return { accounts, keys, users };
  }

  #consume(
    wallets: ReadonlyMap<number, LockedWallet>,
    call: CallRecord,
    take: typeof takeCharge,
  ): Consumption {
    const { creditsPerYuan, calendar, entries = 'now' } = this.#options;
    const terms: Terms = {
      entries,
      creditsPerYuan: call.creditsPerYuan ?? creditsPerYuan,
      month: call.month ?? calendar.month(call.createdAtMs),
    };
    if (isFree(call)) return freeConsumption(call, terms);
    return take(heldWallet(wallets, call.accountId), call, terms);
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
