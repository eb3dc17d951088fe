import type { Gate, RememberedWindow, SharedGate } from '../gate/contract.ts';
import { createMemoryGate } from '../gate/memory.ts';
import type { SharedGateFigures } from '../http/state-gauges.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { AppContext } from './app-context.ts';

/** Slots of calls that never left are removed this often. Counting does not depend on it. */
const SWEEP_MS = 10_000;
const CREDENTIALS_PREFIX = 'tollgate:credential:';

/** The gate of this process, in memory or shared, and the differences between the two. */
export interface OpenGate {
  readonly gate: Gate;
  /** Counts the limits of credentials for all nodes. Undefined if this process is the only one. */
  readonly credentials: SharedGate | undefined;
  /** A shared gate outlives the process: it stores its windows, and may have holds of a dead process. */
  readonly shared: boolean;
  /** Windows of the last run. A shared gate has its own. */
  restore(windows: readonly RememberedWindow[]): void;
  /** Snapshots of the account that are older than this are refused from now on. */
  raiseVersion(accountId: number, version: number): void | Promise<void>;
  /** Only for a shared gate; for `/metrics`. */
  readonly figures: (() => SharedGateFigures) | undefined;
  /** Why no call can enter now; undefined if calls can. */
  problem(): string | undefined;
}

export function openGate(context: AppContext): OpenGate | Promise<OpenGate> {
  const { redisUrl } = context.config;
  return redisUrl === undefined ? openMemory(context) : openRedis(redisUrl, context);
}

function openMemory({ cleanup }: AppContext): OpenGate {
  const gate = createMemoryGate({ clock: systemClock });
  const sweeping = setInterval(() => gate.sweep(), SWEEP_MS);
  cleanup.add(() => clearInterval(sweeping));
  return {
    gate,
    credentials: undefined,
    shared: false,
    restore: (windows) => gate.restore(windows),
    raiseVersion: () => undefined,
    figures: undefined,
    problem: () => undefined,
  };
}

async function openRedis(url: string, { log, cleanup }: AppContext): Promise<OpenGate> {
  // Loaded only with a Redis, because loading takes most of a start.
  const { AwaitedRedis } = await import('./redis.ts');
  const { createRedisGate } = await import('../gate/redis/gate.ts');
  const client = await AwaitedRedis.open(url, log);
  cleanup.add(() => client.close());
  const gate = createRedisGate({ client, clock: systemClock, log });
  cleanup.add(() => gate.close());
  const credentials = createRedisGate({ client, clock: systemClock, log, prefix: CREDENTIALS_PREFIX });
  cleanup.add(() => credentials.close());
  return {
    gate,
    credentials,
    shared: true,
    restore: () => undefined,
    raiseVersion: (accountId, version) => gate.raiseVersion(accountId, version),
    figures: () => ({ up: client.up, queued: gate.untold + credentials.untold }),
    problem: () =>
      client.up ? undefined : 'Redis does not answer or takes no writes, so limits cannot be counted',
  };
}
