import { SEAL_AGAIN_BATCH } from '../bounds.ts';
import { assert } from '../kernel/assert.ts';
import { newCheckValue, opensCheckValue, rowContext, type Sealer } from '../kernel/encoding/seal.ts';
import { type Database, idNumber } from './database.ts';

/**
 * Whether the secret is the one this data was sealed with. The first start stores the check value; with the
 * wrong secret the process must not go on, or it would write what nobody can open.
 */
export async function isRightSecret(database: Database, sealer: Sealer): Promise<boolean> {
  await database.query('insert into seal_check (sealed) values ($1) on conflict do nothing', [
    newCheckValue(sealer),
  ]);
  const [row] = await database.query<{ sealed: string }>('select sealed from seal_check');
  assert(row !== undefined, 'the check value was stored just now or before');
  return opensCheckValue(sealer, row.sealed);
}

export interface Resealed {
  /** Secrets that stand under the new key now. */
  readonly sealed: number;
  /** Secrets that no key opens, before and after. */
  readonly unreadable: number;
  /** Stored conversations, which were deleted: they open only with ids that clients have. */
  readonly conversations: number;
}

/** Whether the data was sealed with this secret. Nothing is sealed before the first start. */
export async function findCheckValue(database: Database): Promise<string | undefined> {
  const [row] = await database.query<{ sealed: string }>('select sealed from seal_check');
  return row?.sealed;
}

/**
 * Seals every secret with the first key of the sealer. All or nothing: the transaction is the caller's. A
 * server that starts meanwhile waits, and then finds that its secret is the wrong one.
 */
export async function sealAgain(transaction: Database, sealer: Sealer): Promise<Resealed> {
  await transaction.query('lock table seal_check in access exclusive mode');
  let [sealed, unreadable] = [0, 0];
  for (const place of PLACES) {
    const done = await sealPlace(transaction, sealer, place);
    sealed += done.sealed;
    unreadable += done.unreadable;
  }
  const gone = await transaction.query<{ count: bigint }>(
    'with gone as (delete from conversations returning 1) select count(*) as count from gone',
  );
  await transaction.query('update seal_check set sealed = $1', [newCheckValue(sealer)]);
  return { sealed, unreadable, conversations: Number(gone[0]?.count ?? 0) };
}

/** A column of sealed texts, and whose they are. */
interface SealedColumn {
  readonly table: string;
  readonly owner: string;
  readonly column: string;
}

const PLACES: readonly SealedColumn[] = [
  { table: 'credentials', owner: 'owner_account_id', column: 'secret_sealed' },
  { table: 'verifications', owner: 'account_id', column: 'document_sealed' },
  { table: 'alert_channels', owner: 'account_id', column: 'secret_sealed' },
  { table: 'alert_outbox', owner: 'account_id', column: 'secret_sealed' },
];

async function sealPlace(
  transaction: Database,
  sealer: Sealer,
  place: SealedColumn,
): Promise<Omit<SealStep, 'lastId'>> {
  let [sealed, unreadable, lastId] = [0, 0, 0];
  for (;;) {
    const step = await sealStep(transaction, sealer, { place, afterId: lastId });
    sealed += step.sealed;
    unreadable += step.unreadable;
    if (step.lastId === undefined) return { sealed, unreadable };
    lastId = step.lastId;
  }
}

interface SealStep {
  readonly sealed: number;
  readonly unreadable: number;
  /** Nothing: there are no more rows. */
  readonly lastId: number | undefined;
}

async function sealStep(
  transaction: Database,
  sealer: Sealer,
  { place, afterId }: { readonly place: SealedColumn; readonly afterId: number },
): Promise<SealStep> {
  const { table, owner, column } = place;
  const rows = await transaction.query<{ id: bigint; owner: bigint | null; sealed: string }>(
    `select id, ${owner} as owner, ${column} as sealed from ${table}
     where id > $1 and ${column} is not null order by id limit $2 for update`,
    [afterId, SEAL_AGAIN_BATCH],
  );
  const [ids, texts]: [number[], string[]] = [[], []];
  let unreadable = 0;
  for (const row of rows) {
    const account = row.owner === null ? undefined : idNumber(row.owner);
    const context = rowContext(table, idNumber(row.id), account);
    const secret = sealer.unseal(row.sealed, context);
    if (secret === undefined) unreadable += 1;
    if (secret === undefined || sealer.isCurrent(row.sealed)) continue;
    ids.push(idNumber(row.id));
    texts.push(sealer.seal(secret, context));
  }
  await transaction.query(
    `update ${table} set ${column} = fresh.sealed
     from unnest($1::bigint[], $2::text[]) as fresh(id, sealed) where ${table}.id = fresh.id`,
    [ids, texts],
  );
  const last = rows.at(-1);
  return { sealed: ids.length, unreadable, lastId: last === undefined ? undefined : idNumber(last.id) };
}
