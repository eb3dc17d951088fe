import { CONDITIONS_MAX, TOLD_AGAIN_MS } from '../../alerts/bounds.ts';
import type { AlertStore, Condition, Details } from '../../alerts/contract.ts';
import { type Database, idNumber } from '../database.ts';
import { announceMessage, NEW_MESSAGE_ID, pruneOutbox } from './outbox.ts';

export function createAlertStore(database: Database): AlertStore {
  return {
    claimTask: (name, everyMs) => claimTask(database, name, everyMs),
    reconcile: (kinds, holding) =>
      database.transaction((transaction) => reconcile(transaction, kinds, holding)),
    prune: () => pruneOutbox(database),
  };
}

/** The row is locked by whoever moves its time, so of several nodes one finds it due. */
async function claimTask(database: Database, name: string, everyMs: number): Promise<boolean> {
  const moved = await database.query(
    `update alert_tasks set due_at = now() + $2 * interval '1 millisecond'
     where name = $1 and due_at <= now() returning 1`,
    [name, everyMs],
  );
  return moved.length > 0;
}

/** To every open channel of the owner that asks for the kind. */
const TO_CHANNELS = `
  insert into alert_outbox (message_id, channel_id, account_id, kind, state, key, details)
  select ${NEW_MESSAGE_ID}, channels.id, channels.account_id, told.kind, $1, told.key, told.details
  from unnest($2::text[], $3::text[], $4::bigint[], $5::jsonb[]) as told (key, kind, account_id, details)
    join alert_channels channels on channels.account_id is not distinct from told.account_id
      and channels.status = 'enabled' and told.kind = any(channels.alerts)
  returning 1`;

/**
 * The primary key decides who tells a condition: a row that is there was told, and is told again after a day.
 * The messages and the row are one transaction.
 */
const RAISE = `
  insert into alert_states (key, kind, account_id, details)
  select key, kind, account_id, details
  from unnest($1::text[], $2::text[], $3::bigint[], $4::jsonb[]) as given (key, kind, account_id, details)
  order by key
  on conflict (key) do update set told_at = now(), details = excluded.details
    where alert_states.told_at <= now() - $5 * interval '1 millisecond'
  returning key, kind, account_id, details`;

interface StateRow {
  readonly key: string;
  readonly kind: string;
  readonly account_id: bigint | null;
  readonly details: Details;
}

async function reconcile(
  transaction: Database,
  kinds: readonly string[],
  holding: readonly Condition[],
): Promise<number> {
  const held = [...new Map(holding.map((each) => [each.key, each])).values()].slice(0, CONDITIONS_MAX);
  const raised = await transaction.query<StateRow>(RAISE, [...toColumns(held), TOLD_AGAIN_MS]);
  let messages = await tell(transaction, 'raised', raised);
  if (holding.length <= CONDITIONS_MAX) {
    const over = await transaction.query<StateRow>(
      `delete from alert_states where kind = any($1) and key <> all($2)
       returning key, kind, account_id, details`,
      [kinds, held.map(({ key }) => key)],
    );
    // Users are told what needs them, not that it is over.
    messages += await tell(
      transaction,
      'cleared',
      over.filter((row) => row.account_id === null),
    );
  }
  if (messages > 0) await announceMessage(transaction);
  return messages;
}

async function tell(
  transaction: Database,
  state: 'raised' | 'cleared',
  rows: readonly StateRow[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const conditions = rows.map(({ account_id: owner, ...rest }) => ({
    ...rest,
    accountId: owner === null ? undefined : idNumber(owner),
  }));
  return (await transaction.query(TO_CHANNELS, [state, ...toColumns(conditions)])).length;
}

/** In the order of the statements: key, kind, account, details. */
function toColumns(conditions: readonly Condition[]): unknown[][] {
  return [
    conditions.map(({ key }) => key),
    conditions.map(({ kind }) => kind),
    conditions.map(({ accountId }) => accountId ?? null),
    conditions.map(({ details }) => JSON.stringify(details)),
  ];
}

/** A condition of operators that holds now. */
export interface HeldState {
  readonly key: string;
  readonly kind: string;
  readonly details: Details;
  readonly sinceMs: number;
}

export async function listOperatorStates(database: Database): Promise<readonly HeldState[]> {
  const rows = await database.query<{ key: string; kind: string; details: Details; since: Date }>(
    'select key, kind, details, since from alert_states where account_id is null order by since, key limit $1',
    [CONDITIONS_MAX],
  );
  return rows.map(({ since, ...state }) => ({ ...state, sinceMs: since.getTime() }));
}
