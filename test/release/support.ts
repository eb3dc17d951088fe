import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../house/tree.ts';
import type { Exit, Program } from '../support/processes.ts';

const execute = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** The Node that runs us comes first, also for npm and what it starts. */
export const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

export interface Release {
  /** What `npm run release` made. */
  readonly folder: string;
  readonly tarball: string;
  /** Room for an installation, beside it. */
  readonly place: string;
  remove(): Promise<void>;
}

/** A dry release of this version, in a temporary folder. */
export async function makeRelease(version: string): Promise<Release> {
  const place = await mkdtemp(join(tmpdir(), 'tollgate-release-'));
  // The embedded database has a user of its own, who must be able to pass through.
  await chmod(place, 0o711);
  const folder = join(place, 'release');
  await run(process.execPath, ['release/run.ts', version, '--folder', folder], projectRoot);
  return {
    folder,
    tarball: join(folder, `tollgate-${version}.tgz`),
    place,
    remove: () => rm(place, { recursive: true, force: true }),
  };
}

/** What a program prints; it fails with all it said. */
export async function run(program: string, parameters: readonly string[], folder: string): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, PATH }, maxBuffer: OUTPUT_BYTES_MAX };
  return (await execute(program, [...parameters], options)).stdout;
}

/** Signals go to the program and to what it started, as those of a terminal do: npx passes none on. */
export function startGroup(
  command: readonly [string, ...string[]],
  folder: string,
  environment: Readonly<Record<string, string>>,
): Program {
  const [program, ...parameters] = command;
  const child = spawn(program, parameters, {
    cwd: folder,
    env: { PATH, HOME: process.env.HOME ?? tmpdir(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  const pid = child.pid ?? 0;
  return {
    pid,
    exited: once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit),
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    kill: (signal) => {
      try {
        process.kill(-pid, signal);
      } catch {
        // It has ended already.
      }
    },
    closeStdout: () => void child.stdout.destroy(),
  };
}
