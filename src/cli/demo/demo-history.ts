import type { StoredAccount } from '../../accounts/contract.ts';
import { SETTLE_BATCH_MAX } from '../../bounds.ts';
import { creditsMicro, yuanToBuyMicro } from '../../catalog/price.ts';
import { maxMicro, minMicro, parseMicro } from '../../kernel/money.ts';
import { type Random, seededRandom } from '../../kernel/random.ts';
import { createCalendar, createTimeFormat } from '../../kernel/time/calendar.ts';
import type { CallRecord, LedgerStore } from '../../ledger/contract.ts';
import type { Setup } from '../../setup.ts';
import { findAccount } from '../../store/accounts/accounts.ts';
import { loadCatalog } from '../../store/catalog/catalog.ts';
import { createLedgerStore } from '../../store/ledger/ledger.ts';
import { postExchange, postMovement } from '../../store/ledger/movement.ts';
import { CommandFailed } from '../command.ts';
import { HABITS } from './demo-habits.ts';
import { type Past, pastCalls } from './demo-past.ts';
import { type DemoKey, type DemoKeys, findAccountId, LAB, MEI, USER } from './demo-people.ts';

export const HISTORY_DAYS = 30;
/** The same past at every start. */
const SEED = 20_261_117;

/** Yuan of one exchange and of one top-up, and the Credits that are left at the end. */
interface Spender {
  readonly exchangeMicro: bigint;
  readonly topUpMicro: bigint;
  readonly creditsLeftMicro: bigint;
}

const money = (text: string): bigint => parseMicro(text) ?? 0n;

const SPENDERS: Readonly<Record<string, Spender>> = {
  [USER]: { exchangeMicro: money('40'), topUpMicro: money('200'), creditsLeftMicro: money('10000') },
  [MEI]: { exchangeMicro: 0n, topUpMicro: money('300'), creditsLeftMicro: 0n },
  [LAB]: { exchangeMicro: money('30'), topUpMicro: money('100'), creditsLeftMicro: money('4000') },
};

export interface HistoryOptions {
  readonly nowMs: number;
  /** 0: only the money. */
  readonly days: number;
  /** The rest is not needed any more. */
  readonly signal?: AbortSignal;
}

/**
 * Past calls of the demo's accounts. They are priced and settled as real ones, in their order, so the ledger,
 * the sums and the receipts agree; only their times are given. Returns how many there are.
 */
export async function writeHistory(setup: Setup, keys: DemoKeys, options: HistoryOptions): Promise<number> {
  const random = seededRandom(SEED);
  const pasts: { readonly household: Household; readonly calls: readonly CallRecord[] }[] = [];
  for (const [email, spender] of Object.entries(SPENDERS)) {
    const account = await findAccount(setup.database, await findAccountId(setup, email), setup);
    if (account === undefined) throw new CommandFailed(`the demo has no account ${email}`);
    const calls = await listPast(setup, { account, keys, random, ...options });
    pasts.push({ household: new Household(setup, account, spender), calls });
  }
  await Promise.all(pasts.map(({ household, calls }) => household.live(calls, options)));
  return pasts.reduce((sum, { calls }) => sum + calls.length, 0);
}

async function listPast(
  setup: Setup,
  given: HistoryOptions & {
    readonly account: StoredAccount;
    readonly keys: DemoKeys;
    readonly random: Random;
  },
): Promise<readonly CallRecord[]> {
  const { account, keys, random, days, nowMs } = given;
  if (days === 0) return [];
  const { config, database } = setup;
  const catalog = await loadCatalog(database, setup);
  const { creditsPerYuan, nodeName, timeZone } = config;
  const offsetMs = computeOffsetMs(timeZone, nowMs);
  const past: Past = { account, catalog, creditsPerYuan, nodeName, nowMs, days, offsetMs, random };
  const all = HABITS.filter(({ owner }) => owner === account.email).flatMap((habits) => {
    const key = keys.get(`${habits.owner} ${habits.key}`) as DemoKey;
    return pastCalls(past, key, habits);
  });
  return all.sort((one, other) => one.createdAtMs - other.createdAtMs);
}

function computeOffsetMs(timeZone: string, nowMs: number): number {
  const shown = createTimeFormat(timeZone)(nowMs);
  const offsetMs = Date.parse(`${shown.replace(' ', 'T')}Z`) - nowMs;
  return Math.round(offsetMs / 900_000) * 900_000;
}

/** The money of one account over its past: it tops up and exchanges when its next call could not be paid. */
class Household {
  readonly #setup: Setup;
  readonly #account: StoredAccount;
  readonly #spender: Spender;
  readonly #ledger: LedgerStore;
  #waiting: CallRecord[] = [];
  #creditsMicro = 0n;
  #balanceMicro = 0n;
  /** Yuan that are still to be exchanged, so that the right amount is left at the end. */
  #toExchangeMicro = 0n;
  #orders = 0;

  constructor(setup: Setup, account: StoredAccount, spender: Spender) {
    const { database, config } = setup;
    const { creditsPerYuan, timeZone } = config;
    this.#setup = setup;
    this.#account = account;
    this.#spender = spender;
    const calendar = createCalendar(timeZone);
    this.#ledger = createLedgerStore({ database, creditsPerYuan, calendar, entries: 'at-call' });
  }

  async live(calls: readonly CallRecord[], { nowMs, signal }: HistoryOptions): Promise<void> {
    const neededMicro = calls.reduce((sum, call) => sum + call.chargeMicro, this.#spender.creditsLeftMicro);
    this.#toExchangeMicro = yuanToBuyMicro(neededMicro, this.#setup.config.creditsPerYuan);
    for (const call of calls) {
      if (signal?.aborted === true) return;
      const missingMicro = call.chargeMicro - this.#creditsMicro;
      if (missingMicro > 0n) await this.#provide(missingMicro, call.createdAtMs);
      this.#creditsMicro -= call.chargeMicro;
      this.#waiting.push(call);
      if (this.#waiting.length === SETTLE_BATCH_MAX) await this.#settle();
    }
    await this.#settle();
    if (this.#toExchangeMicro > 0n)
      await this.#exchange(this.#toExchangeMicro, calls.at(-1)?.createdAtMs ?? nowMs);
  }

  /** With auto-exchange, a balance is enough: the settlement takes from it what it needs. */
  async #provide(missingMicro: bigint, atMs: number): Promise<void> {
    const { creditsPerYuan } = this.#setup.config;
    const leastMicro = yuanToBuyMicro(missingMicro, creditsPerYuan);
    if (!this.#account.autoExchange) {
      const usualMicro = minMicro(this.#spender.exchangeMicro, this.#toExchangeMicro);
      await this.#exchange(maxMicro(leastMicro, usualMicro), atMs);
      return;
    }
    if (this.#balanceMicro < leastMicro) await this.#topUp(atMs);
    this.#took(leastMicro);
  }

  async #exchange(amountMicro: bigint, atMs: number): Promise<void> {
    while (this.#balanceMicro < amountMicro) await this.#topUp(atMs);
    await this.#settle();
    const { database, config } = this.#setup;
    const terms = { creditsPerYuan: config.creditsPerYuan, ref: 'exchange', enteredAtMs: atMs };
    const wanted = { accountId: this.#account.id, amountMicro, ...terms };
    await database.transaction((transaction) => postExchange(transaction, wanted));
    this.#took(amountMicro);
  }

  async #topUp(atMs: number): Promise<void> {
    await this.#settle();
    this.#orders += 1;
    const changeMicro = this.#spender.topUpMicro;
    const ref = `order ${this.#account.id}-${String(this.#orders).padStart(4, '0')}`;
    const entry = { kind: 'top_up', pool: 'balance', changeMicro, ref, enteredAtMs: atMs } as const;
    const accountId = this.#account.id;
    await this.#setup.database.transaction((transaction) =>
      postMovement(transaction, { accountId, ...entry }),
    );
    this.#balanceMicro += changeMicro;
  }

  #took(amountMicro: bigint): void {
    this.#balanceMicro -= amountMicro;
    this.#toExchangeMicro -= amountMicro;
    this.#creditsMicro += creditsMicro(amountMicro, this.#setup.config.creditsPerYuan);
  }

  async #settle(): Promise<void> {
    const calls = this.#waiting;
    this.#waiting = [];
    if (calls.length > 0) await this.#ledger.settle(calls);
  }
}
