import type { Logins } from '../accounts/login-contract.ts';
import type { Config } from '../config.ts';
import type { GateAway } from '../gate/contract.ts';
import { BODY_LIMITS, type BodyLimits, type BodyRead, createBodyReader, discardBody } from '../http/body.ts';
import { ByteBudget } from '../http/budget.ts';
import { createClientAddress } from '../http/client-address.ts';
import type { Telemetry } from '../http/telemetry.ts';
import type { Logger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { createCalendar, createTimes } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { createDays } from '../kernel/time/days.ts';
import {
  PLATFORM_BODIES_BYTES_MAX,
  PLATFORM_BODY_BYTES_MAX,
  PLATFORM_BODY_RATE_BYTES_MIN,
  PLATFORM_BODY_RATE_INTERVAL_MS,
  PLATFORM_BODY_SLOW_AFTER_MS,
  PLATFORM_STRANGER_BODY_BYTES_MAX,
} from '../operations/bounds.ts';
import type { HealthReports, OperationDeps } from '../operations/context.ts';
import { OPERATIONS } from '../operations/table.ts';
import { createPlatform, type Platform } from '../platform/http/dispatch.ts';
import { announceAndWait } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import type { UpstreamClient } from '../upstream/contract.ts';
import { Prober } from '../upstream/probe.ts';
import type { AppContext } from './app-context.ts';
import type { OpenGate } from './gate.ts';
import { openLogins } from './logins.ts';
import type { Data } from './store.ts';

export interface PlatformNeeds {
  readonly data: Data;
  readonly telemetry: Telemetry;
  readonly openGate: OpenGate;
  /** Connections to vendors, for tests of BYOK credentials. */
  readonly client: UpstreamClient;
  /** What the gateway of this process has observed of the vendors. */
  readonly health: HealthReports;
}

/** The operations of the platform, and what they work with. */
export function buildPlatform(needs: PlatformNeeds, context: AppContext): Platform {
  const { data, telemetry } = needs;
  const { config } = context;
  const logins = openLogins(data.database, context);
  return createPlatform({
    operations: OPERATIONS,
    sessions: logins,
    readBody: createPlatformReader(),
    discardBody,
    readAddress: createClientAddress(config.trustedProxies),
    observer: telemetry,
    deps: openDeps(logins, needs, context),
  });
}

/** What all operations work with. */
function openDeps(
  logins: Logins,
  { data, openGate, client, health }: PlatformNeeds,
  context: AppContext,
): OperationDeps {
  const { config, log } = context;
  const { database, sealer, directory } = data;
  return {
    ...{ config, log, database, sealer, logins, health },
    ...createTimes(config.timeZone),
    days: createDays(config.timeZone),
    month: createCalendar(config.timeZone).month,
    gate: visibleGate(openGate, config),
    prober: new Prober(client, systemClock),
    clock: systemClock,
    random: systemRandom,
    catalog: () => directory.catalog(),
    inForce: () => untilInForce(database, log),
  };
}

/** A separate budget: bodies of the platform never use that of calls. */
function createPlatformReader(): BodyRead {
  const budget = new ByteBudget(PLATFORM_BODIES_BYTES_MAX);
  const limits: BodyLimits = {
    ...BODY_LIMITS,
    bytesMax: PLATFORM_BODY_BYTES_MAX,
    slowAfterMs: PLATFORM_BODY_SLOW_AFTER_MS,
    rateIntervalMs: PLATFORM_BODY_RATE_INTERVAL_MS,
    rateBytesMin: PLATFORM_BODY_RATE_BYTES_MIN,
  };
  const read = createBodyReader(budget, limits);
  const readStranger = createBodyReader(budget, { ...limits, bytesMax: PLATFORM_STRANGER_BODY_BYTES_MAX });
  return (request, owner, response) =>
    (typeof owner === 'number' ? read : readStranger)(request, owner, response);
}

const ELSEWHERE: GateAway = { kind: 'gate-away', retryAfterMs: 0 };

/** A gate in memory counts the calls of its own process. A process that serves no calls has no counts. */
function visibleGate({ gate, shared }: OpenGate, { role }: Config): OperationDeps['gate'] {
  return shared || role === 'all' ? gate : { look: () => ELSEWHERE };
}

async function untilInForce(database: Database, log: Logger): Promise<void> {
  const answer = await announceAndWait(database);
  if (answer === 'late') {
    log.warn({}, 'a server has not confirmed a change in time; it takes effect there with a delay');
  }
}
