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

/**
 * After a rotation: seals every secret that stands under an older key with the first one, in small steps, so
 * that servers go on meanwhile. Answers how many; 0 means that the older secret can be forgotten.
 */
export async function sealAgain(database: Database, sealer: Sealer): Promise<number> {
  let total = 0;
  for (const place of PLACES) total += await sealPlace(database, sealer, place);
  await database.query('update seal_check set sealed = $1', [newCheckValue(sealer)]);
  return total;
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
];

async function sealPlace(database: Database, sealer: Sealer, place: SealedColumn): Promise<number> {
  let total = 0;
  let lastId = 0;
  for (;;) {
    const part = { place, afterId: lastId };
    const step = await database.transaction((transaction) => sealStep(transaction, sealer, part));
    total += step.sealed;
    if (step.lastId === undefined) return total;
    lastId = step.lastId;
  }
}

interface SealStep {
  readonly sealed: number;
  /** Nothing: there are no more rows. */
  readonly lastId: number | undefined;
}

/** Rows are locked, so a secret that is being replaced is not overwritten by its older self. */
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
  const ids: number[] = [];
  const texts: string[] = [];
  for (const row of rows) {
    const account = row.owner === null ? undefined : idNumber(row.owner);
    const context = rowContext(table, idNumber(row.id), account);
    const secret = sealer.unseal(row.sealed, context);
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
  return { sealed: ids.length, lastId: last === undefined ? undefined : idNumber(last.id) };
}
