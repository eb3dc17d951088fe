import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../src/store/database.ts';

/** Every cell of every table, as one text for each table. Bytes are hexadecimal there. */
export async function dumpTables(database: Database): Promise<ReadonlyMap<string, string>> {
  const tables = await database.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = 'public' and relkind in ('r', 'p') and not relispartition`,
  );
  const dumped = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    dumped.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return dumped;
}

/** Every file below the folder; one that goes away meanwhile is not there. */
export async function readFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes !== undefined) files.set(path.slice(folder.length), bytes.toString('latin1'));
  }
  return files;
}
