import type { CachedDirectory } from '../accounts/directory.ts';
import type { Gate } from '../gate/contract.ts';
import type { Telemetry } from '../http/telemetry.ts';
import type { FileStore, JobStore, UploadStore } from '../jobs/contract.ts';
import { type Calendar, createCalendar } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { LedgerStore } from '../ledger/contract.ts';
import { type FileJournal, openJournal } from '../ledger/journal/journal.ts';
import { recover } from '../ledger/journal/recover.ts';
import { createSettler, type Settler } from '../ledger/settler.ts';
import type { Database } from '../store/database.ts';
import { createFileStore } from '../store/jobs/files.ts';
import { createJobStore } from '../store/jobs/jobs.ts';
import { createUploadStore } from '../store/jobs/uploads.ts';
import { createLedgerStore } from '../store/ledger/ledger.ts';
import { loadWindows } from '../store/ledger/windows.ts';
import type { AppContext } from './app-context.ts';
import type { OpenGate } from './gate.ts';
import { journalFolder, lockJournal, orphanFolders, removeIfEmpty } from './worker-slot.ts';

export interface Ledger {
  readonly journal: FileJournal;
  readonly settler: Settler;
  readonly calendar: Calendar;
  readonly jobs: JobStore;
  readonly files: FileStore;
  readonly uploads: UploadStore;
}

export interface LedgerParts {
  readonly database: Database;
  readonly directory: CachedDirectory;
  readonly telemetry: Telemetry;
  readonly openGate: OpenGate;
}

/** Settles the journal of the last process first. Only then new calls are recorded. */
export async function openLedger(parts: LedgerParts, context: AppContext): Promise<Ledger> {
  const { config, log, cleanup, post } = context;
  const { creditsPerYuan } = config;
  const { gate, restore, shared } = parts.openGate;
  const calendar = createCalendar(config.timeZone);
  const store = createLedgerStore({ database: parts.database, creditsPerYuan, calendar });
  // The wallet must not show more money than the store, so both get every settlement.
  const settled: Gate['settled'] = (account) => {
    parts.directory.takeFunds(account.accountId, account.funds);
    return gate.settled(account);
  };
  const covers: Gate['covers'] = (overrun) => gate.covers(overrun);
  const held = await lockJournal(journalFolder(config.dataDirectory, post));
  cleanup.add(() => held.release());
  const { directory } = held;
  const told = shared ? { settled } : {};
  await recover({ directory, store, creditsPerYuan, log, ...told });
  await recoverOrphans(store, told, context);
  if (!shared) restore(await loadWindows(parts.database, systemClock.now()));
  const journal = await openJournal({ directory, clock: systemClock, log });
  cleanup.add(() => journal.close());
  const onBatch = (size: number): void => parts.telemetry.batchSettled(size);
  const settler = createSettler({
    journal,
    store,
    gate: { settled, covers },
    clock: systemClock,
    log,
    onBatch,
    onRejected: (calls) => parts.telemetry.callsRejected(calls),
  });
  cleanup.add(() => settler.stop());
  const { database } = parts;
  return {
    ...{ journal, settler, calendar },
    jobs: createJobStore(database, store),
    files: createFileStore(database),
    uploads: createUploadStore(database),
  };
}

async function recoverOrphans(
  store: LedgerStore,
  told: { readonly settled?: Gate['settled'] },
  { config, log, post }: AppContext,
): Promise<void> {
  const { dataDirectory, workers, creditsPerYuan } = config;
  for (const folder of orphanFolders(dataDirectory, workers, post)) {
    const { directory, release } = await lockJournal(folder);
    await recover({ directory, store, creditsPerYuan, log, ...told });
    release();
    removeIfEmpty(folder);
  }
}
