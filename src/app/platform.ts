import type { Logins } from '../accounts/login-contract.ts';
import type { HealthReports } from '../admin/ports.ts';
import { BODY_LIMITS, type BodyLimits, type BodyRead, createBodyReader, discardBody } from '../http/body.ts';
import { ByteBudget } from '../http/budget.ts';
import { createClientAddress } from '../http/client-address.ts';
import type { Telemetry } from '../http/telemetry.ts';
import { systemRandom } from '../kernel/random.ts';
import { systemClock } from '../kernel/time/clock.ts';
import {
  PLATFORM_BODIES_BYTES_MAX,
  PLATFORM_BODY_BYTES_MAX,
  PLATFORM_BODY_RATE_BYTES_MIN,
  PLATFORM_BODY_RATE_INTERVAL_MS,
  PLATFORM_BODY_SLOW_AFTER_MS,
  PLATFORM_STRANGER_BODY_BYTES_MAX,
} from '../platform/bounds.ts';
import type { Endpoint } from '../platform/endpoint.ts';
import { createPlatform, type Platform } from '../platform/http/dispatch.ts';
import { allEndpoints, type PlatformPorts } from '../platform/table.ts';
import type { UpstreamClient } from '../upstream/contract.ts';
import { bindAccount, createTimes } from './account.ts';
import { bindAdmin } from './admin.ts';
import type { AppContext } from './app-context.ts';
import type { OpenGate } from './gate.ts';
import { loginTransport, openLogins } from './logins.ts';
import type { Data } from './store.ts';
import { bindPublic, bindUsage } from './usage.ts';

export interface PlatformNeeds {
  readonly data: Data;
  readonly telemetry: Telemetry;
  readonly openGate: OpenGate;
  /** Connections to vendors, for tests of BYOK credentials. */
  readonly client: UpstreamClient;
  /** What the gateway of this process has observed of the vendors. */
  readonly health: HealthReports;
}

/** The rows of the platform with the store behind them. All ports of the table are bound here. */
export function buildPlatform(needs: PlatformNeeds, context: AppContext): Platform {
  const { data, telemetry } = needs;
  const { config, log } = context;
  const logins = openLogins(data.database, context);
  return createPlatform({
    endpoints: bindEndpoints(logins, needs, context),
    sessions: logins,
    readBody: createPlatformReader(),
    discardBody,
    addressOf: createClientAddress(config.trustedProxies),
    observer: telemetry,
    clock: systemClock,
    random: systemRandom,
    log,
  });
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

function bindEndpoints(
  logins: Logins,
  { data, openGate, client, health }: PlatformNeeds,
  context: AppContext,
): readonly Endpoint[] {
  const ports: PlatformPorts = {
    auth: { logins, transport: loginTransport(context), times: createTimes(context.config.timeZone) },
    own: bindAccount({ data, openGate, client }, context),
    everybody: bindPublic(data, context),
    usage: bindUsage(data, context),
    admin: bindAdmin(data, health, context),
  };
  return allEndpoints(ports);
}
