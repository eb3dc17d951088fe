import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../agents/program.ts';
import { projectRoot } from '../../house/tree.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const CACHE = join(projectRoot, 'node_modules', '.cache');
const INSTALL_MS_MAX = 240_000;

/** The Python that has the libraries, or why there is none. */
export type Installed =
  | { readonly kind: 'python'; readonly program: string }
  | { readonly kind: 'none'; readonly why: string };

/**
 * A folder for these versions alone, made once, within what is never committed. Where there is no Python, or
 * no way to the registry of its packages, there is nothing, and the tests that need it are skipped.
 */
export async function installPython(): Promise<Installed> {
  const version = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const folder = join(CACHE, `tollgate-python-${version}`);
  const program = join(folder, 'bin', 'python');
  const sign = join(folder, 'installed');
  if (existsSync(sign)) return { kind: 'python', program };
  const signal = AbortSignal.timeout(INSTALL_MS_MAX);
  const run = async (command: string, parameters: readonly string[]): Promise<string | undefined> => {
    const place = { folder: projectRoot, environment: environment(), signal };
    const ended = await runProgram(command, parameters, place).catch(() => undefined);
    return ended?.exitCode === 0 ? undefined : (ended?.complained.trim().split('\n').at(-1) ?? 'not found');
  };
  const why =
    (await run('python3', ['-m', 'venv', '--clear', folder])) ??
    (await run(program, ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS]));
  if (why !== undefined) {
    rmSync(folder, { recursive: true, force: true });
    return { kind: 'none', why };
  }
  writeFileSync(sign, '');
  return { kind: 'python', program };
}

/** Where the machine looks for packages is its own matter. */
function environment(): Record<string, string> {
  const { env } = process;
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
