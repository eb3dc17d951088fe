import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { projectRoot } from '../house/tree.ts';
import type { Need } from '../needs.ts';
import { type Finished, startProgram, TOLLGATE } from '../support/processes.ts';

/** What an upgrade is proved against. Each release names the one before it here. */
const COMMIT = '5e5a5db5214333de3199b41fe3a5c582bde70544';
/** The first version whose data this one opens. */
const OLDEST = '1e080e825e3ead0af85ac64fd86ee838625bb21e';
/** The last version with an earlier text of migration 033. */
const EARLIER_TEXT = '12669fb5';
/** `npm run prove` opens the data of every version; each takes a few seconds. */
const IS_LARGE = process.env.TEST_VERSIONS === 'all';

/** A shallow clone does not have it, and sources without their history do not either. */
const inHistory = (commit: string, name: string): Need => ({
  name: `${name}, ${shortNameOf(commit)}`,
  isMet: spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: projectRoot }).status === 0,
  how: 'clone with the full history: git fetch --unshallow',
});

export const VERSION_BEFORE: Need = inHistory(COMMIT, 'the version before');
export const OLDEST_VERSION: Need = inHistory(OLDEST, 'the oldest version whose data opens');

/**
 * The oldest version whose data opens, the version before, and each one since that changed a migration: all
 * at the large size; at the small size those with an earlier text of a migration, and the last.
 */
export function listVersions(): readonly string[] {
  if (!OLDEST_VERSION.isMet) return [shortNameOf(OLDEST)];
  const changed = run('git', ['log', '--format=%H', `${OLDEST}..HEAD`, '--', 'src/store/migrations']);
  const versions = [OLDEST, COMMIT, ...changed.trim().split('\n').reverse()].map(shortNameOf);
  if (IS_LARGE) return versions;
  const small = [OLDEST, COMMIT, EARLIER_TEXT].map(shortNameOf);
  return versions.filter((name, index) => small.includes(name) || index === versions.length - 1);
}

function shortNameOf(commit: string): string {
  return commit.slice(0, 8);
}

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

/** As it ships, in a run that has built it. */
export const THIS_VERSION: Version = { main: resolve(projectRoot, TOLLGATE), environment: {} };

export const unpackVersionBefore = (): Promise<VersionBefore> => unpackVersion(COMMIT);

/** Its sources from the history, with the dependencies of this checkout. */
export async function unpackVersion(commit: string): Promise<VersionBefore> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-before-'));
  const sources = join(folder, 'sources');
  await mkdir(sources);
  const archive = join(folder, 'sources.tar');
  run('git', ['archive', '--output', archive, commit, 'src', 'package.json']);
  run('tar', ['xf', archive, '-C', sources]);
  await symlink(join(projectRoot, 'node_modules'), join(sources, 'node_modules'));
  const migrations = await readdir(join(sources, 'src', 'store', 'migrations'));
  return {
    name: shortNameOf(commit),
    folder: sources,
    main: join(sources, 'src', 'main.ts'),
    // What it compiles must not fill the cache of this checkout.
    environment: { NODE_COMPILE_CACHE: join(folder, 'compiled') },
    lastMigration: Math.max(...migrations.map((name) => Number(name.slice(0, 3)))),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: projectRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
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
