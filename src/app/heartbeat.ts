import { hostname } from 'node:os';
import { HEARTBEAT_MS } from '../bounds.ts';
import type { Telemetry } from '../http/telemetry.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { VERSION } from '../kernel/version.ts';
import type { Database } from '../store/database.ts';
import { endHeartbeat, writeHeartbeat } from '../store/operations/heartbeats.ts';
import type { AppContext } from './app-context.ts';
import type { OpenGate } from './gate.ts';
import type { NodeObserver } from './node-observer.ts';

export interface HeartbeatParts {
  readonly database: Database;
  readonly openGate: OpenGate;
  readonly telemetry: Pick<Telemetry, 'databaseAnswered'>;
  readonly observer: NodeObserver;
}

/** Writes to the database that this process serves. A lost heartbeat is followed by another. */
export function startHeartbeat(
  { database, openGate: { gate }, telemetry, observer }: HeartbeatParts,
  { config, log, cleanup, post, port }: AppContext & { readonly port: number },
): void {
  const startedAtMs = systemClock.now();
  const worker = post?.number ?? 0;
  const own = { node: config.nodeName, instance: `${hostname()}:${port}`, worker };
  const beat = async (): Promise<void> => {
    const facts = await observer.read();
    const served = { startedAtMs, version: VERSION, activeCalls: gate.active };
    await writeHeartbeat(database, { ...own, ...served, facts });
  };
  let last: Promise<void> = Promise.resolve();
  const tell = (): void => {
    last = beat().then(
      () => telemetry.databaseAnswered(),
      (error: unknown) => log.debug({ err: error }, 'heartbeat could not be written; it is tried again'),
    );
  };
  tell();
  const beating = setInterval(tell, HEARTBEAT_MS);
  cleanup.add(async () => {
    clearInterval(beating);
    await last;
    // If the store is unreachable, the others notice the missing heartbeat instead.
    await endHeartbeat(database, own).catch(() => undefined);
  });
}
