import type { Funds } from '../../src/accounts/contract.ts';
import type { RememberedWindow } from '../../src/gate/contract.ts';
import { createCalendar } from '../../src/kernel/time/calendar.ts';
import type { CallRecord, LedgerStore, SettledAccount } from '../../src/ledger/contract.ts';
import { updateAccount } from '../../src/store/accounts/accounts.ts';
import type { Database } from '../../src/store/database.ts';
import {
  exchange,
  freeConsumption,
  move,
  type Pool,
  takeCharge,
  type Wallet,
} from '../../src/store/ledger/charge.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { postExchange, postMovement } from '../../src/store/ledger/movement.ts';
import { loadWindows } from '../../src/store/ledger/windows.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { accountWith } from '../support/calls.ts';
import { CREDITS_PER_YUAN } from './steps.ts';

/** What was taken for one call. */
export interface Taken {
  readonly callId: string;
  readonly creditsMicro: bigint;
  readonly shortfallMicro: bigint;
}

/** The store's side of the model test: one account's money, and everything that was written about it. */
export interface Books extends LedgerStore {
  readonly accountId: number;
  topUp(pool: Pool, micro: bigint): Promise<void>;
  /** False when the balance is short; nothing is changed then. */
  exchange(micro: bigint): Promise<boolean>;
  setAutoExchange(on: boolean, nowMs: number): Promise<void>;
  setCap(micro: bigint): Promise<void>;
  funds(): Promise<Funds>;
  windows(nowMs: number): Promise<readonly RememberedWindow[]>;
  /** In the order in which they were written. */
  taken(): Promise<readonly Taken[]>;
  /** What is wrong within the books themselves. */
  problems(): Promise<readonly string[]>;
}

const calendar = createCalendar('UTC');

/** The real rules of a charge on a wallet in memory: for thousands of runs. */
export class MemoryBooks implements Books {
  readonly accountId = 7;
  readonly #wallet: { -readonly [Key in keyof Wallet]: Wallet[Key] } = {
    accountId: 7,
    autoExchange: false,
    autoExchangeOffAtMs: undefined,
    creditsMicro: 0n,
    balanceMicro: 0n,
    capMicro: 0n,
    month: '',
    monthSpentMicro: 0n,
    monthCapMicro: 0n,
    lastSeq: 0n,
    entries: [],
  };
  readonly #known = new Map<string, CallRecord>();
  readonly #windows = new Map<string, RememberedWindow>();
  readonly #taken: Taken[] = [];
  #version = 1;

  settle(calls: readonly CallRecord[]): Promise<readonly SettledAccount[]> {
    for (const call of calls) {
      if (this.#known.has(call.callId)) continue;
      this.#known.set(call.callId, call);
      const terms = {
        creditsPerYuan: CREDITS_PER_YUAN,
        month: call.month ?? calendar.month(call.createdAtMs),
      };
      const { creditsMicro, shortfallMicro } =
        call.chargeMicro === 0n ? freeConsumption(call, terms) : takeCharge(this.#wallet, call, terms);
      this.#taken.push({ callId: call.callId, creditsMicro, shortfallMicro });
      for (const window of call.windows) this.#remember(window);
    }
    this.#version += 1;
    return Promise.resolve([{ accountId: 7, funds: this.#fundsNow() }]);
  }

  topUp(pool: Pool, changeMicro: bigint): Promise<void> {
    move(this.#wallet, { kind: 'top_up', pool, changeMicro, ref: 'model' });
    this.#version += 1;
    return Promise.resolve();
  }

  exchange(micro: bigint): Promise<boolean> {
    if (micro > this.#wallet.balanceMicro) return Promise.resolve(false);
    exchange(this.#wallet, micro, { creditsPerYuan: CREDITS_PER_YUAN, ref: 'model' });
    this.#version += 1;
    return Promise.resolve(true);
  }

  setAutoExchange(on: boolean, nowMs: number): Promise<void> {
    if (this.#wallet.autoExchange && !on) this.#wallet.autoExchangeOffAtMs = nowMs;
    this.#wallet.autoExchange = on;
    return Promise.resolve();
  }

  setCap(micro: bigint): Promise<void> {
    this.#wallet.capMicro = micro;
    return Promise.resolve();
  }

  funds(): Promise<Funds> {
    return Promise.resolve(this.#fundsNow());
  }

  windows(nowMs: number): Promise<readonly RememberedWindow[]> {
    const all = [...this.#windows.values()];
    return Promise.resolve(all.filter((window) => window.startedAtMs + window.seconds * 1000 > nowMs));
  }

  taken(): Promise<readonly Taken[]> {
    return Promise.resolve(this.#taken);
  }

  /** I1: entries are numbered without a gap, carry their result, and sum to the figures. */
  problems(): Promise<readonly string[]> {
    const problems: string[] = [];
    const sums = { credits: 0n, balance: 0n };
    let seq = 0n;
    for (const entry of this.#wallet.entries) {
      seq += 1n;
      sums[entry.pool] += entry.changeMicro;
      if (entry.seq !== seq) problems.push(`entry ${entry.seq} stands where ${seq} is due`);
      if (entry.afterMicro !== sums[entry.pool]) problems.push(`entry ${entry.seq} says ${entry.afterMicro}`);
      if (entry.afterMicro < 0n) problems.push(`entry ${entry.seq} leaves less than nothing`);
    }
    const { creditsMicro, balanceMicro } = this.#wallet;
    if (sums.credits !== creditsMicro || sums.balance !== balanceMicro) problems.push('the sums are wrong');
    return Promise.resolve(problems);
  }

  #fundsNow(): Funds {
    const { creditsMicro, balanceMicro, month, monthSpentMicro } = this.#wallet;
    return { version: this.#version, creditsMicro, balanceMicro, month, monthSpentMicro };
  }

  /** A newer window replaces, the same one adds, an older one is ignored. */
  #remember(window: RememberedWindow): void {
    const key = `${window.scope} ${window.dimension} ${window.seconds}`;
    const known = this.#windows.get(key);
    if (known === undefined || known.startedAtMs < window.startedAtMs) this.#windows.set(key, window);
    else if (known.startedAtMs === window.startedAtMs) {
      this.#windows.set(key, { ...known, used: known.used + window.used });
    }
  }
}

/** The same questions to a real database. */
export class PostgresBooks implements Books {
  readonly accountId: number;
  readonly settle: LedgerStore['settle'];
  readonly #database: Database;

  private constructor(database: Database, accountId: number) {
    this.#database = database;
    this.accountId = accountId;
    const store = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
    this.settle = (calls) => store.settle(calls);
  }

  static async open(database: Database): Promise<PostgresBooks> {
    return new PostgresBooks(database, await accountWith(database));
  }

  async topUp(pool: Pool, changeMicro: bigint): Promise<void> {
    const { accountId } = this;
    await this.#database.transaction((transaction) =>
      postMovement(transaction, { accountId, kind: 'top_up', pool, changeMicro, ref: 'model' }),
    );
  }

  async exchange(amountMicro: bigint): Promise<boolean> {
    const wanted = { accountId: this.accountId, amountMicro, creditsPerYuan: CREDITS_PER_YUAN, ref: 'model' };
    const result = await this.#database.transaction((transaction) => postExchange(transaction, wanted));
    return result.kind === 'posted';
  }

  async setAutoExchange(on: boolean, nowMs: number): Promise<void> {
    await updateAccount(this.#database, this.accountId, { autoExchange: on });
    // The clock of the model is not that of the database.
    const at = new Date(nowMs).toISOString();
    const change =
      'auto_exchange_off_at = $2 where id = $1 and auto_exchange_off_at is not null and not auto_exchange';
    await this.#database.query(`update accounts set ${change}`, [this.accountId, at]);
  }

  async setCap(micro: bigint): Promise<void> {
    await updateAccount(this.#database, this.accountId, { extraApiQuotaMicro: micro });
  }

  async funds(): Promise<Funds> {
    const [row] = await this.#database.query<Funds>(
      `select funds_version::int as version, credits_micro as "creditsMicro", balance_micro as "balanceMicro",
              month, month_spent_micro as "monthSpentMicro" from accounts where id = $1`,
      [this.accountId],
    );
    if (row === undefined) throw new Error('the account is gone');
    return row;
  }

  async windows(nowMs: number): Promise<readonly RememberedWindow[]> {
    return loadWindows(this.#database, nowMs);
  }

  taken(): Promise<readonly Taken[]> {
    return this.#database.query<Taken & Record<string, unknown>>(
      `select call_id as "callId", credits_micro as "creditsMicro", shortfall_micro as "shortfallMicro"
       from consumptions where account_id = $1 order by id`,
      [this.accountId],
    );
  }

  async problems(): Promise<readonly string[]> {
    return (await examine(this.#database)).map((finding) => JSON.stringify(finding, bigintText));
  }
}

function bigintText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
