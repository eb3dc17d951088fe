import type { Database } from '../../src/store/database.ts';

/** Every row of one account in every table that has a column for it, as texts that can be compared. */
export async function rowsOf(database: Database, accountId: number): Promise<Record<string, string[]>> {
  const columns = await database.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column from information_schema.columns c
     join pg_class on pg_class.relname = c.table_name and not pg_class.relispartition
     where c.table_schema = 'public' and (c.column_name in ('account_id', 'owner_account_id')
       or c.table_name = 'accounts' and c.column_name = 'id') order by 1`,
  );
  const rows: Record<string, string[]> = {};
  for (const { table, column } of columns) {
    const found = await database.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t where ${column} = $1 order by 1`,
      [accountId],
    );
    if (found.length > 0) rows[table] = found.map(({ row }) => row);
  }
  return rows;
}
