import type { Sink } from '../clickhouse/sink.ts';
import type { Config } from '../config.ts';
import { RetryBudget } from '../gateway/admit/route.ts';
import type { GatewayDeps } from '../gateway/attempt/attempt-context.ts';
import { InFlight } from '../gateway/attempt/in-flight.ts';
import { RunningResponses } from '../gateway/background/running.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { JOB_REQUEST_SLOTS } from '../gateway/jobs/bounds.ts';
import { RecentJobs } from '../gateway/jobs/recent-jobs.ts';
import { logCalls } from '../gateway/settle/call-log-line.ts';
import type { CallObserver } from '../gateway/settle/settle.ts';
import { createBodyReader, discardBody } from '../http/body.ts';
import { ByteBudget } from '../http/budget.ts';
import type { Telemetry } from '../http/telemetry.ts';
import { Semaphore } from '../kernel/async/semaphore.ts';
import { Tasks } from '../kernel/async/task.ts';
import type { Logger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { CallTracer } from '../open-telemetry/contract.ts';
import { createCloudClient } from '../upstream/cloud/client.ts';
import { GuardedFetcher } from '../upstream/guard/fetch-media.ts';
import { Health } from '../upstream/health/health.ts';
import { SharedLimits } from '../upstream/health/shared-limits.ts';
import { createUpstreamClient } from '../upstream/http/client.ts';
import { createChooseProxy, shownProxies } from '../upstream/http/egress-proxy.ts';
import type { AppContext } from './app-context.ts';
import type { OpenGate } from './gate.ts';
import { startJobs } from './jobs.ts';
import type { Ledger } from './ledger.ts';
import type { Data } from './store.ts';

export interface GatewayParts {
  readonly data: Data;
  readonly openGate: OpenGate;
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
  readonly tracer: CallTracer | undefined;
  readonly isDraining: () => boolean;
  readonly isReady: () => boolean;
  /** Undefined without a ClickHouse. */
  readonly sink: Sink | undefined;
}

/** Everything that serves calls, and the values that `/metrics` reads from it. */
export function buildGateway(parts: GatewayParts, context: AppContext): Gateway {
  const { config } = context;
  const { sink } = parts;
  const { credentials } = parts.openGate;
  const tasks = new Tasks(context.log);
  const shared = credentials === undefined ? undefined : new SharedLimits(credentials, tasks);
  const health = new Health(systemClock, shared);
  const deps = buildGatewayDeps(parts, { health, tasks }, context);
  const { inFlight } = deps;
  const running = startJobs(deps, parts.data, context);
  parts.telemetry.observe({
    gate: parts.openGate.gate,
    sharedGate: parts.openGate.figures,
    runningJobs: () => running.counts,
    sink: sink && (() => sink.figures),
    journal: parts.ledger.journal,
    inFlight,
    breakers: () =>
      health.routeReports().map(({ routeId, vendor, breaker: state }) => ({ routeId, vendor, state })),
    unhealthyCredentials: () => health.credentialReports().filter(({ suspect }) => suspect).length,
    isReady: parts.isReady,
  });
  return {
    directory: parts.data.directory,
    deps,
    readBody: createBodyReader(deps.bodies),
    discardBody,
    calendar: parts.ledger.calendar,
    random: systemRandom,
    nodeName: config.nodeName,
    publicUrl: config.publicUrl,
    times: { keepAliveMs: config.keepAliveMs, clientStallMs: config.clientStallMs },
    running: new RunningResponses(),
    isDraining: parts.isDraining,
    tracer: parts.tracer,
  };
}

function buildGatewayDeps(
  {
    data,
    openGate: { gate, shared: gateIsShared },
    ledger: { journal, jobs, files, uploads },
    telemetry,
  }: GatewayParts,
  { health, tasks }: { readonly health: Health; readonly tasks: Tasks },
  { config, log, cleanup }: AppContext,
): GatewayDeps & { readonly bodies: ByteBudget } {
  const chooseProxy = createChooseProxy(config);
  const proxies = shownProxies(config);
  if (Object.keys(proxies).length > 0) log.info(proxies, 'vendors are reached through a proxy');
  const plain = createUpstreamClient({ clock: systemClock, log, ownHosts: config.byokHosts, chooseProxy });
  const client = createCloudClient(plain, systemClock);
  cleanup.add(() => client.close());
  const inFlight = new InFlight(systemClock);
  cleanup.add(() => inFlight.close());
  const { creditsPerYuan } = config;
  const observer = callObserver(config, telemetry, log);
  const waits = { connectMs: config.connectTimeoutMs, idleMs: config.idleTimeoutMs };
  return {
    client,
    health,
    retryBudget: new RetryBudget(),
    inFlight,
    bodies: new ByteBudget(config.bodyBudgetBytes),
    conversations: data.conversations,
    jobs,
    files,
    uploads,
    media: new GuardedFetcher({ ownHosts: config.mediaHosts, chooseProxy }),
    settlement: { journal, gate, gateIsShared, observer, clock: systemClock, creditsPerYuan, tasks },
    gate,
    journal,
    clock: systemClock,
    log,
    tasks,
    streamTimeouts: { ...waits, firstByteMs: config.firstByteTimeoutMs },
    plainTimeouts: { ...waits, firstByteMs: config.plainTimeoutMs },
    observer: telemetry,
    recentJobs: new RecentJobs(),
    jobRequests: new Semaphore(JOB_REQUEST_SLOTS),
  };
}

/** The level is checked once, here, so that calls do not pay for log lines that are off. */
function callObserver(config: Config, telemetry: Telemetry, log: Logger): CallObserver {
  const { logLevel, callLogLevel } = config;
  const isOn = logLevel === 'debug' || logLevel === 'trace' || logLevel === callLogLevel;
  return isOn ? logCalls(telemetry, log, callLogLevel) : telemetry;
}
