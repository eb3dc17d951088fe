import { spawnSync } from 'node:child_process';
import type { Need } from '../needs.ts';
import { PROGRAMS } from '../prerequisites.ts';

/** Runs what follows as process 1 of a namespace of its own, as containers do; nothing where forbidden. */
export const container: readonly [string, ...string[]] | undefined = findContainer();

export const CONTAINER: Need = {
  name: 'process namespaces of its own',
  isMet: container !== undefined,
  how: `run as root where unshare is permitted, and apt-get install ${PROGRAMS.unshare.debianPackage}`,
};

function findContainer(): readonly [string, ...string[]] | undefined {
  const options = ['--pid', '--fork', '--kill-child', '--mount-proc'];
  const { pattern: program } = PROGRAMS.unshare;
  return spawnSync(program, [...options, 'true']).status === 0 ? [program, ...options] : undefined;
}
