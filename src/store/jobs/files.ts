import { FILE_KEPT_MS, JOBS_PAGE_MAX, JOBS_PRUNED_ROWS } from '../../jobs/bounds.ts';
import type { FileStore, JobPage, StoredFile } from '../../jobs/contract.ts';
import { assert } from '../../kernel/assert.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { storable } from '../columns.ts';
import { type Database, idNumber } from '../database.ts';

interface FileRow {
  readonly account_id: bigint;
  readonly object_id: string;
  readonly created_at: Date;
  readonly route_id: bigint;
  readonly credential: string;
  readonly own: boolean;
  readonly model: string;
  readonly protocol: Protocol;
  readonly items: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly batch_id: string | null;
}

/** As `fileValues` has them. */
export const FILE_COLUMNS =
  'account_id, object_id, created_at, route_id, credential, own, model, protocol, items, input_tokens, ' +
  'output_tokens, batch_id';

const ADD = `insert into files (${FILE_COLUMNS})
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing`;

const FIND = `select ${FILE_COLUMNS} from files where account_id = $1 and object_id = $2`;

/** A page behind a file that is not there is empty. */
const pageText = ({ order, after }: JobPage): string => `
  select ${FILE_COLUMNS} from files where account_id = $1 ${
    after === undefined
      ? ''
      : `and (created_at, object_id) ${order === 'asc' ? '>' : '<'}
        (select created_at, object_id from files where account_id = $1 and object_id = $3)`
  }
  order by created_at ${order}, object_id ${order} limit $2`;

export function createFileStore(database: Database): FileStore {
  return {
    add: async (file) => {
      await database.query(ADD, fileValues(file));
    },
    find: async (accountId, objectId) => {
      const [row] = await database.query<FileRow>(FIND, [accountId, storable(objectId)]);
      return row && fileFromRow(row);
    },
    list: async (accountId, page) => {
      assert(page.limit >= 1 && page.limit <= JOBS_PAGE_MAX, 'a page is bounded');
      const after = page.after === undefined ? [] : [storable(page.after)];
      const values = [accountId, page.limit, ...after];
      return (await database.query<FileRow>(pageText(page), values)).map(fileFromRow);
    },
    countUploaded: async (accountId) => {
      const [row] = await database.query<{ count: bigint }>(
        'select count(*) from files where account_id = $1 and batch_id is null',
        [accountId],
      );
      return Number(row?.count ?? 0);
    },
    remove: async (accountId, objectId) => {
      await database.query('delete from files where account_id = $1 and object_id = $2', [
        accountId,
        storable(objectId),
      ]);
    },
  };
}

export function fileValues(file: StoredFile): readonly unknown[] {
  const { accountId, objectId, createdAtMs, routeId, credential, own, model, protocol } = file;
  return [
    accountId,
    storable(objectId),
    new Date(createdAtMs).toISOString(),
    routeId,
    credential,
    own,
    storable(model),
    protocol,
    file.items,
    file.inputTokens,
    file.outputTokens,
    file.batchId === undefined ? null : storable(file.batchId),
  ];
}

function fileFromRow(row: FileRow): StoredFile {
  return {
    accountId: idNumber(row.account_id),
    objectId: row.object_id,
    createdAtMs: row.created_at.getTime(),
    routeId: idNumber(row.route_id),
    credential: row.credential,
    own: row.own,
    model: row.model,
    protocol: row.protocol,
    items: Number(row.items),
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    batchId: row.batch_id ?? undefined,
  };
}

/** Forgets files that are old, a bounded number at a time. Their vendors may still have them. */
export async function pruneFiles(database: Database, nowMs: number): Promise<number> {
  const gone = await database.query(
    `delete from files where (account_id, object_id) in (
       select account_id, object_id from files where created_at <= $1
       order by created_at limit $2 for update skip locked)
     returning 1`,
    [new Date(nowMs - FILE_KEPT_MS).toISOString(), JOBS_PRUNED_ROWS],
  );
  return gone.length;
}
