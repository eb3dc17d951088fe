import { setTimeout as sleep } from 'node:timers/promises';
import { parseMicro } from '../../kernel/money.ts';
import type { Random } from '../../kernel/random.ts';
import type { Setup } from '../../setup.ts';
import { findAccount } from '../../store/accounts/accounts.ts';
import { postExchange, postMovement } from '../../store/ledger/movement.ts';
import type { DemoClient } from './demo-client.ts';
import { type DemoKeys, findAccountId, LAB, MEI, USER } from './demo-people.ts';
import { TURNS, type Turn } from './demo-traffic.ts';

/** About three calls in ten seconds. */
const PAUSE_MS = { least: 1_000, most: 4_000 };
/** So many calls cost a small part of what an account has. */
const CALLS_BETWEEN_LOOKS = 60;
const SPENDERS = [USER, MEI, LAB];
const LOW_CREDITS_MICRO = parseMicro('3000') ?? 0n;
const LOW_BALANCE_MICRO = parseMicro('60') ?? 0n;
const TOP_UP_MICRO = parseMicro('200') ?? 0n;
const EXCHANGE_MICRO = parseMicro('20') ?? 0n;

/** The part of the simulator that makes a vendor refuse a call. */
export interface FaultyVendors {
  script(rule: {
    readonly match: { readonly key: string };
    readonly times: number;
    readonly answer: { readonly status: number };
  }): void;
}

export interface TrickleOptions {
  readonly setup: Setup;
  readonly client: DemoClient;
  readonly keys: DemoKeys;
  readonly vendors: FaultyVendors;
  readonly random: Random;
  readonly pauseMs?: typeof PAUSE_MS;
}

/** A few real calls of the demo's accounts, one after the other, until it is stopped. */
export class Trickle {
  readonly #options: TrickleOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #deck: Turn[] = [];

  constructor(options: TrickleOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Calls under way are given up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#options.client.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let calls = 1; !signal.aborted; calls++) {
      // What a turn meets is in the call log; that is what it is for.
      await this.#play(this.#draw()).catch(() => {});
      if (calls % CALLS_BETWEEN_LOOKS === 0 && !signal.aborted) await this.#topUp().catch(() => {});
      await sleep(this.#pauseMs(), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #pauseMs(): number {
    const { random, pauseMs = PAUSE_MS } = this.#options;
    return pauseMs.least + (pauseMs.most - pauseMs.least) * random.unit();
  }

  /** Every kind of call comes up as often as it should before all begins anew. */
  #draw(): Turn {
    const { random } = this.#options;
    if (this.#deck.length === 0) {
      const all = TURNS.flatMap((turn) => Array.from({ length: turn.often }, () => turn));
      const placed = all.map((turn) => ({ turn, place: random.unit() }));
      this.#deck = placed.sort((one, other) => one.place - other.place).map(({ turn }) => turn);
    }
    return this.#deck.pop() as Turn;
  }

  async #play(turn: Turn): Promise<void> {
    const { client, keys, vendors } = this.#options;
    const key = keys.get(turn.key)?.text ?? '';
    if (turn.overloaded !== undefined) {
      const { key: credential, status } = turn.overloaded;
      vendors.script({ match: { key: credential }, times: 1, answer: { status } });
    }
    const calls = Array.from({ length: turn.burst ?? 1 }, () =>
      client.ask(turn.shape, { key, leaveAfterBytes: turn.leaveAfterBytes }),
    );
    await Promise.all(calls);
  }

  /** A demo that runs for days must not run out of money. */
  async #topUp(): Promise<void> {
    const { setup } = this.#options;
    for (const email of SPENDERS) {
      const accountId = await findAccountId(setup, email);
      const account = await findAccount(setup.database, accountId, setup);
      if (account === undefined) continue;
      const { balanceMicro, creditsMicro } = account.funds;
      if (balanceMicro < LOW_BALANCE_MICRO) {
        const entry = { kind: 'top_up', pool: 'balance', changeMicro: TOP_UP_MICRO, ref: 'demo' } as const;
        await setup.database.transaction((transaction) => postMovement(transaction, { accountId, ...entry }));
      }
      if (account.autoExchange || creditsMicro >= LOW_CREDITS_MICRO) continue;
      const terms = { creditsPerYuan: setup.config.creditsPerYuan, ref: 'exchange' };
      const wanted = { accountId, amountMicro: EXCHANGE_MICRO, ...terms };
      await setup.database.transaction((transaction) => postExchange(transaction, wanted));
    }
  }
}
