import type { FailureScope, FailureStore } from '../../accounts/login-contract.ts';
import { countFailure, type Tally, uncountFailure } from '../../accounts/throttle.ts';
import { SESSIONS_PRUNED_ROWS } from '../../operations/bounds.ts';
import { type Database, toIsoTime } from '../database.ts';

/** Failed logins on all nodes, counted in one place. */
export function createFailureStore(database: Database): FailureStore {
  return {
    countAttempt: (scopes, nowMs) => countAttempt(database, scopes, nowMs),
    uncountAttempt: (scopes) => uncountAttempt(database, scopes),
    forgetFailures: async (names) => {
      await database.query('delete from login_failures where scope = any($1)', [names]);
    },
  };
}

async function countAttempt(
  database: Database,
  scopes: readonly FailureScope[],
  nowMs: number,
): Promise<number> {
  // First without a lock: a flood of guesses that are refused anyway costs one read each.
  const waitMs = longestWait(await readTallies(database, scopes), nowMs);
  if (waitMs > 0) return waitMs;
  return database.transaction(async (transaction) => {
    const tallies = await lockTallies(transaction, scopes, nowMs);
    const waitNowMs = longestWait(tallies, nowMs);
    if (waitNowMs > 0) return waitNowMs;
    await writeTallies(transaction, scopes, (scope) =>
      countFailure(scope.rule, tallies.get(scope.name), nowMs),
    );
    return 0;
  });
}

function uncountAttempt(database: Database, scopes: readonly FailureScope[]): Promise<void> {
  return database.transaction(async (transaction) => {
    const tallies = await readTallies(transaction, scopes, 'order by scope for update');
    const there = scopes.filter(({ name }) => tallies.has(name));
    await writeTallies(transaction, there, ({ name, rule }) =>
      uncountFailure(rule, tallies.get(name) ?? NOTHING),
    );
  });
}

const NOTHING: Tally = { failures: 0, blockedUntilMs: 0, forgottenAtMs: 0 };

interface TallyRow {
  readonly scope: string;
  readonly failures: number;
  readonly blocked_until: Date;
  readonly forgotten_at: Date;
}

async function readTallies(
  database: Database,
  scopes: readonly FailureScope[],
  locking = '',
): Promise<ReadonlyMap<string, Tally>> {
  const rows = await database.query<TallyRow>(
    `select scope, failures, blocked_until, forgotten_at from login_failures where scope = any($1) ${locking}`,
    [scopes.map(({ name }) => name)],
  );
  return tallyMap(rows);
}

/** Missing rows are created, so that they can be locked, always in the same order. */
async function lockTallies(
  transaction: Database,
  scopes: readonly FailureScope[],
  nowMs: number,
): Promise<ReadonlyMap<string, Tally>> {
  const rows = await transaction.query<TallyRow>(
    `insert into login_failures (scope, failures, blocked_until, forgotten_at)
     select name, 0, $2, $2 from unnest($1::text[]) as name order by name
     on conflict (scope) do update set failures = login_failures.failures
     returning scope, failures, blocked_until, forgotten_at`,
    [scopes.map(({ name }) => name), toIsoTime(nowMs)],
  );
  return tallyMap(rows);
}

async function writeTallies(
  transaction: Database,
  scopes: readonly FailureScope[],
  toTally: (scope: FailureScope) => Tally,
): Promise<void> {
  const tallies = scopes.map(toTally);
  await transaction.query(
    `update login_failures set failures = new.failures, blocked_until = new.blocked_until,
       forgotten_at = new.forgotten_at
     from unnest($1::text[], $2::int[], $3::timestamptz[], $4::timestamptz[])
       as new (scope, failures, blocked_until, forgotten_at)
     where login_failures.scope = new.scope`,
    [
      scopes.map(({ name }) => name),
      tallies.map(({ failures }) => failures),
      tallies.map(({ blockedUntilMs }) => toIsoTime(blockedUntilMs)),
      tallies.map(({ forgottenAtMs }) => toIsoTime(forgottenAtMs)),
    ],
  );
}

function longestWait(tallies: ReadonlyMap<string, Tally>, nowMs: number): number {
  let waitMs = 0;
  for (const { blockedUntilMs } of tallies.values()) waitMs = Math.max(waitMs, blockedUntilMs - nowMs);
  return waitMs;
}

function tallyMap(rows: readonly TallyRow[]): ReadonlyMap<string, Tally> {
  return new Map(
    rows.map(({ scope, failures, blocked_until, forgotten_at }) => [
      scope,
      { failures, blockedUntilMs: blocked_until.getTime(), forgottenAtMs: forgotten_at.getTime() },
    ]),
  );
}

/** Deletes expired failures, a bounded number at a time. */
export async function pruneLoginFailures(database: Database, nowMs: number): Promise<number> {
  const gone = await database.query(
    `delete from login_failures where scope in (select scope from login_failures where forgotten_at <= $1
       order by forgotten_at limit $2 for update skip locked) returning 1`,
    [toIsoTime(nowMs), SESSIONS_PRUNED_ROWS],
  );
  return gone.length;
}
