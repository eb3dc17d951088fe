import type { MailStore } from '../../accounts/login-contract.ts';
import { hashSecret } from '../../accounts/token.ts';
import type { AlertLanguage, Details } from '../../alerts/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { rowContext, type Sealer } from '../../kernel/encoding/seal.ts';
import { SESSIONS_PRUNED_ROWS } from '../../operations/bounds.ts';
import { writeAlertSettings } from '../alerts/alert-settings.ts';
import { announceMessage, NEW_MESSAGE_ID } from '../alerts/outbox.ts';
import { type Database, idNumber, toIsoTime } from '../database.ts';

export function createMailStore(database: Database, sealer: Sealer): MailStore {
  return {
    mailReset: ({ email, ...mail }) =>
      database.transaction(async (transaction) => {
        const found = { column: 'email', value: email } as const;
        await mailToken(transaction, sealer, { ...mail, found, purpose: 'reset', kind: 'reset-password' });
      }),
    mailVerification: ({ accountId, ...mail }) =>
      database.transaction(async (transaction) => {
        const { language } = mail;
        if (language !== undefined) await writeAlertSettings(transaction, accountId, { language });
        const found = { column: 'id', value: accountId } as const;
        await mailToken(transaction, sealer, { ...mail, found, purpose: 'verify', kind: 'verify-address' });
      }),
    isMailToken: async (purpose, tokenHash, nowMs) =>
      (
        await database.query(
          'select 1 from account_tokens where token_hash = $1 and purpose = $2 and expires_at > $3',
          [tokenHash, purpose, toIsoTime(nowMs)],
        )
      ).length > 0,
    resetPassword: (reset) => database.transaction((transaction) => resetPassword(transaction, reset)),
    confirmAddress: (tokenHash, nowMs) =>
      database.transaction(
        async (transaction) => (await spendToken(transaction, 'verify', tokenHash, nowMs)) !== undefined,
      ),
  };
}

interface TokenMail {
  readonly found: { readonly column: 'email' | 'id'; readonly value: string | number };
  readonly token: string;
  readonly expiresAtMs: number;
  readonly language: AlertLanguage | undefined;
  readonly purpose: 'verify' | 'reset';
  readonly kind: string;
}

/** The hash for the link, and the token itself, sealed, for the mail that waits to be sent. */
async function mailToken(transaction: Database, sealer: Sealer, mail: TokenMail): Promise<void> {
  const { found, token, expiresAtMs, language, purpose, kind } = mail;
  const [account] = await transaction.query<{ id: bigint; email: string }>(
    `select id, email from accounts where ${found.column} = $1 and status = 'enabled'`,
    [found.value],
  );
  if (account === undefined) return;
  await transaction.query(
    `insert into account_tokens (token_hash, account_id, purpose, email, expires_at) values ($1, $2, $3, $4, $5)
     on conflict (account_id, purpose) do update set token_hash = excluded.token_hash,
       email = excluded.email, expires_at = excluded.expires_at`,
    [hashSecret(token), account.id, purpose, account.email, toIsoTime(expiresAtMs)],
  );
  const [drawn] = await transaction.query<{ id: bigint }>(
    `select nextval(pg_get_serial_sequence('alert_outbox', 'id')) as id`,
  );
  assert(drawn !== undefined, 'a sequence always has a next value');
  const [id, accountId] = [idNumber(drawn.id), idNumber(account.id)];
  const details = { email: account.email, ...(language !== undefined && { language }) };
  await transaction.query(
    `insert into alert_outbox (id, message_id, account_id, kind, state, key, details, secret_sealed)
     values ($1, ${NEW_MESSAGE_ID}, $2, $3, 'mail', $3 || ':' || $2::bigint, $4, $5)`,
    [
      id,
      accountId,
      kind,
      JSON.stringify(details),
      sealer.seal(token, rowContext('alert_outbox', id, accountId)),
    ],
  );
  await announceMessage(transaction);
}

/** Whoever has the token reads the mailbox, so the address is confirmed by either link. */
async function spendToken(
  transaction: Database,
  purpose: TokenMail['purpose'],
  tokenHash: string,
  nowMs: number,
): Promise<bigint | undefined> {
  const [used] = await transaction.query<{ account_id: bigint; email: string; expires_at: Date }>(
    `delete from account_tokens where token_hash = $1 and purpose = $2 returning account_id, email, expires_at`,
    [tokenHash, purpose],
  );
  if (used === undefined || used.expires_at.getTime() <= nowMs) return undefined;
  const verified = await transaction.query(
    `insert into verified_addresses (account_id, email)
     select id, email from accounts where id = $1 and email = $2 and status = 'enabled'
     on conflict (account_id) do update set email = excluded.email, verified_at = now() returning 1`,
    [used.account_id, used.email],
  );
  return verified.length === 0 ? undefined : used.account_id;
}

/** All sessions end: whoever forgot the password is not sure who else has it. */
async function resetPassword(
  transaction: Database,
  { tokenHash, passwordHash, nowMs, notice }: Parameters<MailStore['resetPassword']>[0],
): Promise<number | undefined> {
  const accountId = await spendToken(transaction, 'reset', tokenHash, nowMs);
  if (accountId === undefined) return undefined;
  await transaction.query('update accounts set password_hash = $2 where id = $1', [accountId, passwordHash]);
  const ended = await transaction.query(
    'update sessions set ended_at = $2 where account_id = $1 and ended_at is null returning 1',
    [accountId, toIsoTime(nowMs)],
  );
  await noticeAccount(transaction, idNumber(accountId), 'password-changed', notice);
  return ended.length;
}

/** A mail to the account in the transaction of what it tells. Only to an address that is confirmed. */
export async function noticeAccount(
  transaction: Database,
  accountId: number,
  kind: 'password-changed' | 'new-sign-in',
  details: Details,
): Promise<void> {
  const written = await transaction.query(
    `insert into alert_outbox (message_id, account_id, kind, state, key, details)
     select ${NEW_MESSAGE_ID}, accounts.id, $2, 'mail', $2 || ':' || accounts.id, $3
     from accounts join verified_addresses verified
       on verified.account_id = accounts.id and verified.email = accounts.email
     where accounts.id = $1 returning 1`,
    [accountId, kind, JSON.stringify(details)],
  );
  if (written.length > 0) await announceMessage(transaction);
}

/** Deletes expired links, a bounded number at a time. */
export async function pruneAccountTokens(database: Database, nowMs: number): Promise<number> {
  const gone = await database.query(
    `delete from account_tokens where token_hash in (select token_hash from account_tokens
       where expires_at <= $1 order by expires_at limit $2 for update skip locked) returning 1`,
    [toIsoTime(nowMs), SESSIONS_PRUNED_ROWS],
  );
  return gone.length;
}
