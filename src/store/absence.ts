import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from '../kernel/log.ts';
import { openDatabase } from './database.ts';

/** Where a store is, or would be. */
export interface StoreAddress {
  /** The user's PostgreSQL; undefined: the embedded one in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly dataDirectory: string;
}

/** There is no store. Nothing was created. The message contains the remedy. */
export class StoreAbsent extends Error {
  override readonly name = 'StoreAbsent';

  constructor({ databaseUrl, dataDirectory }: StoreAddress) {
    const where =
      databaseUrl === undefined
        ? `there is no database in the data directory ${resolve(dataDirectory)} (TOLLGATE_DATA)`
        : `there is no database of Tollgate at ${withoutSecrets(databaseUrl)} (DATABASE_URL)`;
    super(
      `${where}: set TOLLGATE_DATA or DATABASE_URL to the database of your server, ` +
        'or create one here with "tollgate serve" or "tollgate migrate"',
    );
  }
}

/** Looks for files only, so that nothing is created. */
export function refuseAbsentCluster(address: StoreAddress): void {
  if (address.databaseUrl !== undefined) return;
  if (!existsSync(join(address.dataDirectory, 'postgres', 'PG_VERSION'))) throw new StoreAbsent(address);
}

/** Migrations are applied together, so the first table and their record are there, or neither is. */
export async function refuseEmpty(connection: string, address: StoreAddress, log: Logger): Promise<void> {
  // A pooler that keeps no sessions may be between.
  const options = { connection, directConnection: connection, log, connectionsMax: 1 };
  const database = await openDatabase(options);
  const names = "to_regclass('migrations') is not null and to_regclass('accounts') is not null";
  const [found] = await database
    .query<{ there: boolean }>(`select ${names} as there`)
    .finally(() => database.close());
  if (found?.there !== true) throw new StoreAbsent(address);
}

function withoutSecrets(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return 'its address';
  const { host, pathname, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? host}${pathname}`;
}
