import { existsSync } from 'node:fs';
import {
  chdbPython,
  chromium,
  findProgram,
  PROGRAMS,
  recordingsFolder,
  type SystemProgram,
  specificationsFolder,
} from './prerequisites.ts';

/** Something of the machine that a test needs. */
export interface Need {
  readonly name: string;
  readonly isMet: boolean;
  /** What to do to get it. */
  readonly how: string;
}

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test is skipped; the end of the run names it once for all tests. */
    missing?: readonly Need[];
  }
}

/** Options of a test or of a suite. */
export interface Skipped {
  readonly skip?: true;
  readonly meta?: { missing: readonly Need[] };
}

/**
 * Skips what has these options where one of the needs is missing, so that the run says which. Where all are
 * there these are no options: a test inside a suite keeps those of the suite.
 */
export function needs(...all: readonly Need[]): Skipped {
  const missing = all.filter(({ isMet }) => !isMet);
  return missing.length === 0 ? {} : { skip: true, meta: { missing } };
}

/** A program of the system, which `npm test` installs itself as root. */
export function installed(program: SystemProgram): Need {
  const { name, debianPackage } = program;
  return { name, isMet: findProgram(program) !== undefined, how: `apt-get install ${debianPackage}` };
}

export const REDIS: Need = installed(PROGRAMS.redis);
/** The one with windows will do as well. */
export const CHROMIUM: Need = {
  ...installed(PROGRAMS.headlessShell),
  name: PROGRAMS.chromium.name,
  isMet: chromium !== undefined,
};
export const CURL: Need = installed(PROGRAMS.curl);
export const OPENSSL: Need = installed(PROGRAMS.openssl);
export const POSTGRES: Need = installed(PROGRAMS.postgres);
export const PGBOUNCER: Need = installed(PROGRAMS.pgbouncer);
export const PROMETHEUS: Need = installed(PROGRAMS.prometheus);
export const ROOT: Need = { name: 'root', isMet: process.getuid?.() === 0, how: 'run as root' };
/** Images are made from Debian's packages, because nothing is pulled. */
export const CONTAINER_TOOLS: readonly Need[] = [
  ROOT,
  ...[PROGRAMS.podman, PROGRAMS.runc, PROGRAMS.mmdebstrap].map(installed),
];
/** A device that takes no byte. */
export const FULL_DEVICE: Need = { name: '/dev/full', isMet: existsSync('/dev/full'), how: 'run on Linux' };
export const PROC: Need = { name: '/proc', isMet: existsSync('/proc/self/environ'), how: 'run on Linux' };
export const CLICKHOUSE: Need = {
  name: 'the engine of ClickHouse',
  isMet: chdbPython !== undefined,
  how: 'pip install chdb, and name its Python with TEST_CHDB',
};

export const HOW_SHARED = 'put the folder "shared" of the project beside this checkout';
export const RECORDINGS: Need = {
  name: 'recordings of vendors',
  isMet: existsSync(recordingsFolder),
  how: HOW_SHARED,
};
export const SPECIFICATIONS: Need = {
  name: 'specifications of vendors',
  isMet: existsSync(specificationsFolder),
  how: HOW_SHARED,
};
