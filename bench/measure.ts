/**
 * Processor time and memory of a family of processes, from /proc. Time is what the kernel charged to them
 * (user and system), which a noisy machine disturbs far less than the clock on the wall.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Linux reports processor time to programs in hundredths of a second, whatever its own tick is. */
const TICK_MS = 10;

export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly parentPid: number;
  /** Its own time and that of its children which have ended and been waited for. */
  readonly cpuMs: number;
}

export interface Usage {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  readonly residentBytes: number;
}

/** Fields as in proc(5); the name stands in brackets and may itself contain brackets and spaces. */
export function parseStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ');
  const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number);
  if (utime === undefined || stime === undefined || cutime === undefined || cstime === undefined) {
    return undefined;
  }
  return {
    pid: Number(text.slice(0, open)),
    name: text.slice(open + 1, close),
    parentPid: Number(fields[1]),
    cpuMs: (utime + stime + cutime + cstime) * TICK_MS,
  };
}

/** The highest resident memory since the process began or `resetMemoryPeak`. */
export function parseMemoryPeak(status: string): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** The present resident memory. */
export function parseResident(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** What all processors of the machine were busy with since it began, time stolen by its host included. */
export function parseBusyMs(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? [];
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}

export function machineBusyMs(): number {
  return parseBusyMs(readFileSync('/proc/stat', 'utf8'));
}

export function listProcesses(): readonly ProcessStat[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => parseStat(readProcess(pid, 'stat')))
    .filter((stat) => stat !== undefined);
}

/** The processes of `roots` and all that descend from them. */
export function familyOf(roots: readonly number[], all: readonly ProcessStat[]): readonly ProcessStat[] {
  const pids = new Set(roots);
  // Each round finds at least one further generation, so there are at most as many as processes.
  for (let size = -1; size !== pids.size; ) {
    size = pids.size;
    for (const each of all) if (pids.has(each.parentPid)) pids.add(each.pid);
  }
  return all.filter((each) => pids.has(each.pid));
}

export function usageOf(family: readonly ProcessStat[]): Usage {
  let cpuMs = 0;
  let memoryPeakBytes = 0;
  let residentBytes = 0;
  for (const each of family) {
    const status = readProcess(String(each.pid), 'status');
    cpuMs += each.cpuMs;
    memoryPeakBytes += parseMemoryPeak(status);
    residentBytes += parseResident(status);
  }
  return { cpuMs, memoryPeakBytes, residentBytes };
}

export function resetMemoryPeak(family: readonly ProcessStat[]): void {
  for (const each of family) {
    try {
      writeFileSync(`/proc/${each.pid}/clear_refs`, '5');
    } catch {
      // The process has just ended, or belongs to another user: its peak then is that of its whole life.
    }
  }
}

function readProcess(pid: string, file: 'stat' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It ended between the listing and the reading.
    return '';
  }
}
