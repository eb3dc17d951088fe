import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findPort } from '../../../src/http/port.ts';
import { redisServer } from '../../prerequisites.ts';
import { until } from '../processes.ts';
import { startRedis, type TestRedis } from '../redis.ts';

/** The name of the master, which has a space so that addresses must be decoded. */
export const MASTER = 'the master';
const SENTINELS = 3;

export interface TestSentinels {
  /** All Sentinels, by commas. */
  readonly url: string;
  /** The first is the master at the beginning, the other its replica. */
  readonly servers: readonly [TestRedis, TestRedis];
  /** The Sentinels make the replica the master. */
  failOver(): Promise<void>;
  close(): Promise<void>;
}

/** A master and its replica, and three Sentinels that watch them. */
export async function startSentinels(): Promise<TestSentinels> {
  const first = await startRedis();
  const second = await startRedis(['--replicaof', '127.0.0.1', String(first.port)]);
  await until(async () => (await second.inspect.info('replication')).includes('master_link_status:up'));
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startSentinel(first.port)));
  const close = async (): Promise<void> => {
    for (const sentinel of sentinels) await sentinel.close();
    for (const server of [first, second]) await server.close();
  };
  await until(async () => (await Promise.all(sentinels.map(({ isReady }) => isReady()))).every(Boolean));
  const failOver = async (): Promise<void> => {
    const [first] = sentinels;
    await until(async () => {
      // One that is under way, or a replica that is not looked at yet, is an error.
      await first?.failOver().catch(() => {});
      return (await second.inspect.info('replication')).includes('role:master');
    });
  };
  const path = encodeURIComponent(MASTER);
  const url = sentinels.map(({ port }) => `sentinel://127.0.0.1:${port}/${path}`).join(',');
  return { url, servers: [first, second], failOver, close };
}

interface Sentinel {
  readonly port: number;
  /** It knows the replica and the other Sentinels. */
  isReady(): Promise<boolean>;
  failOver(): Promise<unknown>;
  close(): Promise<void>;
}

async function startSentinel(masterPort: number): Promise<Sentinel> {
  const port = await findPort('127.0.0.1', 0);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  // A Sentinel writes into its file what it has learned. On a busy machine a master may seem dead for a
  // while, so it is given up only on demand.
  writeFileSync(
    file,
    `port ${port}
bind 127.0.0.1
dir ${folder}
sentinel monitor "${MASTER}" 127.0.0.1 ${masterPort} 2
sentinel down-after-milliseconds "${MASTER}" 120000
sentinel failover-timeout "${MASTER}" 5000
`,
  );
  const child: ChildProcess = spawn(String(redisServer), [file, '--sentinel'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const inspect = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50, maxRetriesPerRequest: null });
  inspect.on('error', () => {});
  return {
    port,
    isReady: async () => {
      const told = await inspect.info('sentinel');
      return new RegExp(`slaves=1,sentinels=${SENTINELS}`).test(told);
    },
    failOver: () => inspect.call('SENTINEL', 'FAILOVER', MASTER),
    close: async () => {
      inspect.disconnect();
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
