import type {
  NewPassword,
  NewSession,
  Rotated,
  Rotation,
  SessionStore,
  SessionView,
  StoredLogin,
  StoredSession,
} from '../../accounts/login-contract.ts';
import {
  LOGIN_ADDRESSES_PER_ACCOUNT_MAX,
  SESSIONS_PER_ACCOUNT_MAX,
  SESSIONS_PRUNED_ROWS,
} from '../../operations/bounds.ts';
import { type Database, idNumber, toIsoTime } from '../database.ts';
import { noticeAccount } from './account-mails.ts';

export function createSessionStore(database: Database): SessionStore {
  return {
    findLogin: (email, addressMark) => findLogin(database, email, addressMark),
    findSession: (sessionId, nowMs) => findSession(database, sessionId, nowMs),
    openSession: (session, passwordHash) => openSession(database, session, passwordHash),
    rotateSecret: (rotation) => rotateSecret(database, rotation),
    endSession: (accountId, sessionId, nowMs) =>
      endSessions(database, { accountId, nowMs, where: 'id = $3' }, sessionId),
    // No session has the id ''.
    endAllSessions: (accountId, nowMs) => endSessions(database, { accountId, nowMs, where: 'id <> $3' }, ''),
    endOtherSessions: (accountId, sessionId, nowMs) =>
      endSessions(database, { accountId, nowMs, where: 'id <> $3' }, sessionId),
    listSessions: (accountId, nowMs) => listSessions(database, accountId, nowMs),
    touchSession: (sessionId, nowMs) => touchSession(database, sessionId, nowMs),
    findPassword: (accountId) => findPassword(database, accountId),
    changePassword: (change) => changePassword(database, change),
  };
}

async function findLogin(
  database: Database,
  email: string,
  addressMark: string,
): Promise<StoredLogin | undefined> {
  const [row] = await database.query<{
    id: bigint;
    password_hash: string;
    status: StoredLogin['status'];
    address_known: boolean;
  }>(
    `select id, password_hash, status, exists (select from login_addresses
       where account_id = accounts.id and address_mark = $2) as address_known
     from accounts where email = $1`,
    [email, addressMark],
  );
  if (row === undefined) return undefined;
  const { id, password_hash: passwordHash, status, address_known: addressKnown } = row;
  return { accountId: idNumber(id), passwordHash, status, addressKnown };
}

/** Runs for every request of the platform: two look-ups by primary key in one prepared statement. */
async function findSession(
  database: Database,
  sessionId: string,
  nowMs: number,
): Promise<StoredSession | undefined> {
  const [row] = await database.query<{
    account_id: bigint;
    role: StoredSession['role'];
    live: boolean;
    kind: StoredSession['kind'];
    secret_hash: string;
    used_at: Date;
  }>(
    `select sessions.account_id, accounts.role, sessions.kind, sessions.secret_hash, sessions.used_at,
       sessions.ended_at is null and sessions.expires_at > $2 and accounts.status = 'enabled' as live
     from sessions join accounts on accounts.id = sessions.account_id where sessions.id = $1`,
    [sessionId, toIsoTime(nowMs)],
    'find-session',
  );
  if (row === undefined) return undefined;
  const { account_id: accountId, role, live, kind, secret_hash: secretHash, used_at: usedAt } = row;
  return { accountId: idNumber(accountId), role, live, kind, secretHash, usedAtMs: usedAt.getTime() };
}

/** The roles of those of these sessions that are open. */
export async function findLiveSessions(
  database: Database,
  sessionIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, StoredSession['role']>> {
  const rows = await database.query<{ id: string; role: StoredSession['role'] }>(
    `select sessions.id, accounts.role from sessions join accounts on accounts.id = sessions.account_id
     where sessions.id = any($1::text[]) and sessions.ended_at is null and sessions.expires_at > $2
       and accounts.status = 'enabled'`,
    [sessionIds, toIsoTime(nowMs)],
  );
  return new Map(rows.map(({ id, role }) => [id, role]));
}

async function touchSession(database: Database, sessionId: string, nowMs: number): Promise<void> {
  await database.query('update sessions set used_at = greatest(used_at, $2) where id = $1', [
    sessionId,
    toIsoTime(nowMs),
  ]);
}

async function listSessions(
  database: Database,
  accountId: number,
  nowMs: number,
): Promise<readonly SessionView[]> {
  const rows = await database.query<{
    id: string;
    kind: SessionView['kind'];
    created_at: Date;
    used_at: Date;
    expires_at: Date;
    address: string;
    user_agent: string;
  }>(
    `select id, kind, created_at, used_at, expires_at, address, user_agent from sessions
     where account_id = $1 and ended_at is null and expires_at > $2 order by used_at desc, id limit $3`,
    [accountId, toIsoTime(nowMs), SESSIONS_PER_ACCOUNT_MAX],
  );
  return rows.map((row) => ({
    ...{ id: row.id, kind: row.kind, address: row.address, userAgent: row.user_agent },
    createdAtMs: row.created_at.getTime(),
    usedAtMs: row.used_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
  }));
}

/**
 * Locks the account's row against writers: a concurrent change of the password either finds this session and
 * ends it, or is detected here.
 */
function openSession(database: Database, session: NewSession, passwordHash: string): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const accounts = await transaction.query(
      `select id from accounts where id = $1 and password_hash = $2 and status = 'enabled'
       for no key update`,
      [session.accountId, passwordHash],
    );
    if (accounts.length === 0) return false;
    await insertSession(transaction, session);
    const { accountId, notice } = session;
    if (notice !== undefined) await noticeAccount(transaction, accountId, 'new-sign-in', notice);
    return true;
  });
}

/** Also for accounts that were created in the same transaction. */
export async function insertSession(transaction: Database, session: NewSession): Promise<void> {
  const { accountId, kind, address, userAgent } = session;
  const createdAt = toIsoTime(session.createdAtMs);
  await transaction.query(
    `delete from sessions where account_id = $1 and id in (select id from sessions where account_id = $1
       order by ended_at is null and expires_at > $2 desc, created_at desc offset $3)`,
    [accountId, createdAt, SESSIONS_PER_ACCOUNT_MAX - 1],
  );
  await transaction.query(
    `insert into sessions (id, account_id, kind, secret_hash, created_at, used_at, expires_at, address, user_agent)
     values ($1, $2, $3, $4, $5, $5, $6, $7, $8)`,
    [
      session.id,
      accountId,
      kind,
      session.secretHash,
      createdAt,
      toIsoTime(session.expiresAtMs),
      address,
      userAgent,
    ],
  );
  await transaction.query(
    `delete from login_addresses where account_id = $1 and address_mark in (
       select address_mark from login_addresses where account_id = $1 and address_mark <> $2
       order by used_at desc offset $3)`,
    [accountId, session.addressMark, LOGIN_ADDRESSES_PER_ACCOUNT_MAX - 1],
  );
  await transaction.query(
    `insert into login_addresses (account_id, address_mark, used_at) values ($1, $2, $3)
     on conflict (account_id, address_mark) do update set used_at = excluded.used_at`,
    [accountId, session.addressMark, createdAt],
  );
}

function rotateSecret(database: Database, rotation: Rotation): Promise<Rotated> {
  const { sessionId, oldHash, newHash, nowMs, expiresAtMs } = rotation;
  const now = toIsoTime(nowMs);
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ account_id: bigint; secret_hash: string; enabled: boolean }>(
      `select sessions.account_id, sessions.secret_hash, accounts.status = 'enabled' as enabled
       from sessions join accounts on accounts.id = sessions.account_id
       where sessions.id = $1 and kind = 'token' and ended_at is null and expires_at > $2
       for update of sessions`,
      [sessionId, now],
    );
    if (row === undefined || !row.enabled) return { kind: 'gone' };
    const accountId = idNumber(row.account_id);
    if (row.secret_hash !== oldHash) {
      await transaction.query('update sessions set ended_at = $2 where id = $1', [sessionId, now]);
      return { kind: 'reused', accountId };
    }
    await transaction.query(
      'update sessions set secret_hash = $2, used_at = $3, expires_at = $4 where id = $1',
      [sessionId, newHash, now, toIsoTime(expiresAtMs)],
    );
    return { kind: 'rotated', accountId };
  });
}

/** `where` is a text of this file. */
async function endSessions(
  database: Database,
  which: { readonly accountId: number; readonly nowMs: number; readonly where: string },
  value: string,
): Promise<number> {
  const ended = await database.query(
    `update sessions set ended_at = $2
     where account_id = $1 and ended_at is null and ${which.where} returning 1`,
    [which.accountId, toIsoTime(which.nowMs), value],
  );
  return ended.length;
}

async function findPassword(database: Database, accountId: number): Promise<string | undefined> {
  const [row] = await database.query<{ password_hash: string }>(
    'select password_hash from accounts where id = $1',
    [accountId],
  );
  return row?.password_hash;
}

function changePassword(database: Database, change: NewPassword): Promise<number | undefined> {
  const { accountId, oldHash, newHash, sessionId, nowMs } = change;
  return database.transaction(async (transaction) => {
    const changed = await transaction.query(
      'update accounts set password_hash = $3 where id = $1 and password_hash = $2 returning 1',
      [accountId, oldHash, newHash],
    );
    if (changed.length === 0) return undefined;
    if (change.notice !== undefined) {
      await noticeAccount(transaction, accountId, 'password-changed', change.notice);
    }
    return endSessions(transaction, { accountId, nowMs, where: 'id <> $3' }, sessionId);
  });
}

/** Deletes expired sessions, a bounded number at a time. */
export async function pruneSessions(database: Database, nowMs: number): Promise<number> {
  const gone = await database.query(
    `delete from sessions where id in (select id from sessions where expires_at <= $1
       order by expires_at limit $2 for update skip locked) returning 1`,
    [toIsoTime(nowMs), SESSIONS_PRUNED_ROWS],
  );
  return gone.length;
}
