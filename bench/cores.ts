/** Who runs on which processor: the target on one, the load generator and the upstream on another. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const TASKSET = '/usr/bin/taskset';

export interface Cores {
  readonly target: number | undefined;
  readonly harness: number | undefined;
  /** For the report. */
  readonly words: string;
}

export function findCores(): Cores {
  const free = { target: undefined, harness: undefined };
  if (availableParallelism() < 2) return { ...free, words: 'one core for everything' };
  if (!existsSync(TASKSET)) return { ...free, words: 'taskset is not there: the kernel chose the cores' };
  return {
    target: 0,
    harness: 1,
    words: 'target and its databases on core 0, load generator and upstream on core 1',
  };
}

/** The command that starts another one on a core; all that it starts stays there too. */
export function onCore(
  core: number | undefined,
  command: string,
  parameters: readonly string[],
): [string, string[]] {
  if (core === undefined) return [command, [...parameters]];
  return [TASKSET, ['-c', String(core), command, ...parameters]];
}

/** Moves running processes, with all their threads. */
export function moveToCore(core: number | undefined, pids: readonly number[]): void {
  if (core === undefined) return;
  for (const pid of pids) {
    try {
      execFileSync(TASKSET, ['-a', '-cp', String(core), String(pid)], { stdio: 'ignore' });
    } catch {
      // It has ended since it was listed.
    }
  }
}
