import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EMBEDDED_START_MS } from '../../bounds.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { hasProcess, hasProcFileSystem } from './process-identity.ts';

/** A PostgreSQL server that runs on a cluster, from its `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly socketDirectory: string;
}

interface PidFile extends Postmaster {
  /** `starting`, `stopping`, `ready` or `standby`. */
  readonly status: string;
}

const POLL_MS = 50;

/**
 * The server that a killed Tollgate left running; undefined if there is none. The pid file of a dead
 * server is removed if its number belongs to another process or a zombie, because PostgreSQL would
 * refuse to start beside it.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const deadlineMs = systemClock.monotonic() + EMBEDDED_START_MS;
  while (systemClock.monotonic() < deadlineMs) {
    const file = readPidFile(cluster);
    if (file === undefined) return undefined;
    if (!runsOn(file.pid, cluster)) {
      if (hasProcess(file.pid)) removeTraces(cluster, file);
      return undefined;
    }
    if (file.status === 'ready') return file;
    await sleep(POLL_MS);
  }
  throw new Error(`the server in ${cluster} is neither ready nor gone after ${EMBEDDED_START_MS} ms`);
}

/** The socket directory of the last server, also after its death. It may be outside the data directory. */
export function findLastSocketDirectory(cluster: string): string | undefined {
  return readPidFile(cluster)?.socketDirectory;
}

/** A postmaster works in its cluster's directory; no other process of the same number does. */
export function runsOn(pid: number, cluster: string): boolean {
  if (!hasProcess(pid)) return false;
  if (!hasProcFileSystem()) return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return false;
  }
}

function removeTraces(cluster: string, { pid, port, socketDirectory }: PidFile): void {
  const socketLock = join(socketDirectory, `.s.PGSQL.${port}.lock`);
  if (socketDirectory !== '' && pidIn(socketLock) === pid) rmSync(socketLock, { force: true });
  rmSync(pidPath(cluster), { force: true });
}

function pidIn(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}

const pidPath = (cluster: string): string => join(cluster, 'postmaster.pid');

/** Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status. */
function readPidFile(cluster: string): PidFile | undefined {
  let text: string;
  try {
    text = readFileSync(pidPath(cluster), 'utf8');
  } catch {
    return undefined;
  }
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  return {
    pid,
    port: Number(lines[3] ?? '0'),
    socketDirectory: lines[4] ?? '',
    status: (lines[7] ?? 'starting').trim(),
  };
}
