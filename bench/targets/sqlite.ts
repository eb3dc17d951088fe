/** Books that a gateway keeps in a file of SQLite. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export function countRows(file: string, table: 'logs', where = 'true'): number {
  if (!existsSync(file)) return 0;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return Number(
      database.prepare(`select count(*) as calls from ${table} where ${where}`).get()?.calls ?? 0,
    );
  } finally {
    database.close();
  }
}
