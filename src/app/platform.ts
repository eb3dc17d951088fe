import { BODY_LIMITS, type BodyLimits, type BodyRead, createBodyReader, discardBody } from '../http/body.ts';
import { ByteBudget } from '../http/budget.ts';
import { createClientAddress } from '../http/client-address.ts';
import type { Telemetry } from '../http/telemetry.ts';
import { systemClock } from '../kernel/time/clock.ts';
import {
  PLATFORM_BODIES_BYTES_MAX,
  PLATFORM_BODY_BYTES_MAX,
  PLATFORM_BODY_RATE_BYTES_MIN,
  PLATFORM_BODY_RATE_INTERVAL_MS,
  PLATFORM_BODY_SLOW_AFTER_MS,
  PLATFORM_STRANGER_BODY_BYTES_MAX,
} from '../operations/bounds.ts';
import type { HealthReports } from '../operations/context.ts';
import { OPERATIONS } from '../operations/table.ts';
import { createPlatform, type Platform } from '../platform/http/dispatch.ts';
import type { UpstreamClient } from '../upstream/contract.ts';
import { Prober } from '../upstream/probe.ts';
import type { AppContext } from './app-context.ts';
import type { OpenGate } from './gate.ts';
import { createOperationDeps, GATE_ELSEWHERE } from './operation-deps.ts';
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
  const { telemetry, openGate, client, health } = needs;
  const { database, sealer, directory } = needs.data;
  const { config, log } = context;
  const deps = createOperationDeps(
    { config, log, database, sealer },
    {
      gate: openGate.shared || config.role === 'all' ? openGate.gate : GATE_ELSEWHERE,
      ...{ prober: new Prober(client, systemClock), vendors: client },
      catalog: () => directory.catalog(),
      health,
    },
  );
  return createPlatform({
    operations: OPERATIONS,
    sessions: deps.logins,
    readBody: createPlatformReader(),
    discardBody,
    readAddress: createClientAddress(config.trustedProxies),
    observer: telemetry,
    deps,
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
