import { statfs } from 'node:fs/promises';
import type { NodeFacts } from '../alerts/contract.ts';
import { LAG_CALLS, ROUTE_UP_MS } from '../alerts/thresholds.ts';
import type { Config } from '../config.ts';
import { type Clock, systemClock } from '../kernel/time/clock.ts';
import type { Journal } from '../ledger/contract.ts';

/** What the gateway of this process knows of the vendors. */
interface Observed {
  readonly health: {
    routeReports(): readonly { readonly routeId: number; readonly breaker: string }[];
    credentialReports(): readonly { readonly credentialId: number; readonly suspect: boolean }[];
  };
}

export interface ObserverParts extends Observed {
  readonly journal: Pick<Journal, 'lag'>;
  readonly clock: Clock;
  /** The free share of the disk, from 0 to 1. */
  readFree(): Promise<number | undefined>;
}

/**
 * Remembers since when something is wrong in this process. It is asked with every heartbeat. Short successes
 * and silences do not end a failure, so that an alert does not come and go.
 */
export class NodeObserver {
  readonly #parts: ObserverParts;
  readonly #routes = new Map<number, { sinceMs: number; failedAtMs: number }>();
  readonly #credentials = new Map<number, number>();
  #highSinceMs: number | undefined;
  #stillSinceMs: number | undefined;
  #lag = 0;

  constructor(parts: ObserverParts) {
    this.#parts = parts;
  }

  async read(): Promise<NodeFacts> {
    const free = await this.#parts.readFree();
    const nowMs = this.#parts.clock.monotonic();
    return {
      routes: this.#readRoutes(nowMs),
      credentials: this.#readCredentials(nowMs),
      lag: this.#readLag(nowMs),
      disk: free === undefined ? null : { free },
    };
  }

  #readRoutes(nowMs: number): NodeFacts['routes'] {
    for (const { routeId, breaker } of this.#parts.health.routeReports()) {
      if (breaker === 'closed') continue;
      const known = this.#routes.get(routeId);
      this.#routes.set(routeId, { sinceMs: known?.sinceMs ?? nowMs, failedAtMs: nowMs });
    }
    for (const [id, { failedAtMs }] of this.#routes) {
      if (nowMs - failedAtMs > ROUTE_UP_MS) this.#routes.delete(id);
    }
    return [...this.#routes].map(([id, { sinceMs }]) => ({ id, downMs: Math.round(nowMs - sinceMs) }));
  }

  #readCredentials(nowMs: number): NodeFacts['credentials'] {
    const known = new Set<number>();
    for (const { credentialId, suspect } of this.#parts.health.credentialReports()) {
      known.add(credentialId);
      if (suspect) this.#credentials.set(credentialId, nowMs);
    }
    for (const id of this.#credentials.keys()) if (!known.has(id)) this.#credentials.delete(id);
    return [...this.#credentials].map(([id, atMs]) => ({ id, agoMs: Math.round(nowMs - atMs) }));
  }

  #readLag(nowMs: number): NodeFacts['lag'] {
    const { lag: calls } = this.#parts.journal;
    if (calls === 0 || calls < this.#lag) this.#stillSinceMs = undefined;
    else this.#stillSinceMs ??= nowMs;
    if (calls < LAG_CALLS) this.#highSinceMs = undefined;
    else this.#highSinceMs ??= nowMs;
    this.#lag = calls;
    const since = (startMs: number | undefined): number =>
      startMs === undefined ? 0 : Math.round(nowMs - startMs);
    return { calls, highMs: since(this.#highSinceMs), stillMs: since(this.#stillSinceMs) };
  }
}

export function createNodeObserver(
  { health }: Observed,
  { journal }: { readonly journal: Pick<Journal, 'lag'> },
  { dataDirectory }: Pick<Config, 'dataDirectory'>,
): NodeObserver {
  return new NodeObserver({ health, journal, clock: systemClock, readFree: () => readFree(dataDirectory) });
}

/** Some file systems tell nothing, and some take their time: no call waits for that. */
async function readFree(directory: string): Promise<number | undefined> {
  try {
    const { bavail, blocks } = await statfs(directory);
    return blocks === 0 ? undefined : bavail / blocks;
  } catch {
    return undefined;
  }
}
