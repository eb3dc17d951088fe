import { findAccountView } from '../../store/accounts/account-view.ts';
import { findLiveSessions } from '../../store/accounts/sessions.ts';
import { withEmails } from '../../store/logs/call-search.ts';
import { findCallsAfter, findNumbersAfter, lastCallNumber } from '../../store/logs/live-calls.ts';
import { shownExt } from '../accounts/own-account.ts';
import {
  LIVE_ACCOUNTS_AT_ONCE,
  LIVE_ACCOUNTS_MS,
  LIVE_CALLS_AT_ONCE,
  LIVE_CALLS_MS,
  LIVE_KNOWN_MAX,
  LIVE_OVERLAP_CALLS,
  LIVE_OVERLAP_MS,
  LIVE_SESSIONS_MS,
} from '../bounds.ts';
import type { EventSink, LiveFeed, LiveReader, OperationDeps } from '../context.ts';
import { readLimits } from '../limits/limits.ts';
import { shownFound } from '../logs/calls.ts';
import { shownCall } from '../logs/log-items.ts';
import { shownNodes, shownRoute } from '../stats/overview.ts';
import { readPlace } from './live-token.ts';
import { Watcher } from './watcher.ts';

type LiveDeps = Omit<OperationDeps, 'live'>;

/** What was sent from, at a moment: a call with a number up to `number` is not committed later than that. */
interface Sample {
  readonly atMs: number;
  readonly number: number;
}

/**
 * Tells readers what happens. All nodes write calls into the database, so it is asked there: by one look for
 * all readers of the process, once in a second, and only while there are readers. Calls themselves do nothing
 * for it. Numbers of calls may be committed out of order, so a look begins some seconds back and leaves out
 * what it has seen.
 */
export class Live implements LiveFeed {
  readonly #deps: LiveDeps;
  readonly #watchers = new Set<Watcher>();
  /** Calls above `#low` that were looked at. */
  #seen = new Set<number>();
  #low = 0;
  #samples: Sample[] = [];
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isClosed = false;
  #accountsAt = Number.NEGATIVE_INFINITY;
  #sessionsAt = Number.NEGATIVE_INFINITY;
  #turn = 0;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
  }

  join(reader: LiveReader, after: string | undefined, sink: EventSink): () => void {
    const watcher = new Watcher(reader, sink, this.#deps.clock);
    if (this.#isClosed) watcher.end();
    else {
      this.#watchers.add(watcher);
      void this.#begin(watcher, after);
    }
    return () => this.#leave(watcher);
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers) this.#end(watcher);
  }

  #end(watcher: Watcher, last?: Parameters<Watcher['end']>[0]): void {
    this.#leave(watcher);
    watcher.end(last);
  }

  #leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    clearTimeout(this.#timer);
    this.#opening = undefined;
  }

  /** Finds out which calls the reader has. The store may be away: then it is tried until it is back. */
  async #begin(watcher: Watcher, after: string | undefined): Promise<void> {
    while (this.#watchers.has(watcher)) {
      try {
        this.#opening ??= this.#open();
        await this.#opening;
        await this.#replay(watcher, after);
        watcher.setStore('fresh');
        this.#schedule();
        return;
      } catch (error) {
        this.#opening = undefined;
        this.#deps.log.debug({ err: error }, 'a live stream waits for the database');
        watcher.setStore('stale');
        await new Promise((resolve) => setTimeout(resolve, LIVE_CALLS_MS));
      }
    }
  }

  /** Where looking begins: what there is already has been seen. */
  async #open(): Promise<void> {
    const { database, clock } = this.#deps;
    const last = await lastCallNumber(database);
    const low = Math.max(0, last - LIVE_OVERLAP_CALLS);
    this.#seen = new Set(await findNumbersAfter(database, { after: low, size: LIVE_KNOWN_MAX }));
    this.#low = low;
    this.#samples = [{ atMs: clock.monotonic(), number: last }];
  }

  async #replay(watcher: Watcher, after: string | undefined): Promise<void> {
    const { database, clock } = this.#deps;
    const place = after === undefined ? undefined : readPlace(after, clock.now());
    const accounts = watcher.isOfPlatform ? undefined : [watcher.reader.accountId];
    if (place !== undefined) {
      const asked = { after: place.floor, seen: place.known, accounts, size: LIVE_CALLS_AT_ONCE + 1 };
      const missed = await findCallsAfter(database, asked);
      if (missed.length <= LIVE_CALLS_AT_ONCE) {
        const shown = await this.#shown(missed, watcher.reader.of);
        watcher.begin(place);
        for (const [index, call] of missed.entries()) watcher.call(call, shown[index]);
        return;
      }
    }
    const known = await findNumbersAfter(database, { after: this.#low, accounts, size: LIVE_KNOWN_MAX });
    watcher.begin({ floor: this.#low, known });
    if (after !== undefined) watcher.tell('reset', RESET);
  }

  #schedule(): void {
    if (this.#isLooking || this.#watchers.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), LIVE_CALLS_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      await this.#checkSessions();
      await this.#lookAtCalls();
      await this.#lookAtState();
      for (const watcher of this.#watchers) watcher.setStore('fresh');
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'live streams wait: the database does not answer');
      for (const watcher of this.#watchers) watcher.setStore('stale');
    } finally {
      this.#isLooking = false;
      this.#schedule();
    }
  }

  /** A login that was ended anywhere, or lost its role, ends its streams. */
  async #checkSessions(): Promise<void> {
    const { database, clock } = this.#deps;
    const nowMs = clock.monotonic();
    if (nowMs - this.#sessionsAt < LIVE_SESSIONS_MS) return;
    const watchers = [...this.#watchers];
    const ids = [...new Set(watchers.map(({ reader }) => reader.sessionId))];
    const roles = await findLiveSessions(database, ids, clock.now());
    this.#sessionsAt = nowMs;
    for (const watcher of watchers) {
      const role = roles.get(watcher.reader.sessionId);
      const isAllowed = watcher.isOfPlatform ? role === 'operator' : role !== undefined;
      if (!isAllowed) this.#end(watcher, { name: 'session-ended', data: {} });
    }
  }

  async #lookAtCalls(): Promise<void> {
    const watchers = [...this.#watchers];
    if (watchers.length === 0) return;
    const { database, clock } = this.#deps;
    const isForAll = watchers.some(({ isOfPlatform }) => isOfPlatform);
    const ids = new Set(watchers.map(({ reader }) => reader.accountId));
    const last = await lastCallNumber(database);
    const found = await findCallsAfter(database, {
      ...{ after: this.#low, seen: [...this.#seen], size: LIVE_CALLS_AT_ONCE + 1 },
      accounts: isForAll ? undefined : [...ids],
    });
    if (found.length > LIVE_CALLS_AT_ONCE) {
      await this.#open();
      for (const watcher of watchers) watcher.tell('reset', RESET);
      return;
    }
    await this.#deliver(found, watchers);
    this.#advance({ atMs: clock.monotonic(), number: last });
    for (const watcher of watchers) watcher.raise(this.#low);
  }

  async #deliver(
    found: Awaited<ReturnType<typeof findCallsAfter>>,
    watchers: readonly Watcher[],
  ): Promise<void> {
    const own = found.map((call) => shownCall(call, this.#deps.showTime));
    const all = watchers.some(({ isOfPlatform }) => isOfPlatform) ? await this.#shown(found, 'platform') : [];
    for (const [index, call] of found.entries()) {
      this.#seen.add(call.id);
      for (const watcher of watchers) {
        if (watcher.isOfPlatform) watcher.call(call, all[index]);
        else if (watcher.reader.accountId === call.accountId) watcher.call(call, own[index]);
      }
    }
  }

  async #shown(
    calls: Awaited<ReturnType<typeof findCallsAfter>>,
    of: LiveReader['of'],
  ): Promise<readonly object[]> {
    if (of === 'account') return calls.map((call) => shownCall(call, this.#deps.showTime));
    const found = await withEmails(this.#deps.database, calls);
    return found.map((call) => shownFound(call, this.#deps));
  }

  /** Numbers that were given out long enough ago are committed, or never will be. */
  #advance(sample: Sample): void {
    this.#samples.push(sample);
    let low = this.#low;
    while (this.#samples[0] !== undefined && sample.atMs - this.#samples[0].atMs >= LIVE_OVERLAP_MS) {
      low = Math.max(low, this.#samples.shift()?.number ?? low);
    }
    if (low === this.#low) return;
    this.#low = low;
    this.#seen = new Set([...this.#seen].filter((id) => id > low));
  }

  /** Money and limits of accounts, and the health of the platform, as far as they have changed. */
  async #lookAtState(): Promise<void> {
    const nowMs = this.#deps.clock.monotonic();
    if (nowMs - this.#accountsAt < LIVE_ACCOUNTS_MS) return;
    this.#accountsAt = nowMs;
    const watchers = [...this.#watchers];
    const ids = [...new Set(watchers.filter((one) => !one.isOfPlatform).map((one) => one.reader.accountId))];
    const first = ids.length <= LIVE_ACCOUNTS_AT_ONCE ? 0 : this.#turn % ids.length;
    this.#turn += LIVE_ACCOUNTS_AT_ONCE;
    for (const id of [...ids.slice(first), ...ids.slice(0, first)].slice(0, LIVE_ACCOUNTS_AT_ONCE)) {
      await this.#lookAtAccount(
        id,
        watchers.filter((one) => !one.isOfPlatform && one.reader.accountId === id),
      );
    }
    const operators = watchers.filter((one) => one.isOfPlatform);
    if (operators.length > 0) await this.#lookAtHealth(operators);
  }

  async #lookAtAccount(accountId: number, watchers: readonly Watcher[]): Promise<void> {
    const account = await findAccountView(this.#deps.database, accountId);
    if (account === undefined) return;
    const ext = shownExt(account, this.#deps);
    const limits = await readLimits(account, this.#deps);
    const [extKey, limitsKey] = [JSON.stringify(ext), JSON.stringify(limits, withoutTimes)];
    for (const watcher of watchers) {
      watcher.changed('account', ext, extKey);
      watcher.changed('limits', limits, limitsKey);
    }
  }

  async #lookAtHealth(watchers: readonly Watcher[]): Promise<void> {
    const { health } = this.#deps;
    const data = {
      credentials: health.credentialReports().map(({ credentialId, active, suspect, refusals }) => ({
        ...{ credential_id: credentialId, active, suspect, refusals },
      })),
      routes: health
        .routeReports()
        .map((report) => ({ credential_id: report.credentialId, ...shownRoute(report) })),
      nodes: await shownNodes(this.#deps),
    };
    const key = JSON.stringify(data, withoutTimes);
    for (const watcher of watchers) watcher.changed('health', data, key);
  }
}

const RESET = { message: 'More has happened than is sent here. Read the page again.' };

/** A clock that runs is no change. */
function withoutTimes(name: string, value: unknown): unknown {
  switch (name) {
    case 'resets_in':
    case 'cooling_ms':
    case 'last_seen_at':
      return undefined;
    case 'ends_at':
      return value === null ? null : 'set';
    default:
      return value;
  }
}
