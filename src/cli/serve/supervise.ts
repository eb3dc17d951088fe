import type { SetupToken } from '../../accounts/login-contract.ts';
import { Cleanup } from '../../app/cleanup.ts';
import { prepareSetup } from '../../app/logins.ts';
import { type ListeningAddress, opsAddress, publicAddress, refuseAddress } from '../../app/readiness.ts';
import { takeDirectory } from '../../app/store.ts';
import { WORKER_STOP_MS } from '../../bounds.ts';
import type { Config } from '../../config.ts';
import { findPort } from '../../http/port.ts';
import type { Logger } from '../../kernel/log.ts';
import { openSealer, prepareCatalog } from '../../setup.ts';
import { openStore } from '../../store/open.ts';
import type { Output } from '../command.ts';
import { buildConsole } from './console-build.ts';
import { openServerLog } from './server-log.ts';
import { tellFirstStart } from './start-notice.ts';
import { type Serving, Workers } from './workers.ts';

export interface Supervision {
  readonly config: Config;
  readonly configFile: string | undefined;
  readonly stopping: Promise<void>;
  readonly output: Output;
}

/**
 * `tollgate serve` with several workers. The supervisor serves nothing itself: it has the lock of the data
 * directory and the embedded database, does the work of a start that is done once, and restarts workers.
 */
export async function superviseWorkers(supervision: Supervision): Promise<number> {
  const { config } = supervision;
  const log = openServerLog(config);
  const cleanup = new Cleanup();
  try {
    return await supervise(supervision, log, cleanup);
  } finally {
    await cleanup.run();
    log.info({}, 'tollgate stopped');
  }
}

async function supervise(
  { config, configFile, stopping, output }: Supervision,
  log: Logger,
  cleanup: Cleanup,
): Promise<number> {
  // Checked before a database is created or changed for a server that cannot start.
  const ports = {
    port: await requirePort(publicAddress(config)),
    opsPort: await requirePort(opsAddress(config)),
  };
  cleanup.add(buildConsole(log).stop);
  const databaseUrl = await takeDirectory({ config, log, cleanup });
  const setupToken = await prepareStore({ ...config, databaseUrl }, log);
  const stopMs = config.drainMs + WORKER_STOP_MS;
  const workers = new Workers({ count: config.workers, ...ports, databaseUrl, configFile, stopMs, log });
  try {
    const serving = await Promise.race([workers.start(), stopping]);
    if (serving !== undefined) {
      tellFirstStart({ setupToken, url: serving.url }, config, output);
      announce(serving, config, log);
    }
    await stopping;
    log.info({}, 'tollgate is stopping: running calls may end');
  } finally {
    await workers.stop();
  }
  return workers.worstCode;
}

function requirePort(address: ListeningAddress): Promise<number> {
  return findPort(address.host, address.port).catch((error: NodeJS.ErrnoException) =>
    refuseAddress(address, error),
  );
}

function announce({ url, opsUrl, missing }: Serving, { workers }: Config, log: Logger): void {
  log.info({ workers, ops: opsUrl, url }, 'tollgate serves');
  for (const one of missing) log.warn({ missing: one }, 'calls cannot be served yet');
}

/** Migrations, secret, catalogue, setup token: done once, before the workers start at the same time. */
async function prepareStore(config: Config, log: Logger): Promise<SetupToken | undefined> {
  const store = await openStore({ ...config, log });
  try {
    const { database } = store;
    const sealer = await openSealer(config, database);
    await prepareCatalog({ config, database, sealer, log });
    return await prepareSetup(database, { config, post: undefined });
  } finally {
    await store.close();
  }
}
