import { SQL_TIMEOUT_MS } from '../bounds.ts';
import type { Logger } from '../kernel/log.ts';
import { refuseAbsentCluster, refuseEmpty, type StoreAddress } from './absence.ts';
import { type Database, openDatabase } from './database.ts';
import { startEmbedded } from './embedded/server.ts';
import { migrate } from './migrate.ts';
import { refusePooler } from './pooler.ts';
import { refuseHalfRestored } from './restore-marker.ts';

export interface Store {
  readonly database: Database;
  /** Migrations that were applied just now. */
  readonly migrated: readonly string[];
  /** Closes the connections. The embedded server stops if it has no other user. */
  close(): Promise<void>;
}

export interface StorePlace extends StoreAddress {
  /** The same server without the pooler that `databaseUrl` leads to. */
  readonly databaseDirectUrl?: string | undefined;
  readonly log: Logger;
  /** Of a place without a database; `create` by default. */
  readonly whenAbsent?: 'create' | 'refuse';
  /** For work that reads whole tables; every call's statements keep the usual bound. */
  readonly statementTimeoutMs?: number;
}

/** Opens the store of a configuration, with every migration applied: the same for server and command line. */
export async function openStore(place: StorePlace): Promise<Store> {
  const { databaseUrl, databaseDirectUrl, dataDirectory, log, statementTimeoutMs = SQL_TIMEOUT_MS } = place;
  refuseHalfRestored(dataDirectory);
  if (place.whenAbsent === 'refuse') refuseAbsentCluster(place);
  const embedded = databaseUrl === undefined ? await startEmbedded(dataDirectory, log) : undefined;
  const connection = embedded?.connection ?? databaseUrl ?? '';
  try {
    if (embedded === undefined && databaseDirectUrl === undefined) await refusePooler(connection);
    if (place.whenAbsent === 'refuse') await refuseEmpty(databaseDirectUrl ?? connection, place, log);
    const migrated = await migrate({ connection: databaseDirectUrl ?? connection, log });
    const database = await openDatabase({
      ...{ connection, directConnection: databaseDirectUrl, log, statementTimeoutMs },
    });
    const close = async (): Promise<void> => {
      await database.close();
      await embedded?.stop();
    };
    return { database, migrated, close };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}
