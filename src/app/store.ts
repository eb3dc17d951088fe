import { CachedDirectory } from '../accounts/directory.ts';
import { StoredConversations } from '../conversation/kept.ts';
import type { Sealer } from '../kernel/encoding/seal.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { loadTokenizer } from '../protocol/meter/tokens.ts';
import { openSealer, prepareCatalog, StartRefused } from '../setup.ts';
import { createConversationStore } from '../store/accounts/conversations.ts';
import { directorySource } from '../store/accounts/directory-source.ts';
import { followChanges } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { guardEmbedded } from '../store/embedded/guard.ts';
import { describeHeld, lockDataDirectory } from '../store/embedded/lock.ts';
import { startEmbedded } from '../store/embedded/server.ts';
import { openStore } from '../store/open.ts';
import { startStoreUpkeep } from '../store/operations/upkeep.ts';
import type { AppContext } from './app-context.ts';
import type { OpenGate } from './gate.ts';

/** The store of this process, its secret, and the gateway's caches of it. */
export interface Data {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly directory: CachedDirectory;
  readonly conversations: StoredConversations;
}

export async function openData(context: AppContext): Promise<Data> {
  const { config, log, cleanup, post } = context;
  const databaseUrl = post === undefined ? await takeDirectory(context) : config.databaseUrl;
  const opening = openStore({ ...config, databaseUrl, log });
  // Takes some 50 milliseconds. It runs while the database answers, so that the first stream need not wait.
  loadTokenizer();
  const store = await opening;
  cleanup.add(() => store.close());
  const { database } = store;
  const sealer = await openSealer(config, database);
  // Once per start: a restarted worker must not undo later changes.
  if (post === undefined) await prepareCatalog({ config, database, sealer, log });
  const source = directorySource(database, { sealer, log });
  const directory = await CachedDirectory.open({ source, clock: systemClock, log });
  cleanup.add(() => directory.close());
  const kept = createConversationStore(database, sealer);
  const { conversationDays: retentionDays } = config;
  const conversations = new StoredConversations({ store: kept, clock: systemClock, log, retentionDays });
  cleanup.add(() => conversations.stop());
  const { logMonths, timeZone } = config;
  const upkeep = startStoreUpkeep({ database, clock: systemClock, log, logMonths, timeZone });
  cleanup.add(() => upkeep.stop());
  return { database, sealer, directory, conversations };
}

/** Lock and embedded database. A process that serves alone has them itself, workers have a supervisor. */
export async function takeDirectory({
  config,
  log,
  cleanup,
}: Pick<AppContext, 'config' | 'log' | 'cleanup'>): Promise<string> {
  const lock = await lockDataDirectory(config.dataDirectory);
  if (lock.kind === 'held') throw new StartRefused(describeHeld(config.dataDirectory, lock));
  cleanup.add(() => lock.release());
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const embedded = await startEmbedded(config.dataDirectory, log);
  cleanup.add(() => embedded.stop());
  cleanup.add(guardEmbedded(embedded, log));
  return embedded.connection;
}

/**
 * From now on, changed data is not served from a cache. With a shared gate this also holds on other nodes:
 * the gate refuses the snapshot of a node that missed the notice.
 */
export async function followStore(
  { database, directory }: Data,
  { raiseVersion }: OpenGate,
  { log, cleanup }: AppContext,
): Promise<void> {
  const stopFollowing = await followChanges(
    database,
    {
      onMissed: () => directory.forgetAll(),
      onChange: (change) => {
        if (change.kind === 'catalog') return directory.reloadCatalog();
        if (change.kind === 'key') return directory.forgetKey(change.keyHash);
        directory.forgetAccount(change.accountId);
        return raiseVersion(change.accountId, change.version);
      },
    },
    log,
  );
  cleanup.add(stopFollowing);
  // Changes between reading and listening.
  await directory.reloadCatalog();
}
