/** Tollgate with everything on: keys, limits, holds, journal, charges, logs; in either deployment. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, logTail, runCommand, startChild, stopChild, waitForAnswer } from '../child.ts';
import { DIALECT_NAMES } from '../convert/dialect.ts';
import { fillAccounts } from '../growth/accounts.ts';
import { MODEL_NAMES } from '../scenario.ts';
import type { Place, Preparation, StartedTarget, StoreAddresses, Target } from '../target.ts';
import {
  databaseName,
  findRedis,
  postmasterPid,
  startPostgres,
  startRedis,
  startRedisCluster,
} from './databases.ts';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');
const ACCOUNT = 'bench@example.com';

export interface Deployment {
  readonly name: string;
  readonly stores: 'embedded' | 'postgres-redis';
  /** `cluster`: a Redis Cluster of one server, where that is what is measured. */
  readonly gate?: 'server' | 'cluster';
  /** Accounts that call in turn; 1 unless their number is what is measured. */
  readonly accounts?: number;
  /** Routes of the catalogue, where their number is what is measured. */
  readonly routes?: number;
  /** Processes that serve; 1 unless their number is what is measured. */
  readonly workers?: number;
}

/** A call costs some Credits. Below one, nothing would be taken for it, and no ledger entry written. */
const PRICES = { input: '100', output: '300', cache_input: '10' };

/** Every limit that a policy and a credential can have, so wide that none refuses but all are counted. */
function catalogue(place: Place, { routes }: Deployment): object {
  const models = routes === undefined ? allModels() : fewOrManyModels(routes);
  return {
    system_rate: 100,
    defaults: { policy: 1, user_rate: 100, api_billing: true },
    vendors: [
      {
        code: 'openai',
        name: 'OpenAI',
        protocols: ['chat', 'responses', 'images'],
        base_url: `http://127.0.0.1:${place.upstreamPort}/v1`,
      },
      // Each speaks one protocol only, so that clients of the others are converted.
      ...DIALECT_NAMES.map((dialect) => ({
        code: `only-${dialect}`,
        protocols: [dialect],
        base_url: `http://127.0.0.1:${place.upstreamPort}/pairs`,
      })),
    ],
    credentials: ['openai', ...DIALECT_NAMES.map((dialect) => `only-${dialect}`)].map((vendor) => ({
      name: `bench-${vendor}`,
      vendor,
      secret: 'sk-bench',
      limits: { concurrency: 20_000, rpm: 100_000_000, tpm: 2_000_000_000 },
    })),
    // The vendor's name of a model differs from ours, as it does in real catalogues: the body is rewritten.
    models: models.map((model) => ({ ...model, prices: PRICES })),
    policies: [
      {
        id: 1,
        name: 'bench',
        concurrency: 20_000,
        windows: [
          { dimension: 'requests', seconds: 60, limit: 100_000_000 },
          { dimension: 'tokens', seconds: 60, limit: 1_000_000_000 },
          { dimension: 'requests', seconds: 86_400, limit: 1_000_000_000 },
          { dimension: 'amount', seconds: 18_000, limit: '1000000000' },
        ],
      },
    ],
    accounts: [{ email: ACCOUNT, password: 'only-for-the-benchmark', credits: '1000000000' }],
  };
}

function allModels(): readonly object[] {
  return [
    ...MODEL_NAMES.map((name) => modelOf(name, 'openai')),
    ...DIALECT_NAMES.map((dialect) => modelOf(`bench-over-${dialect}`, `only-${dialect}`)),
  ];
}

/** A model that is called, with one route, and others beside it. */
function fewOrManyModels(routes: number): readonly object[] {
  return Array.from({ length: routes }, (_, index) =>
    modelOf(index === 0 ? 'bench-json' : `bench-other-${index}`, 'openai'),
  );
}

function modelOf(name: string, vendor: string): object {
  return {
    model_id: name,
    context_window: 2_000_000,
    max_output_tokens: 4096,
    routes: [{ vendor, credential: `bench-${vendor}`, forward_model_id: `${name}-2026-01-01` }],
  };
}

/** What the server says of itself, such as the calls that are charged, logged and committed. */
async function readMetric(opsPort: number, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${opsPort}/metrics`, { signal: AbortSignal.timeout(5000) });
  const text = await response.text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
  return values.reduce((sum, match) => sum + Number(match[1]), 0);
}

async function createKey(environment: Readonly<Record<string, string>>): Promise<string> {
  const parameters = [ENTRY, 'key', 'create', '--account', ACCOUNT, '--name', 'bench', '--json'];
  const printed = await runCommand(process.execPath, parameters, { environment });
  const key = /"api_key":\s*"([^"]+)"/.exec(printed)?.[1];
  if (key === undefined) throw new Error('`key create --json` printed no api_key');
  return key;
}

interface Stores {
  readonly environment: Readonly<Record<string, string>>;
  readonly addresses?: StoreAddresses;
  rootPids(): readonly number[];
  stop(): Promise<void>;
}

/** What the server is told of its stores, and what of them is not its own child. */
async function startStores(deployment: Deployment, place: Place): Promise<Stores> {
  const dataFolder = join(place.folder, 'data');
  if (deployment.stores === 'embedded') {
    return {
      environment: {},
      // The embedded server is not our descendant: its own file tells its number.
      rootPids: () => postmasterPid(dataFolder),
      stop: async () => {
        // SIGINT is PostgreSQL's fast shutdown. It is there only if the server did not end in peace.
        for (const pid of postmasterPid(dataFolder)) process.kill(pid, 'SIGINT');
      },
    };
  }
  const postgres = await startPostgres(join(place.folder, 'postgres'), place.core);
  const start = deployment.gate === 'cluster' ? startRedisCluster : startRedis;
  const redis = await start(join(place.folder, 'redis'), place.core).catch(async (error) => {
    await postgres.stop();
    throw error;
  });
  return {
    environment: { DATABASE_URL: postgres.url, REDIS_URL: redis.url },
    addresses: { databaseUrl: postgres.url, redisUrl: redis.url },
    rootPids: () => [...postgres.rootPids(), ...redis.rootPids()],
    stop: async () => {
      await redis.stop();
      await postgres.stop();
    },
  };
}

async function startServer(deployment: Deployment, place: Place): Promise<StartedTarget> {
  const opsPort = await findFreePort();
  const file = join(place.folder, 'catalog.yaml');
  // YAML reads JSON.
  writeFileSync(file, JSON.stringify(catalogue(place, deployment), null, 2));
  const stores = await startStores(deployment, place);
  const environment = {
    TOLLGATE_HOST: '127.0.0.1',
    TOLLGATE_PORT: String(place.port),
    TOLLGATE_OPS_PORT: String(opsPort),
    TOLLGATE_DATA: join(place.folder, 'data'),
    TOLLGATE_CATALOG: file,
    TOLLGATE_WORKERS: String(deployment.workers ?? 1),
    ...stores.environment,
  };
  // Extra flags for Node, such as --cpu-prof, when somebody wants to look inside.
  const flags = (process.env.BENCH_TOLLGATE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');
  const parameters = [...flags, ...(place.nodeFlags ?? []), ENTRY, 'serve'];
  const child = startChild(process.execPath, parameters, { ...place, environment });
  const stop = async (): Promise<void> => {
    await stopChild(child.process);
    await stores.stop();
  };
  try {
    await waitForAnswer(child, `http://127.0.0.1:${place.port}/readyz`, (status) => status === 200);
    const keys = [await createKey(environment)];
    const { accounts = 1 } = deployment;
    if (accounts > 1) keys.push(...(await fillAccounts(environment, accounts - 1)));
    return {
      port: place.port,
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${keys[0]}` },
      ...(keys.length > 1 && { keys }),
      rootPids: () => [child.pid, ...stores.rootPids()],
      databaseOf: databaseName,
      settledCalls: () => readMetric(opsPort, 'tollgate_calls_settled_total'),
      settledBatches: () => readMetric(opsPort, 'tollgate_settler_batch_calls_count'),
      ...(stores.addresses && { stores: stores.addresses }),
      lastWords: () => logTail(child),
      stop,
    };
  } catch (error) {
    const words = `${error instanceof Error ? error.message : error}; ${logTail(child)}`;
    await stop();
    throw new Error(words);
  }
}

const EVERYTHING =
  'keys, every limit and window, hold and charge of each call, journal, call log, price book, metrics';

export function tollgateTarget(deployment: Deployment): Target {
  const { name, stores } = deployment;
  const external = stores === 'postgres-redis';
  return {
    name,
    has: `${EVERYTHING}; ${external ? 'PostgreSQL (fsync on) and Redis' : 'its embedded PostgreSQL (fsync on)'}`,
    keepsBooks: true,

    async prepare(): Promise<Preparation> {
      if (!existsSync(ENTRY)) return { kind: 'left-out', reason: 'src/main.ts does not exist' };
      if (external && findRedis() === undefined)
        return { kind: 'left-out', reason: 'redis-server is not installed' };
      const printed = await runCommand(process.execPath, [ENTRY, '--version']).catch((error) =>
        String(error),
      );
      if (!/^\S+\n$/.test(printed)) return { kind: 'left-out', reason: printed };
      return { kind: 'ready', version: `${printed.trim()}, this tree` };
    },

    start: (place) => startServer(deployment, place),
  };
}

export const tollgate = tollgateTarget({ name: 'tollgate', stores: 'embedded' });
export const tollgateRedis = tollgateTarget({ name: 'tollgate-redis', stores: 'postgres-redis' });
