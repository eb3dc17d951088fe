import { LOST_UPLOADS_PAGE_MAX } from '../../jobs/bounds.ts';
import type { NotedUpload, UploadStore } from '../../jobs/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { storable } from '../columns.ts';
import { type Database, idNumber } from '../database.ts';
import { FILE_COLUMNS, fileValues } from './files.ts';

interface UploadRow {
  readonly id: string;
  readonly account_id: bigint;
  readonly noted_at: Date;
  readonly credential: string;
  readonly own: boolean;
  readonly name_hash: string;
  readonly bytes: bigint;
}

const COLUMNS = 'id, account_id, noted_at, credential, own, name_hash, bytes';

const NOTE = `insert into uploads (${COLUMNS}, due_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 millisecond')`;

const RENEW = `
  update uploads set due_at = now() + $2 * interval '1 millisecond' where id = $1 and not lost`;

const LOOK_AGAIN = `
  update uploads set due_at = now() + $2 * interval '1 millisecond' where id = $1 and lost`;

/** The note becomes the file, or neither is there. */
const KEEP = `
  with noted as (delete from uploads where id = $1 and not lost returning 1),
  kept as (
    insert into files (${FILE_COLUMNS})
    select $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 from noted on conflict do nothing)
  select 1 from noted`;

/** Row locks are held for this statement only. Another node takes what was taken if this one dies. */
const TAKE = `
  update uploads set lost = true, due_at = now() + $2 * interval '1 millisecond'
  where id in (select id from uploads where due_at <= now() order by due_at limit $1 for update skip locked)
  returning ${COLUMNS}`;

/**
 * Of these ids at the vendor, those that are no file of any account, nor may become one: no upload that is
 * still awaited looks the same. One statement sees both tables at one moment.
 */
const ORPHANS = `
  select id from unnest($1::text[]) as id
  where not exists (select 1 from files where object_id = id)
    and not exists (
      select 1 from uploads as other
      where not other.lost and other.credential = $2 and other.own = $3 and other.name_hash = $4
        and other.bytes = $5)`;

export function createUploadStore(database: Database): UploadStore {
  return {
    note: async ({ id, accountId, notedAtMs, credential, own, nameHash, bytes }, waitMs) => {
      const at = new Date(notedAtMs).toISOString();
      await database.query(NOTE, [id, accountId, at, credential, own, nameHash, bytes, waitMs]);
    },
    renew: async (id, waitMs) => {
      await database.query(RENEW, [id, waitMs]);
    },
    keep: async (id, file) => (await database.query(KEEP, [id, ...fileValues(file)])).length > 0,
    forget: async (id) => {
      await database.query('delete from uploads where id = $1', [id]);
    },
    takeLost: async (limit, waitMs) => {
      assert(limit >= 1 && limit <= LOST_UPLOADS_PAGE_MAX, 'a page is bounded');
      return (await database.query<UploadRow>(TAKE, [limit, waitMs])).map(uploadFromRow);
    },
    lookAgain: async (id, waitMs) => {
      await database.query(LOOK_AGAIN, [id, waitMs]);
    },
    findOrphans: async (objectIds, { credential, own, nameHash, bytes }) => {
      const values = [objectIds.map(storable), credential, own, nameHash, bytes];
      const rows = await database.query<{ id: string }>(ORPHANS, values);
      return rows.map(({ id }) => id);
    },
  };
}

function uploadFromRow(row: UploadRow): NotedUpload {
  return {
    id: row.id,
    accountId: idNumber(row.account_id),
    notedAtMs: row.noted_at.getTime(),
    credential: row.credential,
    own: row.own,
    nameHash: row.name_hash,
    bytes: Number(row.bytes),
  };
}
