/** PostgreSQL and Redis of a target, as servers of their own in a folder of the run. */
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '../../src/kernel/log.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { findFreePort, startChild, stopChild } from '../child.ts';
import { moveToCore } from '../cores.ts';
import { familyOf, listProcesses, type ProcessStat } from '../measure.ts';

export interface StartedDatabase {
  readonly url: string;
  rootPids(): readonly number[];
  stop(): Promise<void>;
}

const REDIS_START_MS = 10_000;

/** Of the system, as the tests find it. */
export function findRedis(): string | undefined {
  return globSync('/usr/bin/redis-server')[0];
}

export function databaseName(stat: ProcessStat): string | undefined {
  if (stat.name.startsWith('postgres')) return 'postgres';
  return stat.name.startsWith('redis') ? 'redis' : undefined;
}

/** The first line of a server's own file is its number; nothing when it is not running. */
export function postmasterPid(dataFolder: string): readonly number[] {
  const file = join(dataFolder, 'postgres', 'postmaster.pid');
  return existsSync(file) ? [Number(readFileSync(file, 'utf8').split('\n')[0])] : [];
}

/** The same program and settings as the embedded one, fsync included; nobody's child but the benchmark's. */
export async function startPostgres(folder: string, core: number | undefined): Promise<StartedDatabase> {
  mkdirSync(folder);
  const server = await startEmbedded(folder, silentLogger);
  const rootPids = (): readonly number[] => postmasterPid(folder);
  // What it starts later stays where it is.
  moveToCore(
    core,
    familyOf(rootPids(), listProcesses()).map(({ pid }) => pid),
  );
  return { url: server.connection, rootPids, stop: () => server.stop() };
}

/** Without persistence: what it holds is made again from the books. */
export function startRedis(folder: string, core: number | undefined): Promise<StartedDatabase> {
  return spawnRedis(folder, core, []);
}

/** One server that has all slots: a cluster as its clients see it. */
export async function startRedisCluster(folder: string, core: number | undefined): Promise<StartedDatabase> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];
  const started = await spawnRedis(folder, core, settings);
  await tell(Number(new URL(started.url).port), 'CLUSTER ADDSLOTSRANGE 0 16383');
  return started;
}

async function spawnRedis(
  folder: string,
  core: number | undefined,
  further: readonly string[],
): Promise<StartedDatabase> {
  const program = findRedis();
  if (program === undefined) throw new Error('redis-server is not installed');
  mkdirSync(folder);
  const port = await findFreePort();
  const settings = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--dir', folder, ...further];
  const child = startChild(program, ['--port', String(port), ...settings], { folder, core });
  const deadlineMs = performance.now() + REDIS_START_MS;
  while (!(await isListening(port))) {
    if (performance.now() > deadlineMs) {
      await stopChild(child.process);
      throw new Error('redis-server did not listen in time');
    }
    await delay(50);
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    rootPids: () => [child.pid],
    stop: () => stopChild(child.process),
  };
}

/** One command; a refusal is an error. */
function tell(port: number, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(REDIS_START_MS, () => socket.destroy(new Error(`Redis does not answer ${command}`)));
    socket.once('error', reject);
    socket.setEncoding('utf8').once('data', (answer: string) => {
      socket.destroy();
      if (answer.startsWith('+OK')) resolve();
      else reject(new Error(`Redis answers ${command} with ${answer.trim()}`));
    });
    socket.write(`${command}\r\n`);
  });
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
