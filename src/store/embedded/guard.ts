import { EMBEDDED_LOOK_MS, EMBEDDED_REVIVE_MS_MAX } from '../../bounds.ts';
import type { Logger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { EmbeddedServer } from './server.ts';

/**
 * Restarts the embedded server when it dies, because no other process supervises it. Calls
 * continue meanwhile as in any outage of the database. Returns the function that ends the guard.
 */
export function guardEmbedded(
  server: Pick<EmbeddedServer, 'isRunning' | 'revive'>,
  log: Logger,
): () => Promise<void> {
  let waitMs = EMBEDDED_LOOK_MS;
  let ended = false;
  let reviving: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const look = (): void => {
    if (server.isRunning()) waitMs = EMBEDDED_LOOK_MS;
    else {
      reviving = revive();
      return;
    }
    timer = setTimeout(look, EMBEDDED_LOOK_MS).unref();
  };
  const revive = async (): Promise<void> => {
    const startedMs = systemClock.monotonic();
    log.error({}, 'the embedded database has stopped unexpectedly; it is started again');
    try {
      await server.revive();
      log.info(
        { tookMs: Math.round(systemClock.monotonic() - startedMs) },
        'the embedded database is running again',
      );
    } catch (error) {
      // Children of the dead server may still hold its memory. They end soon.
      log.error({ err: error, waitMs }, 'the embedded database could not be started; it is tried again');
    }
    if (ended) return;
    timer = setTimeout(look, waitMs).unref();
    waitMs = Math.min(waitMs * 2, EMBEDDED_REVIVE_MS_MAX);
  };
  look();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await reviving;
  };
}
