import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisServer } from '../prerequisites.ts';
import { until } from './processes.ts';

/** A test that fails before it closes its servers leaves none behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL');
});

/** A real server of the test's own, with nothing on disk: what it knew is gone when it is killed. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** SIGKILL, at once. */
  kill(): Promise<void>;
  /** On the same port, empty. */
  restart(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** A client of the test's own, for looking; closed with the server. */
  readonly inspect: Redis;
  close(): Promise<void>;
}

export async function startRedis(extra: readonly string[] = []): Promise<TestRedis> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-redis-'));
  let server = await spawnRedis(port, folder, extra);
  const inspect = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50 });
  inspect.on('error', () => {});
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    restart: async () => {
      server = await spawnRedis(port, folder, extra);
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    inspect,
    close: async () => {
      inspect.disconnect();
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface TestRedisCluster {
  /** All masters as seeds, by commas. */
  readonly url: string;
  readonly masters: readonly TestRedis[];
  /** All masters say that the cluster is whole. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const SLOTS = 16_384;
const MASTERS = 3;
/** How long a meeting may take, and how many there are before it is given up. */
const MEET_MS = 8_000;
const MEETINGS_MAX = 5;

/** Three masters that share the slots among them. */
export async function startRedisCluster(): Promise<TestRedisCluster> {
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
  const masters = await Promise.all(Array.from({ length: MASTERS }, () => startRedis(options)));
  const close = async (): Promise<void> => {
    await Promise.all(masters.map((master) => master.close()));
  };
  try {
    await joinMasters(masters);
  } catch (error) {
    await close();
    throw error;
  }
  const url = masters.map((master) => master.url).join(',');
  return { url, masters, settled: () => untilWhole(masters), close };
}

async function joinMasters(masters: readonly TestRedis[]): Promise<void> {
  for (const [index, master] of masters.entries()) {
    const from = Math.floor((index * SLOTS) / MASTERS);
    const to = Math.floor(((index + 1) * SLOTS) / MASTERS) - 1;
    await master.inspect.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
    // Epochs that differ from the start spare the masters to find out which of them is newer.
    await master.inspect.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  }
  let whole = false;
  // On a busy machine two that meet may lose each other before they have shaken hands: then they meet again.
  for (let tries = 1; !whole; tries++) {
    for (const master of masters) {
      const others = masters.filter((other) => other !== master);
      for (const { port } of others) await master.inspect.call('CLUSTER', 'MEET', '127.0.0.1', port);
    }
    whole = await untilWhole(masters, MEET_MS).then(
      () => true,
      (error) => {
        if (tries === MEETINGS_MAX) throw error;
        return false;
      },
    );
  }
}

async function untilWhole(masters: readonly TestRedis[], timeoutMs = 120_000): Promise<void> {
  await until(async () => {
    const told = await Promise.all(masters.map((master) => master.inspect.call('CLUSTER', 'INFO')));
    return told.every((text) => /cluster_state:ok[\s\S]*cluster_known_nodes:3\b/.test(String(text)));
  }, timeoutMs);
}

async function spawnRedis(port: number, folder: string, extra: readonly string[]): Promise<ChildProcess> {
  if (redisServer === undefined) throw new Error('redis-server is missing: apt-get install redis-server');
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const volatile = ['--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
  const server = spawn(redisServer, [...args, ...volatile, ...extra], { stdio: 'ignore' });
  running.add(server);
  server.once('exit', () => running.delete(server));
  const probe = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 20, maxRetriesPerRequest: null });
  probe.on('error', () => {});
  try {
    // The process id tells ours from a stranger that took the port in between.
    const own = `process_id:${server.pid}\r`;
    await until(async () => server.exitCode !== null || (await probe.info('server')).includes(own));
  } finally {
    probe.disconnect();
  }
  if (server.exitCode !== null) throw new Error(`redis-server does not start on port ${port}`);
  return server;
}

/** A cluster's second port is ten thousand above the first, so the first must leave room for it. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = await new Promise<number>((resolve, reject) => {
      const probe = createServer();
      probe.once('error', reject);
      probe.listen(0, '127.0.0.1', () => {
        const address = probe.address();
        probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
      });
    });
    if (port > 0 && port < 55_000) return port;
  }
  throw new Error('no free port below 55000');
}
