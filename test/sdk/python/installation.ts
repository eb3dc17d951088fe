import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock } from '../../../src/store/embedded/lock.ts';
import { runProgram } from '../../agents/program.ts';
import { projectRoot } from '../../house/tree.ts';
import type { Need } from '../../needs.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const CACHE = join(projectRoot, 'node_modules', '.cache');
const INSTALL_MS_MAX = 240_000;
const POLL_MS = 100;

/** These versions alone, made once, within what is never committed. */
const folder = join(CACHE, `tollgate-python-${digestOf(REQUIREMENTS)}`);
const sign = join(folder, 'installed');

/** The Python that has the libraries. */
export const python: string = join(folder, 'bin', 'python');

// A checkout may be read-only.
const problem = await provide().catch(String);
export const PYTHON: Need = {
  name: "the vendors' libraries for Python",
  isMet: problem === undefined,
  how: `install python3 with venv; pip must reach its index${problem === undefined ? '' : ` (${problem})`}`,
};

/** Why there is none. The first test file that asks installs it; the others wait. */
async function provide(): Promise<string | undefined> {
  const deadline = performance.now() + INSTALL_MS_MAX;
  mkdirSync(CACHE, { recursive: true });
  while (!existsSync(sign)) {
    if (performance.now() > deadline) return 'another process installs it';
    const lock = await acquireLock(`${folder}.lock`);
    if (lock.kind === 'held') {
      await sleep(POLL_MS);
      continue;
    }
    try {
      return existsSync(sign) ? undefined : await install();
    } finally {
      lock.release();
    }
  }
  return undefined;
}

/** Nothing where there is no Python, or no way to the registry of its packages. */
async function install(): Promise<string | undefined> {
  const signal = AbortSignal.timeout(INSTALL_MS_MAX);
  const run = async (command: string, parameters: readonly string[]): Promise<string | undefined> => {
    const place = { folder: projectRoot, environment: environment(), signal };
    const ended = await runProgram(command, parameters, place).catch(() => undefined);
    return ended?.exitCode === 0 ? undefined : (ended?.complained.trim().split('\n').at(-1) ?? 'not found');
  };
  const why =
    (await run('python3', ['-m', 'venv', '--clear', folder])) ??
    (await run(python, ['-m', 'pip', 'install', '--quiet', '--no-compile', '--requirement', REQUIREMENTS]));
  if (why === undefined) writeFileSync(sign, '');
  else rmSync(folder, { recursive: true, force: true });
  return why;
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
}

/** Where the machine looks for packages is its own matter. */
function environment(): Record<string, string> {
  const { env } = process;
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
