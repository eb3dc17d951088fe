import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../house/tree.ts';
import type { Need } from '../needs.ts';
import { type Finished, startProgram } from '../support/processes.ts';

/** What an upgrade is proved against. Each release names the one before it here. */
const COMMIT = '5e5a5db5214333de3199b41fe3a5c582bde70544';
const SHORT_NAME = COMMIT.slice(0, 8);

/** A shallow clone does not have it, and sources without their history do not either. */
export const VERSION_BEFORE: Need = {
  name: `the version before, ${SHORT_NAME}`,
  isMet: spawnSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: projectRoot }).status === 0,
  how: 'clone with the full history: git fetch --unshallow',
};

/** A version of Tollgate that can be run. */
export interface Version {
  /** Its main program. */
  readonly main: string;
  /** The environment that it needs besides that of every version. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface VersionBefore extends Version {
  /** Of its commit, shortened. */
  readonly name: string;
  readonly folder: string;
  /** The number of its last migration. */
  readonly lastMigration: number;
  remove(): Promise<void>;
}

export const THIS_VERSION: Version = { main: join(projectRoot, 'src', 'main.ts'), environment: {} };

/** Its sources from the history, with the dependencies of this checkout. */
export async function unpackVersionBefore(): Promise<VersionBefore> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-before-'));
  const sources = join(folder, 'sources');
  await mkdir(sources);
  const archive = join(folder, 'sources.tar');
  run('git', ['archive', '--output', archive, COMMIT, 'src', 'package.json']);
  run('tar', ['xf', archive, '-C', sources]);
  await symlink(join(projectRoot, 'node_modules'), join(sources, 'node_modules'));
  const migrations = await readdir(join(sources, 'src', 'store', 'migrations'));
  return {
    name: SHORT_NAME,
    folder: sources,
    main: join(sources, 'src', 'main.ts'),
    // What it compiles must not fill the cache of this checkout.
    environment: { NODE_COMPILE_CACHE: join(folder, 'compiled') },
    lastMigration: Math.max(...migrations.map((name) => Number(name.slice(0, 3)))),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd: projectRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}

/** A command of a version, from its start to its end. */
export async function runCommandOf(
  { main, environment: own }: Version,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input?: string,
): Promise<Finished> {
  const program = startProgram([main, ...args], { ...environment, ...own }, input);
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}
