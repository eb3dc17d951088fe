import { CHANNEL_TESTS_PER_MINUTE, CHANNELS_PER_OWNER_MAX } from '../../alerts/bounds.ts';
import type { AlertLanguage, ChannelKind } from '../../alerts/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { rowContext, type Sealer } from '../../kernel/encoding/seal.ts';
import { type Database, idNumber } from '../database.ts';
import { announceMessage, NEW_MESSAGE_ID } from './outbox.ts';

/** Where alerts go, as its owner sees it: without the secret. */
export interface ChannelView {
  readonly id: number;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly target: string;
  readonly language: AlertLanguage;
  readonly alerts: readonly string[];
  readonly status: 'enabled' | 'disabled';
  readonly createdAtMs: number;
}

export interface NewChannel extends Pick<ChannelView, 'kind' | 'name' | 'target' | 'language' | 'alerts'> {
  /** Of webhooks. */
  readonly secret: string | undefined;
}

export type ChannelPatch = Partial<Pick<ChannelView, 'name' | 'target' | 'language' | 'alerts' | 'status'>>;

/** Undefined: the operators. */
export type Owner = number | undefined;

interface ChannelRow {
  readonly id: bigint;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly target: string;
  readonly language: AlertLanguage;
  readonly alerts: readonly string[];
  readonly status: ChannelView['status'];
  readonly created_at: Date;
}

const COLUMNS = 'id, kind, name, target, language, alerts, status, created_at';
const OWN = '(account_id = $1 or ($1::bigint is null and account_id is null))';

/** All of them, oldest first. Their number is bounded. */
export async function listChannels(database: Database, owner: Owner): Promise<readonly ChannelView[]> {
  const rows = await database.query<ChannelRow>(
    `select ${COLUMNS} from alert_channels where ${OWN} order by id`,
    [owner ?? null],
  );
  return rows.map(({ id, created_at: createdAt, ...row }) => ({
    ...row,
    id: idNumber(id),
    createdAtMs: createdAt.getTime(),
  }));
}

export async function findChannel(
  database: Database,
  owner: Owner,
  id: number,
): Promise<ChannelView | undefined> {
  return (await listChannels(database, owner)).find((channel) => channel.id === id);
}

/** Undefined: there are too many. Channels of one owner are added one after the other. */
export function addChannel(
  database: Database,
  owner: Owner,
  channel: NewChannel,
  sealer: Sealer,
): Promise<number | undefined> {
  assert((channel.kind === 'webhook') === (channel.secret !== undefined), 'webhooks are signed');
  return database.transaction(async (transaction) => {
    await lockOwner(transaction, owner);
    if ((await listChannels(transaction, owner)).length >= CHANNELS_PER_OWNER_MAX) return undefined;
    const [drawn] = await transaction.query<{ id: bigint }>(
      `select nextval(pg_get_serial_sequence('alert_channels', 'id')) as id`,
    );
    assert(drawn !== undefined, 'a sequence always has a next value');
    const id = idNumber(drawn.id);
    const { kind, name, target, language, alerts, secret } = channel;
    const sealed = secret === undefined ? null : sealer.seal(secret, rowContext('alert_channels', id, owner));
    await transaction.query(
      `insert into alert_channels (id, account_id, kind, name, target, secret_sealed, language, alerts)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, owner ?? null, kind, name, target, sealed, language, alerts],
    );
    return id;
  });
}

async function lockOwner(transaction: Database, owner: Owner): Promise<void> {
  await transaction.query(
    "select pg_advisory_xact_lock(hashtextextended('alert_channels:' || $1::text, 0))",
    [owner ?? 0],
  );
}

/** False: the owner has no such channel. */
export async function updateChannel(
  database: Database,
  { owner, id }: { readonly owner: Owner; readonly id: number },
  patch: ChannelPatch,
): Promise<boolean> {
  const { name, target, language, alerts, status } = patch;
  const changed = await database.query(
    `update alert_channels set name = coalesce($3, name), target = coalesce($4, target),
       language = coalesce($5, language), alerts = coalesce($6, alerts), status = coalesce($7, status)
     where ${OWN} and id = $2 returning 1`,
    [owner ?? null, id, name ?? null, target ?? null, language ?? null, alerts ?? null, status ?? null],
  );
  return changed.length > 0;
}

/** All of them, or none and 0 if one is not the owner's. What waits for them is not sent. */
export function deleteChannels(database: Database, owner: Owner, ids: readonly number[]): Promise<number> {
  return database.transaction(async (transaction) => {
    const found = await transaction.query(
      `select 1 from alert_channels where ${OWN} and id = any($2::bigint[]) for update`,
      [owner ?? null, ids],
    );
    if (found.length < ids.length) return 0;
    await transaction.query(`delete from alert_channels where ${OWN} and id = any($2::bigint[])`, [
      owner ?? null,
      ids,
    ]);
    return found.length;
  });
}

export type Tested = { readonly kind: 'queued'; readonly deliveryId: number } | { readonly kind: 'wait' };

/** A test goes the way of every alert. The caller has found the channel. */
export function queueTest(database: Database, owner: Owner, channelId: number): Promise<Tested> {
  return database.transaction(async (transaction) => {
    await lockOwner(transaction, owner);
    const [recent] = await transaction.query<{ count: number }>(
      `select count(*)::int as count from alert_outbox
       where ${OWN} and state = 'test' and created_at > now() - interval '1 minute'`,
      [owner ?? null],
    );
    if ((recent?.count ?? 0) >= CHANNEL_TESTS_PER_MINUTE) return { kind: 'wait' };
    const [made] = await transaction.query<{ id: bigint }>(
      `insert into alert_outbox (message_id, channel_id, account_id, kind, state, key, details)
       values (${NEW_MESSAGE_ID}, $2, $1, 'test', 'test', 'test:channel:' || $2::bigint, '{}') returning id`,
      [owner ?? null, channelId],
    );
    assert(made !== undefined, 'an insert returns its row');
    await announceMessage(transaction);
    return { kind: 'queued', deliveryId: idNumber(made.id) };
  });
}
