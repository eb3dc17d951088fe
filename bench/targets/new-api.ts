/** new-api with PostgreSQL and Redis: token, quota and log of each call. */
import { join } from 'node:path';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { logTail, stopChild } from '../child.ts';
import { MODEL_NAMES } from '../scenario.ts';
import type { Place, Preparation, StartedTarget, Target } from '../target.ts';
import { type Built, prepareBuilt, startBuilt } from './built.ts';
import { databaseName, findRedis, type StartedDatabase, startPostgres, startRedis } from './databases.ts';

const BUILT: Built = { variable: 'BENCH_NEW_API', program: 'new-api', versionFlags: ['--version'] };
const TOKEN = 'benchbenchbenchbenchbenchbenchbenchbenchbench000';

/** A user, its token and a channel, written where new-api keeps them: its own API wants a session. */
async function seed(database: Database, place: Place): Promise<void> {
  const ratios = JSON.stringify(Object.fromEntries(MODEL_NAMES.map((name) => [name, 0.01])));
  await database.query(
    `insert into users (id, username, password, display_name, role, status, quota, "group", aff_code)
     values (1, 'root', 'none', 'root', 100, 1, 2000000000, 'default', 'bench')`,
  );
  await database.query(
    `insert into tokens (id, user_id, "key", status, name, created_time, accessed_time, expired_time, remain_quota,
       unlimited_quota, model_limits_enabled)
     values (1, 1, $1, 1, 'bench', 0, 0, -1, 2000000000, true, false)`,
    [TOKEN],
  );
  await database.query(
    `insert into channels (id, type, "key", status, name, created_time, base_url, models, "group", channel_info)
     values (1, 1, 'sk-upstream', 1, 'bench', 0, $1, $2, 'default', '{}')`,
    [`http://127.0.0.1:${place.upstreamPort}`, MODEL_NAMES.join(',')],
  );
  await database.query(
    `insert into abilities ("group", model, channel_id, enabled, priority, weight)
     select 'default', model, 1, true, 0, 0 from unnest($1::text[]) as model`,
    [MODEL_NAMES],
  );
  // Its guard against a busy machine would refuse the load.
  await database.query(
    `insert into options (key, value)
     values ('ModelRatio', $1), ('performance_setting.monitor_enabled', 'false')
     on conflict (key) do update set value = excluded.value`,
    [ratios],
  );
}

async function countLogs(database: Database): Promise<number> {
  const [row] = await database.query<{ calls: string }>('select count(*) as calls from logs where type = 2');
  return Number(row?.calls ?? 0);
}

async function startServer(place: Place, stores: readonly StartedDatabase[]): Promise<StartedTarget> {
  const [postgres, redis] = stores;
  const start = {
    parameters: ['--port', String(place.port), '--log-dir', place.folder],
    environment: {
      SQL_DSN: postgres?.url ?? '',
      REDIS_CONN_STRING: redis?.url ?? '',
      SESSION_SECRET: 'only-for-the-benchmark',
      GIN_MODE: 'release',
      GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      // Its own default is ten times what PostgreSQL takes.
      SQL_MAX_OPEN_CONNS: '80',
    },
    readyPath: '/api/status',
  };
  // The first start makes the tables.
  await stopChild((await startBuilt(BUILT, place, start)).process);
  const database = await openDatabase({
    connection: postgres?.url ?? '',
    log: silentLogger,
    connectionsMax: 1,
  });
  try {
    await seed(database, place);
    const child = await startBuilt(BUILT, place, start);
    return {
      port: place.port,
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer sk-${TOKEN}` },
      rootPids: () => [child.pid, ...stores.flatMap((each) => each.rootPids())],
      databaseOf: databaseName,
      settledCalls: () => countLogs(database),
      lastWords: () => logTail(child),
      stop: async () => {
        await stopChild(child.process);
        await database.close();
        for (const each of stores) await each.stop();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export const newApi: Target = {
  name: 'new-api',
  has: 'token, quota and log of each call; PostgreSQL (fsync on) and Redis; batched updates off',
  keepsBooks: true,

  async prepare(): Promise<Preparation> {
    if (findRedis() === undefined) return { kind: 'left-out', reason: 'redis-server is not installed' };
    return prepareBuilt(BUILT);
  },

  async start(place: Place): Promise<StartedTarget> {
    const stores = [await startPostgres(join(place.folder, 'postgres'), place.core)];
    try {
      stores.push(await startRedis(join(place.folder, 'redis'), place.core));
      return await startServer(place, stores);
    } catch (error) {
      for (const each of stores) await each.stop();
      throw error;
    }
  },
};
