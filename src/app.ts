import type { SetupToken } from './accounts/login-contract.ts';
import { createConditionSources, startAlerts } from './app/alerts.ts';
import type { AppContext } from './app/app-context.ts';
import { Cleanup } from './app/cleanup.ts';
import { openSink } from './app/clickhouse.ts';
import { openGate } from './app/gate.ts';
import { buildGateway } from './app/gateway.ts';
import { startHeartbeat } from './app/heartbeat.ts';
import { openLedger } from './app/ledger.ts';
import { prepareSetup } from './app/logins.ts';
import { createNodeObserver } from './app/node-observer.ts';
import { openTelemetry } from './app/open-telemetry.ts';
import { buildPlatform } from './app/platform.ts';
import { missingParts, opsAddress, publicAddress, readiness, refuseAddress } from './app/readiness.ts';
import { followStore, openData } from './app/store.ts';
import type { WorkerSlot } from './app/worker-slot.ts';
import type { Config } from './config.ts';
import { ConsoleFiles } from './console/files.ts';
import { type Operations, startOperations } from './http/operations.ts';
import { findPort } from './http/port.ts';
import { type HttpServer, startServer } from './http/server.ts';
import { Telemetry } from './http/telemetry.ts';
import type { Logger } from './kernel/log.ts';
import { systemClock } from './kernel/time/clock.ts';
import type { OpenTelemetry } from './open-telemetry/start.ts';

export interface Tollgate {
  readonly url: string;
  /** The address of `/metrics`. */
  readonly opsUrl: string;
  /** What is missing before calls can be served; empty if nothing is. */
  readonly missing: readonly string[];
  /** The setup token for the first operator, until there is one. Only for the terminal. */
  readonly setupToken: SetupToken | undefined;
  /** The metrics of this process only. */
  metrics(): string;
  /**
   * Drains: new calls are refused, running ones end or are aborted, everything is settled. A second call can
   * only shorten the time that running calls have.
   */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** Time for running calls; default the configured time. */
  readonly drainMs?: number;
}

/** Time for the settler to settle the last calls. The journal keeps the rest. */
const SETTLE_MS = 10_000;

/**
 * Wires everything in order of dependency: store, gate, ledger, gateway, server. A stop closes them in
 * reverse order, and so does a failed start. `post` is set for one worker of several.
 */
export async function startTollgate(config: Config, log: Logger, post?: WorkerSlot): Promise<Tollgate> {
  const cleanup = new Cleanup();
  try {
    const exported = await openTelemetry({ config, log, cleanup });
    return await assemble({ config, log: exported?.log ?? log, cleanup, post }, exported);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function assemble(context: AppContext, exported: OpenTelemetry | undefined): Promise<Tollgate> {
  const { config, cleanup } = context;
  await findAddress(context);
  const data = await openData(context);
  const gate = await openGate(context);
  await followStore(data, gate, context);
  const telemetry = new Telemetry(systemClock);
  cleanup.add(() => telemetry.close());
  exported?.observe(() => telemetry.render());
  const ledger = await openLedger({ ...data, telemetry, openGate: gate }, context);
  let draining = false;
  const isDraining = (): boolean => draining;
  const ready = { isDraining, journal: ledger.journal, openGate: gate, directory: data.directory };
  const sink = await openSink(data.database, context);
  const own = { data, openGate: gate, ledger, telemetry, sink, tracer: exported?.tracer };
  const parts = { ...own, isDraining, isReady: () => readiness(ready).ready };
  const gateway = buildGateway(parts, context);
  const operations: Operations = {
    metrics: () => figures(telemetry, context),
    readiness: () => readiness(ready),
    isDraining,
  };
  const opsUrl = await listenForOperators(context, operations);
  const platform =
    config.role === 'gateway' ? undefined : buildPlatform({ ...parts, ...gateway.deps }, context);
  const server = await listen(context, {
    gateway: config.role === 'platform' ? undefined : gateway,
    console: platform === undefined ? undefined : new ConsoleFiles(),
    ...{ platform, operations },
  });
  startHeartbeat(
    { ...data, openGate: gate, telemetry, observer: createNodeObserver(gateway.deps, ledger, config) },
    { ...context, port: Number(new URL(server.url).port) },
  );
  await startAlerts(data, createConditionSources(data, context), context);
  const setupToken = await prepareSetup(data.database, context);
  let cutAtMs = Number.POSITIVE_INFINITY;
  const stop = async (): Promise<void> => {
    draining = true;
    platform?.endStreams();
    await untilIdle(server, () => cutAtMs);
    gateway.deps.inFlight.stopAll();
    await server.close(1_000);
    await ledger.settler.drain(SETTLE_MS);
    await cleanup.run();
  };
  let stopping: Promise<void> | undefined;
  return {
    url: server.url,
    opsUrl,
    missing: missingParts(data.directory),
    setupToken,
    metrics: () => telemetry.render(),
    stop: ({ drainMs = config.drainMs } = {}) => {
      cutAtMs = Math.min(cutAtMs, systemClock.monotonic() + drainMs);
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Reports a port in use at once, before a database is created or changed for a server that cannot start. */
async function findAddress({ config, post }: AppContext): Promise<void> {
  // Workers share the port; their supervisor has checked it.
  if (post !== undefined) return;
  for (const address of [publicAddress(config), opsAddress(config)]) {
    await findPort(address.host, address.port).catch((error) => refuseAddress(address, error));
  }
}

function listen(
  { config, log, post }: AppContext,
  parts: Pick<Parameters<typeof startServer>[0], 'gateway' | 'platform' | 'console' | 'operations'>,
): Promise<HttpServer> {
  const address = publicAddress(config);
  const shared = { reusePort: post !== undefined, corsOrigins: config.corsOrigins };
  const server = { ...parts, ...address, ...shared, clock: systemClock, log };
  return startServer(server).catch((error: NodeJS.ErrnoException) => refuseAddress(address, error));
}

/** Served to the very end, so that a draining process can still be observed. */
async function listenForOperators(
  { config, cleanup, post }: AppContext,
  operations: Operations,
): Promise<string> {
  const address = opsAddress(config);
  const parts = { ...address, operations, reusePort: post !== undefined, clock: systemClock };
  const { url, close } = await startOperations(parts).catch((error: NodeJS.ErrnoException) =>
    refuseAddress(address, error),
  );
  cleanup.add(close);
  return url;
}

function figures(telemetry: Telemetry, { post }: AppContext): string | Promise<string> {
  const own = telemetry.render();
  return post === undefined ? own : post.collectMetrics(own);
}

const DRAIN_POLL_MS = 25;

/** Running calls end by themselves, or are aborted and settled when their time is up. */
async function untilIdle(server: HttpServer, cutAtMs: () => number): Promise<void> {
  while (server.running > 0 && systemClock.monotonic() < cutAtMs()) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }
}
