import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { familyOf, listProcesses, machineBusyMs, parseResident } from '../../bench/measure.ts';
import type { SoakQuiet, SoakSample } from '../../bench/report/soak.ts';
import type { HeapReading } from '../allocations/heap-probe.ts';
import { figure } from '../crash/outage.ts';
import { type ServerProcess, until } from '../support/processes.ts';

/** What a process has open; sockets among it. */
export function countHandles(pid: number): { readonly handles: number; readonly sockets: number } {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      // It was closed since it was listed.
      return undefined;
    }
  });
  const open = targets.filter((target) => target !== undefined);
  return { handles: open.length, sockets: open.filter((target) => target.startsWith('socket:')).length };
}

/** What is left in a node after a collection, which it is asked for (heap-probe.ts). */
export async function liveBytes(pid: number, file: string): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  await until(() => Promise.resolve(existsSync(file)));
  const { after } = JSON.parse(readFileSync(file, 'utf8')) as HeapReading;
  return after.objects + after.buffers;
}

/** Nothing of a node that is away. */
export async function sampleNode(
  node: string,
  { pid, opsUrl }: ServerProcess,
  atS: number,
): Promise<readonly SoakSample[]> {
  try {
    const residentBytes = parseResident(readFileSync(`/proc/${pid}/status`, 'utf8'));
    const lagCalls = await figure({ opsUrl }, 'tollgate_journal_lag_calls');
    return residentBytes === 0 ? [] : [{ atS, node, pid, residentBytes, ...countHandles(pid), lagCalls }];
  } catch {
    return [];
  }
}

/** The least of some looks: connections that are kept for the next call end one after the other. */
export function leastOpen(looks: readonly SoakQuiet[]): readonly SoakQuiet[] {
  const least = new Map<number, SoakQuiet>();
  for (const look of looks) {
    const before = least.get(look.pid);
    if (before === undefined || look.handles < before.handles) least.set(look.pid, look);
  }
  return [...least.values()];
}

/** Cores that are busy with what has no part in the run: those of the machine, less our own. */
export class OthersMeter {
  readonly #roots: () => readonly number[];
  readonly #shares: number[] = [];
  #before: Reading;

  /** `roots` and all that descends from them is ours. */
  constructor(roots: () => readonly number[]) {
    this.#roots = roots;
    this.#before = this.#read();
  }

  look(): void {
    const now = this.#read();
    let ownMs = 0;
    for (const [pid, cpuMs] of now.own) ownMs += cpuMs - (this.#before.own.get(pid) ?? cpuMs);
    const spanMs = now.atMs - this.#before.atMs;
    // What a process that ended had used is counted again with its parent: then nothing is left for others.
    if (spanMs > 0) this.#shares.push(Math.max(0, now.busyMs - this.#before.busyMs - ownMs) / spanMs);
    this.#before = now;
  }

  get meanCores(): number {
    return this.#shares.reduce((sum, share) => sum + share, 0) / Math.max(1, this.#shares.length);
  }

  #read(): Reading {
    const family = familyOf(this.#roots(), listProcesses());
    const own = new Map(family.map(({ pid, cpuMs }) => [pid, cpuMs]));
    return { atMs: performance.now(), busyMs: machineBusyMs(), own };
  }
}

interface Reading {
  readonly atMs: number;
  readonly busyMs: number;
  readonly own: ReadonlyMap<number, number>;
}
