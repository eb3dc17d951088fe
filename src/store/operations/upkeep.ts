import { StoreUnavailable } from '../../accounts/contract.ts';
import {
  DAYS_CLOSE_AFTER_MS,
  STORE_UPKEEP_MS,
  STORE_UPKEEP_STEPS_MAX,
  WINDOWS_PRUNED_ROWS,
} from '../../bounds.ts';
import { JOBS_PRUNED_ROWS } from '../../jobs/bounds.ts';
import { assert } from '../../kernel/assert.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { createDays, type Days } from '../../kernel/time/days.ts';
import { SESSIONS_PRUNED_ROWS } from '../../operations/bounds.ts';
import { pruneAccountTokens } from '../accounts/account-mails.ts';
import { pruneLoginFailures } from '../accounts/login-failures.ts';
import { prunePlaygroundKeys } from '../accounts/playground-keys.ts';
import { pruneSessions } from '../accounts/sessions.ts';
import type { Database } from '../database.ts';
import { pruneFiles } from '../jobs/files.ts';
import { pruneJobs } from '../jobs/jobs.ts';
import { pruneWindows } from '../ledger/windows.ts';
import { closeSomeDays } from '../logs/daily-rollup.ts';
import { dropPartitionsBefore, logMonth } from '../logs/partitions.ts';

export interface StoreUpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whole months that the logs go back, besides the running one; 0 keeps everything. */
  readonly logMonths: number;
  /** Days are closed as people of this time zone know them. */
  readonly timeZone: string;
}

/** What the store forgets and adds up in the background. Any number of nodes may: each finds what is left. */
export interface StoreUpkeep {
  /** One round at a time; who asks meanwhile gets the one that runs. Never throws. */
  round(): Promise<void>;
  stop(): Promise<void>;
}

/** The first round comes with the first interval, so that a start has the database to itself. */
export function startStoreUpkeep(options: StoreUpkeepOptions): StoreUpkeep {
  return new PeriodicUpkeep(options);
}

const DAY_MS = 86_400_000;

class PeriodicUpkeep implements StoreUpkeep {
  readonly #options: StoreUpkeepOptions;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  readonly #days: Days;
  #lastDay = Number.NaN;
  /** The day on which it was last said that ClickHouse is waited for. */
  #waitedDay = Number.NaN;
  /** Days up to the moment are closed of all accounts up to the one. */
  #closed = { toMs: Number.NaN, afterId: 0 as number | undefined };
  #stopped = false;

  constructor(options: StoreUpkeepOptions) {
    this.#options = options;
    this.#days = createDays(options.timeZone);
    this.#timer = setInterval(() => void this.round(), STORE_UPKEEP_MS);
    this.#timer.unref();
  }

  round(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #work(): Promise<void> {
    try {
      await this.#forget(pruneWindows, WINDOWS_PRUNED_ROWS);
      await this.#forget(pruneSessions, SESSIONS_PRUNED_ROWS);
      await this.#forget(prunePlaygroundKeys, SESSIONS_PRUNED_ROWS);
      await this.#forget(pruneLoginFailures, SESSIONS_PRUNED_ROWS);
      await this.#forget(pruneAccountTokens, SESSIONS_PRUNED_ROWS);
      await this.#forget(pruneJobs, JOBS_PRUNED_ROWS);
      await this.#forget(pruneFiles, JOBS_PRUNED_ROWS);
      await this.#closeDays();
      await this.#dropLogs();
    } catch (error) {
      // A store that is away, or busy with its logs, is tried again in the next round.
      if (error instanceof StoreUnavailable) return;
      this.#options.log.error({ err: error }, 'maintenance of the database failed; it is tried again');
    }
  }

  /** Step by step, so that no statement holds many rows for long. */
  async #forget(
    prune: (database: Database, nowMs: number) => Promise<number>,
    rowsAtOnce: number,
  ): Promise<void> {
    const { database, clock } = this.#options;
    for (let steps = 0; steps < STORE_UPKEEP_STEPS_MAX && !this.#stopped; steps++) {
      if ((await prune(database, clock.now())) < rowsAtOnce) return;
    }
  }

  async #dropLogs(): Promise<void> {
    const { database, clock, log, logMonths } = this.#options;
    if (logMonths === 0 || this.#stopped) return;
    const day = Math.floor(clock.now() / DAY_MS);
    if (day === this.#lastDay) return;
    const dropped = await dropPartitionsBefore(database, await this.#keptFrom());
    if (dropped === 'unsent') {
      if (this.#waitedDay !== day) {
        log.warn({}, 'old months of the logs are kept, because ClickHouse has not got all their calls yet');
      }
      this.#waitedDay = day;
      return;
    }
    this.#lastDay = day;
    if (dropped.length > 0) log.info({ tables: dropped }, 'old months of the logs were dropped');
  }

  /** All accounts are looked at once a day, in as many rounds as it takes. */
  async #closeDays(): Promise<void> {
    const { database, timeZone } = this.#options;
    const toMs = this.#days.startOf((await this.#earlierNow()) - DAYS_CLOSE_AFTER_MS);
    if (toMs !== this.#closed.toMs) this.#closed = { toMs, afterId: 0 };
    for (let steps = 0; steps < STORE_UPKEEP_STEPS_MAX && !this.#stopped; steps++) {
      const { afterId } = this.#closed;
      if (afterId === undefined) return;
      this.#closed = { toMs, afterId: await closeSomeDays(database, { timeZone, toMs, afterId }) };
    }
  }

  async #keptFrom(): Promise<string> {
    const now = new Date(await this.#earlierNow());
    return logMonth(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - this.#options.logMonths));
  }

  /** One clock that jumped ahead shall not cost anybody's logs, nor close a running day. */
  async #earlierNow(): Promise<number> {
    const { database, clock } = this.#options;
    const [row] = await database.query<{ now: Date }>('select now() as now');
    assert(row !== undefined, 'the database knows the time');
    return Math.min(row.now.getTime(), clock.now());
  }
}
