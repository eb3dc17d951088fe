import { CachedDirectory } from '../accounts/directory.ts';
import { KeptConversations } from '../conversation/kept.ts';
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
import type { Surroundings } from './app-context.ts';
import type { OpenGate } from './gate.ts';

/** The store of this process, its secret, and what the gateway remembers of it. */
export interface Data {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly directory: CachedDirectory;
  readonly conversations: KeptConversations;
}

export async function openData(surroundings: Surroundings): Promise<Data> {
  const { config, log, endings, post } = surroundings;
  const databaseUrl = post === undefined ? await takeDirectory(surroundings) : config.databaseUrl;
  const opening = openStore({ ...config, databaseUrl, log });
  // Work of some 50 milliseconds, done while the database answers: the first stream must not wait for it.
  loadTokenizer();
  const store = await opening;
  endings.add(() => store.close());
  const { database } = store;
  const sealer = await openSealer(config, database);
  // Once per start of the whole: a worker that comes back must not undo what was applied since.
  if (post === undefined) await prepareCatalog({ config, database, sealer, log });
  const source = directorySource(database, { sealer, log });
  const directory = await CachedDirectory.open({ source, clock: systemClock, log });
  endings.add(() => directory.close());
  const kept = createConversationStore(database, sealer);
  const { conversationDays: retentionDays } = config;
  const conversations = new KeptConversations({ store: kept, clock: systemClock, log, retentionDays });
  endings.add(() => conversations.stop());
  const { logMonths, timeZone } = config;
  const upkeep = startStoreUpkeep({ database, clock: systemClock, log, logMonths, timeZone });
  endings.add(() => upkeep.stop());
  return { database, sealer, directory, conversations };
}

/** Lock and embedded database: a process that serves alone has them itself, workers have a supervisor. */
export async function takeDirectory({
  config,
  log,
  endings,
}: Pick<Surroundings, 'config' | 'log' | 'endings'>): Promise<string> {
  const lock = await lockDataDirectory(config.dataDirectory, log);
  if (lock.kind === 'held') throw new StartRefused(describeHeld(config.dataDirectory, lock));
  endings.add(() => lock.release());
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const embedded = await startEmbedded(config.dataDirectory, log);
  endings.add(() => embedded.stop());
  endings.add(guardEmbedded(embedded, log));
  return embedded.connection;
}

/**
 * From now on nothing that was changed is served from memory. With a shared gate the other nodes are
 * protected as well: those that do not hear the notice find their snapshot refused.
 */
export async function followStore(
  { database, directory }: Data,
  { raiseVersion }: OpenGate,
  { log, endings }: Surroundings,
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
  endings.add(stopFollowing);
  // What was changed after it was read and before we listened.
  await directory.reloadCatalog();
}
