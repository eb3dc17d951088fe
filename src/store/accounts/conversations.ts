import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { CONVERSATION_VALUE_BYTES_MAX } from '../../bounds.ts';
import type { ConversationKey, ConversationStore, ConversationValue } from '../../conversation/contract.ts';
import type { Sealer } from '../../kernel/encoding/seal.ts';
import { type Database, idNumber } from '../database.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** Below this, compression costs more than it saves. The first byte says whether a value is compressed. */
const COMPRESS_BYTES_MIN = 4_096;
const PLAIN = Buffer.from([0]);
const COMPRESSED = Buffer.from([1]);

interface SealedRow {
  readonly account_id: bigint;
  readonly key_hash: Buffer;
  readonly sealed: Buffer;
  readonly created_at: Date;
}

/** Conversations in PostgreSQL: compressed, then sealed for their account and key. */
export function createConversationStore(database: Database, sealer: Sealer): ConversationStore {
  return {
    write: (values) => write(database, sealer, values),
    read: (keys, sinceMs) => read(database, sealer, { keys, sinceMs }),
    remove: (key) => remove(database, key),
    prune: async (beforeMs, limit) => {
      const gone = await database.query(PRUNE, [new Date(beforeMs), limit]);
      return gone.length;
    },
    trim: async (accountIds, { rowsMax, bytesMax, limit }) => {
      const gone = await database.query(TRIM, [accountIds, rowsMax, bytesMax, limit]);
      return gone.length;
    },
  };
}

/** Other nodes prune the same table: rows locked by one are skipped by the others. */
const PRUNE = `
  delete from conversations where (account_id, key_hash) in (
    select account_id, key_hash from conversations
    where created_at <= $1 order by created_at limit $2 for update skip locked)
  returning 1`;

/** Keeps the newest values of each account, as many as fit into both bounds. */
const TRIM = `
  delete from conversations where (account_id, key_hash) in (
    select account_id, key_hash from (
      select account_id, key_hash, row_number() over newest as place, sum(bytes) over newest as total
      from conversations where account_id = any($1::bigint[])
      window newest as (partition by account_id order by created_at desc, key_hash
                        rows between unbounded preceding and current row)) as ranked
    where place > $2::bigint or total > $3::bigint limit $4)
  returning 1`;

/** One statement for the whole batch. Values of deleted accounts are left out. */
async function write(
  database: Database,
  sealer: Sealer,
  values: readonly ConversationValue[],
): Promise<void> {
  const parameters: unknown[] = [];
  for (const { accountId, key, value, createdAtMs } of values) {
    const sealed = sealer.sealBytes(await pack(value), toSealContext({ accountId, key }));
    parameters.push(accountId, toKeyHash(key), sealed, value.length, new Date(createdAtMs));
  }
  await database.query(
    `insert into conversations (account_id, key_hash, sealed, bytes, created_at)
     select fresh.* from (values ${writeRows(values.length)})
       as fresh (account_id, key_hash, sealed, bytes, created_at)
     join accounts on accounts.id = fresh.account_id
     on conflict (account_id, key_hash) do update
     set sealed = excluded.sealed, bytes = excluded.bytes, created_at = excluded.created_at`,
    parameters,
  );
}

/** Separate parameters, because the driver sends raw bytes only outside of arrays. */
function writeRows(count: number): string {
  const rows: string[] = [];
  for (let at = 1; at <= count * 5; at += 5) {
    const sealed = `$${at}::bigint, $${at + 1}::bytea, $${at + 2}::bytea`;
    rows.push(`(${sealed}, $${at + 3}::int, $${at + 4}::timestamptz)`);
  }
  return rows.join(', ');
}

/** The values found. A value that does not open (another secret, another row) counts as absent. */
async function read(
  database: Database,
  sealer: Sealer,
  { keys, sinceMs }: { readonly keys: readonly ConversationKey[]; readonly sinceMs: number },
): Promise<readonly ConversationValue[]> {
  const rows = await database.query<SealedRow>(
    `select account_id, key_hash, sealed, created_at from conversations
     join unnest($1::bigint[], $2::bytea[]) as wanted (account_id, key_hash) using (account_id, key_hash)
     where created_at > $3`,
    [keys.map(({ accountId }) => accountId), keys.map(({ key }) => toKeyHash(key)), new Date(sinceMs)],
  );
  const found: ConversationValue[] = [];
  for (const row of rows) {
    const accountId = idNumber(row.account_id);
    const wanted = keys.find((one) => one.accountId === accountId && toKeyHash(one.key).equals(row.key_hash));
    if (wanted === undefined) continue;
    const packed = sealer.unsealBytes(row.sealed, toSealContext(wanted));
    if (packed === undefined) continue;
    const value = await unpack(packed);
    found.push({ ...wanted, value, createdAtMs: row.created_at.getTime() });
  }
  return found;
}

async function pack(value: Buffer): Promise<Buffer> {
  const isSmall = value.length < COMPRESS_BYTES_MIN;
  return Buffer.concat(isSmall ? [PLAIN, value] : [COMPRESSED, await compress(value)]);
}

async function unpack(packed: Buffer): Promise<Buffer> {
  const value = packed.subarray(1);
  if (packed[0] === PLAIN[0]) return value;
  return await decompress(value, { maxOutputLength: CONVERSATION_VALUE_BYTES_MAX });
}

async function remove(database: Database, { accountId, key }: ConversationKey): Promise<boolean> {
  const gone = await database.query(
    'delete from conversations where account_id = $1 and key_hash = $2 returning 1',
    [accountId, toKeyHash(key)],
  );
  return gone.length > 0;
}

function toKeyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function toSealContext({ accountId, key }: ConversationKey): string {
  return `conversations:${accountId}:${key}`;
}
