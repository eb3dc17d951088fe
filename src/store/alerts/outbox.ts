import { DEAD_KEPT_MS, DELIVERY_CLAIM_MS, OUTBOX_PRUNED_ROWS, SENT_KEPT_MS } from '../../alerts/bounds.ts';
import type { AlertLanguage, ChannelKind, Delivery, Details, Outbox, Told } from '../../alerts/contract.ts';
import { rowContext, type Sealer } from '../../kernel/encoding/seal.ts';
import { type Database, idNumber, type Listed } from '../database.ts';

const CHANNEL = 'tollgate_outbox';

/** Tells all nodes, when the transaction commits, that a message waits. */
export async function announceMessage(database: Database): Promise<void> {
  await database.notify(CHANNEL, '');
}

/** Calls `wake` whenever a message was written, and when notices may have been missed. */
export function followOutbox(database: Database, wake: () => void): Promise<() => Promise<void>> {
  return database.listen(CHANNEL, () => wake(), wake);
}

/** A new id of a message, in SQL: the same text for all attempts. */
export const NEW_MESSAGE_ID = "'msg_' || replace(gen_random_uuid()::text, '-', '')";

interface TakenRow {
  readonly id: bigint;
  readonly message_id: string;
  readonly account_id: bigint | null;
  readonly kind: string;
  readonly state: Told['state'];
  readonly key: string;
  readonly details: Details;
  readonly token_sealed: string | null;
  readonly created_at: Date;
  readonly attempts: number;
  readonly channel_id: bigint | null;
  readonly channel: ChannelKind;
  readonly is_open: boolean;
  readonly target: string | null;
  readonly language: AlertLanguage;
  readonly webhook_sealed: string | null;
}

/**
 * Row locks are held for this statement only. What was taken has its next time in the future, so another
 * node takes it again if this one dies. A mail without a channel goes to the address of its account.
 */
const TAKE = `
  with taken as (
    update alert_outbox set attempts = attempts + 1, next_at = now() + $2 * interval '1 millisecond'
    where id in (select id from alert_outbox where status = 'waiting' and next_at <= now()
      order by next_at limit $1 for update skip locked)
    returning *)
  select taken.id, taken.message_id, taken.account_id, taken.kind, taken.state, taken.key, taken.details,
    taken.secret_sealed as token_sealed, taken.created_at, taken.attempts, taken.channel_id,
    coalesce(channels.kind, 'email') as channel, coalesce(channels.status = 'enabled', true)
      and (taken.account_id is null or accounts.status = 'enabled') as is_open,
    coalesce(channels.target, accounts.email) as target,
    coalesce(channels.language, settings.language,
      case when taken.details ->> 'language' = 'zh' then 'zh' end, 'en') as language, channels.secret_sealed as webhook_sealed
  from taken left join alert_channels channels on channels.id = taken.channel_id
    left join accounts on accounts.id = taken.account_id
    left join alert_settings settings on settings.account_id = taken.account_id`;

export function createOutbox(database: Database, sealer: Sealer): Outbox {
  return {
    take: async (count) => {
      const rows = await database.query<TakenRow>(TAKE, [count, DELIVERY_CLAIM_MS]);
      return rows.map((row) => toDelivery(row, sealer));
    },
    markSent: (id) => end(database, { id, status: 'sent', reason: null }),
    markDead: (id, reason) => end(database, { id, status: 'dead', reason }),
    markFailed: async (id, reason, waitMs) => {
      await database.query(
        `update alert_outbox set next_at = now() + $3 * interval '1 millisecond', last_error = $2
         where id = $1 and status = 'waiting'`,
        [id, reason, waitMs],
      );
    },
  };
}

/** The token of a link is not kept. A message that was sent twice is ended once. */
async function end(
  database: Database,
  {
    id,
    status,
    reason,
  }: { readonly id: number; readonly status: 'sent' | 'dead'; readonly reason: string | null },
): Promise<void> {
  await database.query(
    `update alert_outbox set status = $2, ended_at = now(), last_error = $3, secret_sealed = null
     where id = $1 and status = 'waiting'`,
    [id, status, reason],
  );
}

function toDelivery(row: TakenRow, sealer: Sealer): Delivery {
  const id = idNumber(row.id);
  const owner = row.account_id === null ? undefined : idNumber(row.account_id);
  const open = (sealed: string | null, context: string): string | undefined =>
    sealed === null ? undefined : sealer.unseal(sealed, context);
  return {
    ...{ id, messageId: row.message_id, key: row.key, attempts: row.attempts },
    ...{ kind: row.kind, state: row.state, details: row.details, createdAtMs: row.created_at.getTime() },
    ...{ channel: row.channel, isOpen: row.is_open, target: row.target ?? '', language: row.language },
    webhookSecret: open(
      row.webhook_sealed,
      rowContext('alert_channels', row.channel_id === null ? 0 : idNumber(row.channel_id), owner),
    ),
    token: open(row.token_sealed, rowContext('alert_outbox', id, owner)),
  };
}

/** A message as its owner and operators see it: without what it says. */
export interface ShownDelivery {
  readonly id: number;
  readonly messageId: string;
  readonly accountId: number | undefined;
  readonly channelId: number | undefined;
  readonly channelName: string | undefined;
  readonly kind: string;
  readonly state: string;
  readonly key: string;
  readonly status: 'waiting' | 'sent' | 'dead';
  readonly attempts: number;
  readonly createdAtMs: number;
  /** When it is tried next, while it waits. */
  readonly nextAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly lastError: string | undefined;
}

interface ShownRow {
  readonly id: bigint;
  readonly message_id: string;
  readonly account_id: bigint | null;
  readonly channel_id: bigint | null;
  readonly name: string | null;
  readonly kind: string;
  readonly state: string;
  readonly key: string;
  readonly status: ShownDelivery['status'];
  readonly attempts: number;
  readonly created_at: Date;
  readonly next_at: Date;
  readonly ended_at: Date | null;
  readonly last_error: string | null;
}

export interface DeliveryQuery {
  /** Undefined: of everybody. */
  readonly accountId: number | undefined;
  readonly status: ShownDelivery['status'] | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Newest first. */
export async function listDeliveries(
  database: Database,
  { accountId, status, offset, limit }: DeliveryQuery,
): Promise<Listed<ShownDelivery>> {
  const matches = `($1::bigint is null or outbox.account_id = $1) and ($2::text is null or outbox.status = $2)`;
  const values = [accountId ?? null, status ?? null];
  const rows = await database.query<ShownRow>(
    `select outbox.id, message_id, outbox.account_id, channel_id, channels.name, outbox.kind, state, key,
       outbox.status, attempts, outbox.created_at, next_at, ended_at, last_error
     from alert_outbox outbox left join alert_channels channels on channels.id = channel_id
     where ${matches} order by outbox.id desc limit $3 offset $4`,
    [...values, limit, offset],
  );
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from alert_outbox outbox where ${matches}`,
    values,
  );
  return { items: rows.map(toShown), total: count?.total ?? 0 };
}

function toShown(row: ShownRow): ShownDelivery {
  return {
    ...{ id: idNumber(row.id), messageId: row.message_id, kind: row.kind, state: row.state, key: row.key },
    accountId: row.account_id === null ? undefined : idNumber(row.account_id),
    channelId: row.channel_id === null ? undefined : idNumber(row.channel_id),
    channelName: row.name ?? undefined,
    ...{ status: row.status, attempts: row.attempts, createdAtMs: row.created_at.getTime() },
    nextAtMs: row.status === 'waiting' ? row.next_at.getTime() : undefined,
    endedAtMs: row.ended_at?.getTime(),
    lastError: row.last_error ?? undefined,
  };
}

/** Deletes what ended long ago, a bounded number at a time. */
export async function pruneOutbox(database: Database): Promise<void> {
  await database.query(
    `delete from alert_outbox where id in (select id from alert_outbox
       where status <> 'waiting' and ended_at < now() - $1 * interval '1 millisecond'
         and (status = 'sent' or ended_at < now() - $2 * interval '1 millisecond')
       order by ended_at limit $3 for update skip locked)`,
    [SENT_KEPT_MS, DEAD_KEPT_MS, OUTBOX_PRUNED_ROWS],
  );
}
