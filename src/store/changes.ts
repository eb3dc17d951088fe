import { setTimeout as sleep } from 'node:timers/promises';
import { CHANGE_ACKNOWLEDGE_MS, CHANGES_PENDING_MAX } from '../bounds.ts';
import type { Logger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import type { Database } from './database.ts';
import { FIND_LISTENERS, type NoticeHandler } from './listener.ts';
import { hasLiveServer } from './operations/heartbeats.ts';

/** What was written, so that cached copies of it are removed. */
export type Change =
  | { readonly kind: 'catalog' }
  /** `version` is that of the new snapshot. Older snapshots are outdated. */
  | { readonly kind: 'account'; readonly accountId: number; readonly version: number }
  | { readonly kind: 'key'; readonly keyHash: string };

export interface ChangeFollower {
  /** In the order of the commits. The next one waits until this one is done. */
  onChange(change: Change): void | Promise<void>;
  /** Notices may have been missed, so nothing in memory can be trusted. */
  onMissed(): void | Promise<void>;
}

const CHANNEL = 'tollgate_changes';
const ACKNOWLEDGED = 'tollgate_acks';
const PAYLOAD = /^(?:catalog|account:(\d{1,15}):(\d{1,15})|key:([\w-]{1,128})|sync:([0-9a-f]{32}))$/;

/** Sent when the transaction commits, never when it rolls back. */
export async function announce(transaction: Database, change: Change): Promise<void> {
  await transaction.notify(CHANNEL, encodeChange(change));
}

function encodeChange(change: Change): string {
  if (change.kind === 'account') return `account:${change.accountId}:${change.version}`;
  return change.kind === 'key' ? `key:${change.keyHash}` : 'catalog';
}

/** Receives every change from now on, until the returned function is called. */
export async function followChanges(
  database: Database,
  follower: ChangeFollower,
  log: Logger,
): Promise<() => Promise<void>> {
  let pending = 0;
  let last: Promise<void> = Promise.resolve();
  const enqueue = (work: () => void | Promise<void>): void => {
    pending++;
    last = last
      .then(work)
      .catch((error: unknown) => log.error({ err: error }, 'a change could not be applied in this process'))
      .finally(() => pending--);
  };
  const receive = (payload: string, heardBy: number | undefined): void => {
    if (pending === CHANGES_PENDING_MAX) enqueue(() => follower.onMissed());
    if (pending > CHANGES_PENDING_MAX) return;
    const notice = decodeNotice(payload);
    if (notice === undefined) log.warn({ payload }, 'an unknown change notice was ignored');
    else if (notice.kind !== 'sync') enqueue(() => follower.onChange(notice));
    // Only what came over the connection proves that everything before it arrived.
    else if (heardBy !== undefined) enqueue(() => acknowledge(database, notice.token, heardBy));
  };
  const hear: NoticeHandler = (payload, heardBy) => {
    receive(payload, heardBy);
    return last;
  };
  const stop = await database.listen(CHANNEL, hear, () => enqueue(() => follower.onMissed()));
  return async () => {
    await stop();
    await last;
  };
}

function decodeNotice(
  payload: string,
): Change | { readonly kind: 'sync'; readonly token: string } | undefined {
  const match = PAYLOAD.exec(payload);
  if (match === null) return undefined;
  const [, accountId, version, keyHash, token] = match;
  if (accountId !== undefined) {
    return { kind: 'account', accountId: Number(accountId), version: Number(version) };
  }
  if (keyHash !== undefined) return { kind: 'key', keyHash };
  if (token !== undefined) return { kind: 'sync', token };
  return { kind: 'catalog' };
}

function acknowledge(database: Database, token: string, session: number): Promise<void> {
  return database.notify(ACKNOWLEDGED, `${token}:${session}`);
}

export type Acknowledgement = 'in-force' | 'no-server' | 'late';

/**
 * Called by a writer after its commit. Returns when every running server has applied all changes that were
 * committed before. Notices arrive in the order of commits, so one answer covers all.
 * After `waitMs` the answer is `late`.
 */
export async function announceAndWait(
  database: Database,
  waitMs: number = CHANGE_ACKNOWLEDGE_MS,
): Promise<Acknowledgement> {
  const giveUp = new AbortController();
  const late = sleep<Acknowledgement>(waitMs, 'late', { signal: giveUp.signal });
  try {
    return await Promise.race([askAll(database, giveUp.signal), late]);
  } finally {
    giveUp.abort();
  }
}

async function askAll(database: Database, signal: AbortSignal): Promise<Acknowledgement> {
  const token = systemRandom.bytes(16).toString('hex');
  const { promise, resolve } = Promise.withResolvers<Acknowledgement>();
  signal.addEventListener('abort', () => resolve('late'));
  const awaited = new Set<string>();
  // Before servers are counted: a process without a connection restores its own here.
  const stop = await database.listen(ACKNOWLEDGED, (payload) => {
    if (awaited.delete(payload) && awaited.size === 0) resolve('in-force');
  });
  try {
    // By name: a server that came after the count does not replace one that was counted.
    for (const session of await untilFollowed(database, signal)) awaited.add(`${token}:${session}`);
    if (awaited.size === 0) resolve('no-server');
    // Also waits until this process itself has applied what it wrote.
    await database.notify(CHANNEL, `sync:${token}`);
    return await promise;
  } finally {
    await stop();
  }
}

const FOLLOWERS_POLL_MS = 50;

/** No listener does not mean no server: all lose their connections with the same database. */
async function untilFollowed(database: Database, signal: AbortSignal): Promise<readonly number[]> {
  for (;;) {
    const sessions = await findFollowers(database);
    if (sessions.length > 0 || !(await hasLiveServer(database))) return sessions;
    await sleep(FOLLOWERS_POLL_MS, undefined, { signal });
  }
}

/** The database sessions in which servers listen for changes. */
export async function findFollowers(database: Database): Promise<readonly number[]> {
  const sessions = await database.query<{ pid: number }>(FIND_LISTENERS, [CHANNEL]);
  return sessions.map(({ pid }) => pid);
}
