import { join } from 'node:path';
import { CachedDirectory } from './accounts/directory.ts';
import type { Config } from './config.ts';
import { KeptConversations } from './conversation/kept.ts';
import type { Gate } from './gate/contract.ts';
import { createMemoryGate } from './gate/memory.ts';
import { logCalls } from './gateway/call-line.ts';
import { InFlight } from './gateway/in-flight.ts';
import type { Carriage } from './gateway/passage.ts';
import type { Gateway } from './gateway/pipeline.ts';
import { RetryBudget } from './gateway/route.ts';
import type { CallObserver } from './gateway/settle.ts';
import { createBodyReader, discardBody } from './http/body.ts';
import { ByteBudget } from './http/budget.ts';
import { type HttpServer, startServer } from './http/server.ts';
import { Telemetry } from './http/telemetry.ts';
import { type Calendar, createCalendar } from './kernel/calendar.ts';
import { systemClock } from './kernel/clock.ts';
import type { Logger } from './kernel/log.ts';
import { systemRandom } from './kernel/random.ts';
import type { Sealer } from './kernel/seal.ts';
import { Tasks } from './kernel/task.ts';
import { type FileJournal, openJournal } from './ledger/journal.ts';
import { recover } from './ledger/recover.ts';
import { createSettler, type Settler } from './ledger/settler.ts';
import { loadTokenizer } from './protocol/tokens.ts';
import { openSealer, prepareCatalog, StartRefused } from './setup.ts';
import { followChanges } from './store/changes.ts';
import { createConversationStore } from './store/conversations.ts';
import type { Database } from './store/database.ts';
import { directorySource } from './store/directory-source.ts';
import { createLedgerStore } from './store/ledger.ts';
import { describeHeld, lockDataDirectory } from './store/lock.ts';
import { openStore } from './store/open.ts';
import { createUpstreamClient } from './upstream/client.ts';
import { GuardedFetcher } from './upstream/fetch-media.ts';
import { Health } from './upstream/health.ts';

export interface Tollgate {
  readonly url: string;
  /** What is missing before calls can be served; empty when nothing is. */
  readonly missing: readonly string[];
  /** Drains: new calls are refused, running ones finish or are cut, everything is settled. Once is enough. */
  stop(): Promise<void>;
}

/** Slots whose call never left are dropped this often; counting does not depend on it. */
const SWEEP_MS = 10_000;
/** What the settler gets at the end to bring the last calls into the store; the journal keeps the rest. */
const SETTLE_MS = 10_000;

/**
 * Everything that is wired, in the order of its life: lock, store, secret, catalogue, directory, ledger,
 * gateway, server. Stopping goes the same way back. What was begun is ended when a later step fails.
 */
export async function startTollgate(config: Config, log: Logger): Promise<Tollgate> {
  const endings: Array<() => void | Promise<void>> = [];
  const undo = async (): Promise<void> => {
    for (const end of endings.reverse()) await end();
  };
  try {
    return await assemble(config, log, endings, undo);
  } catch (error) {
    await undo();
    throw error;
  }
}

type Endings = Array<() => void | Promise<void>>;

async function assemble(
  config: Config,
  log: Logger,
  endings: Endings,
  undo: () => Promise<void>,
): Promise<Tollgate> {
  const lock = await lockDataDirectory(config.dataDirectory);
  if (lock.kind === 'held') throw new StartRefused(describeHeld(config.dataDirectory, lock));
  endings.push(() => lock.release());
  const opening = openStore({ ...config, log });
  // A quarter of a second of work, done while the database starts: the first stream must not wait for it.
  loadTokenizer();
  const store = await opening;
  endings.push(() => store.close());
  const { database } = store;
  const sealer = await openSealer(config, database);
  await prepareCatalog({ config, database, sealer, log });
  const directory = await openDirectory(database, sealer, log, endings);

  const telemetry = new Telemetry();
  endings.push(() => telemetry.close());
  const ledger = await openLedger(config, database, telemetry, { directory, log, endings });
  const conversations = openConversations(config, database, sealer, { log, endings });
  let draining = false;
  const isDraining = (): boolean => draining;
  const parts = { conversations, directory, telemetry, ledger, log, endings, isDraining };
  const gateway = buildGateway(config, parts);
  const { carriage } = gateway;
  const missing = missingParts(directory);
  const server = await startServer({
    ...config,
    clock: systemClock,
    log,
    gateway: config.role === 'platform' ? undefined : gateway,
    operations: {
      metrics: () => telemetry.render(),
      readiness: () =>
        draining ? { ready: false, reason: 'draining' } : readiness(carriage, missingParts(directory)),
    },
  }).catch((error: NodeJS.ErrnoException) => refuseAddress(config, error));
  const stop = async (): Promise<void> => {
    draining = true;
    await drain(config, server, carriage, ledger.settler);
    await undo();
  };
  let stopping: Promise<void> | undefined;
  return {
    url: server.url,
    missing,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function openDirectory(
  database: Database,
  sealer: Sealer,
  log: Logger,
  endings: Endings,
): Promise<CachedDirectory> {
  const source = directorySource(database, { sealer, log });
  const directory = await CachedDirectory.open({ source, clock: systemClock, log });
  endings.push(() => directory.close());
  const stopFollowing = await followChanges(
    database,
    {
      onMissed: () => directory.forgetAll(),
      onChange: (change) => {
        if (change.kind === 'catalog') return directory.reloadCatalog();
        if (change.kind === 'account') directory.forgetAccount(change.accountId);
        else directory.forgetKey(change.keyHash);
        return undefined;
      },
    },
    log,
  );
  endings.push(stopFollowing);
  return directory;
}

function openConversations(
  { conversationDays: retentionDays }: Config,
  database: Database,
  sealer: Sealer,
  { log, endings }: { readonly log: Logger; readonly endings: Endings },
): KeptConversations {
  const store = createConversationStore(database, sealer);
  const conversations = new KeptConversations({ store, clock: systemClock, log, retentionDays });
  endings.push(() => conversations.stop());
  return conversations;
}

interface Ledger {
  readonly journal: FileJournal;
  readonly settler: Settler;
  readonly gate: ReturnType<typeof createMemoryGate>;
  readonly calendar: Calendar;
}

interface LedgerSurroundings {
  readonly directory: CachedDirectory;
  readonly log: Logger;
  readonly endings: Endings;
}

async function openLedger(
  config: Config,
  database: Database,
  telemetry: Telemetry,
  { directory: accounts, log, endings }: LedgerSurroundings,
): Promise<Ledger> {
  const { creditsPerYuan } = config;
  const calendar = createCalendar(config.timeZone);
  const store = createLedgerStore({ database, creditsPerYuan, calendar });
  const directory = join(config.dataDirectory, 'journal');
  await recover({ directory, store, creditsPerYuan, log });
  const journal = await openJournal({ directory, clock: systemClock, log });
  endings.push(() => journal.close());
  const gate = createMemoryGate({ clock: systemClock });
  const sweeping = setInterval(() => gate.sweep(), SWEEP_MS);
  endings.push(() => clearInterval(sweeping));
  const onBatch = (size: number): void => telemetry.batchSettled(size);
  // Who decides whether an account can pay must not be richer than the store: both hear of every settlement.
  const settled: Gate['settled'] = (accountId, chargedMicro, funds) => {
    accounts.takeFunds(accountId, funds);
    return gate.settled(accountId, chargedMicro, funds);
  };
  const settler = createSettler({ journal, store, gate: { settled }, clock: systemClock, log, onBatch });
  endings.push(() => settler.stop());
  return { journal, settler, gate, calendar };
}

interface GatewayParts {
  readonly conversations: KeptConversations;
  readonly directory: CachedDirectory;
  readonly telemetry: Telemetry;
  readonly ledger: Ledger;
  readonly log: Logger;
  readonly endings: Endings;
  readonly isDraining: () => boolean;
}

function buildGateway(config: Config, parts: GatewayParts): Gateway {
  const { telemetry, log, endings } = parts;
  const { journal, gate, calendar } = parts.ledger;
  const client = createUpstreamClient({ clock: systemClock, log });
  endings.push(() => client.close());
  const inFlight = new InFlight(systemClock);
  endings.push(() => inFlight.close());
  const health = new Health(systemClock);
  const tasks = new Tasks(log);
  const bodies = new ByteBudget(config.bodyBudgetBytes);
  const { creditsPerYuan } = config;
  const waits = { connectMs: config.connectTimeoutMs, idleMs: config.idleTimeoutMs };
  const carriage: Carriage = {
    client,
    health,
    retryBudget: new RetryBudget(),
    inFlight,
    bodies,
    conversations: parts.conversations,
    media: new GuardedFetcher({ ownHosts: config.mediaHosts }),
    settlement: {
      journal,
      gate,
      observer: callObserver(config, telemetry, log),
      clock: systemClock,
      creditsPerYuan,
      tasks,
    },
    gate,
    journal,
    clock: systemClock,
    log,
    tasks,
    streamTimeouts: { ...waits, firstByteMs: config.firstByteTimeoutMs },
    plainTimeouts: { ...waits, firstByteMs: config.plainTimeoutMs },
    observer: telemetry,
  };
  telemetry.observe({
    gate,
    journal,
    inFlight,
    breakers: () => health.routeReports().map(({ routeId, breaker: state }) => ({ routeId, state })),
    unhealthyCredentials: () => health.credentialReports().filter(({ suspect }) => suspect).length,
  });
  return {
    directory: parts.directory,
    carriage,
    readBody: createBodyReader(bodies),
    discardBody,
    calendar,
    random: systemRandom,
    nodeName: config.nodeName,
    times: { keepAliveMs: config.keepAliveMs, clientStallMs: config.clientStallMs },
    isDraining: parts.isDraining,
  };
}

/** The level is asked once, here: where it is off no call pays for a line that nobody reads. */
function callObserver({ logLevel }: Config, telemetry: Telemetry, log: Logger): CallObserver {
  return logLevel === 'debug' || logLevel === 'trace' ? logCalls(telemetry, log) : telemetry;
}

const NO_SUCH_ADDRESS = 'this machine has no such address; set TOLLGATE_HOST';
const ADDRESS_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; stop what uses it, or set TOLLGATE_PORT to another one',
  EACCES: 'this user may not take the port; set TOLLGATE_PORT to 1024 or more',
  EADDRNOTAVAIL: NO_SUCH_ADDRESS,
  ENOTFOUND: NO_SUCH_ADDRESS,
};

/** The usual reasons why an address cannot be had are the starting person's; anything else is a fault. */
function refuseAddress({ host, port }: Config, error: NodeJS.ErrnoException): never {
  const problem = ADDRESS_PROBLEMS[error.code ?? ''];
  if (problem === undefined) throw error;
  throw new StartRefused(`cannot listen on ${host}:${port}: ${problem}`);
}

/** What a person must still do before the first call can be served. */
function missingParts(directory: CachedDirectory): string[] {
  const { models } = directory.catalog();
  const usable = [...models.values()].some(
    ({ status, routes }) => status === 'enabled' && routes.some((route) => route.status === 'enabled'),
  );
  if (usable) return [];
  return [
    'no model has a route: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY and start again, ' +
      'or apply a catalogue with "tollgate apply -f catalog.yaml"',
  ];
}

function readiness({ journal }: Carriage, missing: readonly string[]): { ready: boolean; reason: string } {
  if (!journal.writable) return { ready: false, reason: 'the journal cannot be written' };
  const [first] = missing;
  return first === undefined ? { ready: true, reason: 'ready' } : { ready: false, reason: first };
}

const DRAIN_POLL_MS = 25;

/** Running calls finish by themselves, or are cut and settled when their time is up. */
async function drain(
  { drainMs }: Config,
  server: HttpServer,
  { inFlight }: Carriage,
  settler: Settler,
): Promise<void> {
  const deadline = systemClock.monotonic() + drainMs;
  while (server.running > 0 && systemClock.monotonic() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }
  inFlight.stopAll();
  await server.close(1_000);
  await settler.drain(SETTLE_MS);
}
