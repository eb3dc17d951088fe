import type { LoggedCall } from '../../ledger/log.ts';
import { type Database, idNumber } from '../database.ts';
import { type CallRow, callFromRow, withCharges } from './call-log.ts';

/** The newest calls by their numbers, for streams that follow the log. */

export interface AfterNumber {
  readonly after: number;
  /** Of these accounts only. */
  readonly accounts?: readonly number[] | undefined;
  readonly size: number;
}

const OF_ACCOUNTS = '($2::bigint[] is null or account_id = any($2))';

/** Numbers come from a sequence and lead the index, so only what is above the number is read. */
export const CALLS_AFTER = withCharges(
  `id > $1 and ${OF_ACCOUNTS} and id <> all($3::bigint[]) order by id limit $4`,
);

/** The lowest numbers first. */
export async function findCallsAfter(
  database: Database,
  { after, accounts, seen, size }: AfterNumber & { readonly seen: readonly number[] },
): Promise<readonly LoggedCall[]> {
  const rows = await database.query<CallRow>(CALLS_AFTER, [after, accounts ?? null, seen, size]);
  return rows.map(callFromRow).toSorted((one, other) => one.id - other.id);
}

export async function findNumbersAfter(
  database: Database,
  { after, accounts, size }: AfterNumber,
): Promise<readonly number[]> {
  const rows = await database.query<{ id: bigint }>(
    `select id from calls where id > $1 and ${OF_ACCOUNTS} order by id limit $3`,
    [after, accounts ?? null, size],
  );
  return rows.map(({ id }) => idNumber(id));
}

/** The last number that was given out. Its call may not be committed yet. */
export async function lastCallNumber(database: Database): Promise<number> {
  const [row] = await database.query<{ last: bigint }>(
    'select case when is_called then last_value else 0 end as last from calls_id_seq',
  );
  return idNumber(row?.last ?? 0n);
}
