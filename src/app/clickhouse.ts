import { hostname } from 'node:os';
import { Receiver } from '../clickhouse/receiver.ts';
import { Sink } from '../clickhouse/sink.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { Database } from '../store/database.ts';
import { createSinkStore } from '../store/logs/log-sink.ts';
import type { UpstreamClient } from '../upstream/contract.ts';
import { createUpstreamClient } from '../upstream/http/client.ts';
import type { AppContext } from './app-context.ts';

/**
 * Starts sending the call log, if there is a ClickHouse. A server that comes back on its data directory is
 * the same holder, so that it need not wait until its own time is over.
 */
export async function openSink(
  database: Database,
  { config, log, cleanup, post }: AppContext,
): Promise<Sink | undefined> {
  const { clickhouseUrl: url } = config;
  if (url === undefined) return undefined;
  const store = createSinkStore(database);
  await store.register();
  const client = createUpstreamClient({ clock: systemClock, log });
  const holder = `${hostname()}:${config.dataDirectory}:${post?.number ?? 0}`;
  const receiver = openReceiver(client, url, config);
  const sink = new Sink({ store, receiver, clock: systemClock, log, holder, cut: () => client.close() });
  sink.start();
  cleanup.add(() => sink.stop());
  return sink;
}

export function openReceiver(client: UpstreamClient, url: string, config: Config): Receiver {
  const { clickhouseUser: user, clickhousePassword, clickhouseDatabase, clickhouseTable } = config;
  const password = clickhousePassword === '' ? undefined : clickhousePassword;
  return new Receiver({ client, url, user, password, database: clickhouseDatabase, table: clickhouseTable });
}
