import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatsView } from '../../sim/stats.ts';
import type { TruthCall } from '../../sim/truth.ts';
import { projectRoot } from '../house/tree.ts';

/** Names the folder of the programs as they ship, in a run that has built them; see suite/program.ts. */
export const PROGRAMS = 'TEST_PROGRAMS';
const { [PROGRAMS]: built } = process.env;
/** Our program and the simulated vendors: as they ship, or else from their sources. */
export const TOLLGATE = built === undefined ? 'src/main.ts' : join(built, 'tollgate.js');
const SIMULATOR = built === undefined ? 'sim/main.ts' : join(built, 'simulator.js');

/** What became of a process: an exit code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program of ours as a real process, with everything it said. */
export interface Program {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** From now on nobody reads what it says. */
  closeStdout(): void;
}

/** Where Node keeps what it compiled, if it keeps it. That of a built program goes with the program. */
function compiled(script: string): Readonly<Record<string, string>> {
  const isBuilt = built !== undefined && script.startsWith(built);
  const folder = isBuilt ? join(built, 'compiled') : process.env.NODE_COMPILE_CACHE;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

/**
 * Runs a script of the project with the Node that runs us. The environment is only what is given: settings of
 * whoever runs the tests must not change what is tested.
 */
export function startProgram(
  script: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input?: string,
): Program {
  const child: ChildProcess = spawn(process.execPath, script, {
    cwd: projectRoot,
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), ...compiled(script[0] ?? ''), ...environment },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // A program may end before it has read everything.
  child.stdin?.on('error', () => {}).end(input);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  // `close` comes after the last output, `exit` may come before it.
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
  return {
    pid: child.pid ?? 0,
    exited,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    kill: (signal) => void child.kill(signal),
    closeStdout: () => void child.stdout?.destroy(),
  };
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of the `tollgate` program, from its start to its end. */
export async function tollgate(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input?: string,
): Promise<Finished> {
  const program = startProgram([TOLLGATE, ...args], environment, input);
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

export interface SimulatorProcess {
  readonly url: string;
  /** What really happened, all calls that carried this tag or all there are. */
  truth(): Promise<readonly TruthCall[]>;
  stats(): Promise<StatsView>;
  /** Every call is refused with this status, until `serve`. */
  refuse(status: number): Promise<void>;
  serve(): Promise<void>;
  /** From here on truth and stats begin anew. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

export async function startSimulatorProcess(): Promise<SimulatorProcess> {
  const program = startProgram([SIMULATOR, '--port', '0']);
  const line = await untilSaid(program, /"url":"(http:[^"]+)"/);
  const get = async (path: string): Promise<unknown> => (await fetch(`${line}/_sim/${path}`)).json();
  return {
    url: line,
    truth: async () => (await get('truth')) as readonly TruthCall[],
    stats: async () => (await get('stats')) as StatsView,
    refuse: async (status) => {
      const body = JSON.stringify({ times: Number.MAX_SAFE_INTEGER, answer: { status } });
      await fetch(`${line}/_sim/script`, { method: 'POST', body });
    },
    serve: async () => void (await fetch(`${line}/_sim/script`, { method: 'DELETE' })),
    forget: async () => void (await fetch(`${line}/_sim/reset`, { method: 'POST' })),
    close: async () => {
      program.kill('SIGKILL');
      await program.exited;
    },
  };
}

export interface ServerProcess extends Program {
  readonly url: string;
  /** Where `/metrics` is. */
  readonly opsUrl: string;
  /** From the start of the process until `/readyz` said 200. */
  readonly readyMs: number;
}

/** Starts `tollgate serve`, of this version or of another, and waits until it can serve calls. */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
  main = TOLLGATE,
): Promise<ServerProcess> {
  const startedAt = performance.now();
  const program = startProgram([main, 'serve'], environment);
  const url = await untilSaid(program, /"url":"(http:[^"]+)","msg":"tollgate serves"/);
  // Both are said at once. Older versions have their metrics at the public address.
  const opsUrl = /"ops":"(http:[^"]+)"/.exec(program.stdout())?.[1] ?? url;
  await until(async () => (await fetch(`${url}/readyz`)).status === 200);
  return { ...program, url, opsUrl, readyMs: performance.now() - startedAt };
}

const POLL_MS = 5;
/** Four workers on a machine that has other work to do take a minute. */
const SAID_MS = 180_000;

/** Waits for a text in what a program says, and answers its first group. */
export async function untilSaid(
  program: Program,
  pattern: RegExp,
  where: 'stdout' | 'stderr' = 'stdout',
): Promise<string> {
  let gone = false;
  void program.exited.then(() => {
    gone = true;
  });
  const deadline = performance.now() + SAID_MS;
  while (performance.now() < deadline) {
    const found = pattern.exec(program[where]())?.[1];
    if (found !== undefined) return found;
    if (gone) break;
    await sleep(POLL_MS);
  }
  program.kill('SIGKILL');
  throw new Error(`the program did not say ${pattern}:\n${program.stdout()}\n${program.stderr()}`);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Waits until something holds that comes about by itself. Only what never comes about takes the whole time,
 * so it is long: a busy machine is no failure.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 120_000,
  intervalMs = 20,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`did not come about within ${timeoutMs} ms: ${holds}`);
    await sleep(intervalMs);
  }
}

export interface Place {
  readonly folder: string;
  readonly dataDirectory: string;
  readonly catalogFile: string;
  /** For `tollgate serve` and for every command beside it. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** A folder with a catalogue and room for a data directory, and the environment that names them. */
export async function makePlace(catalog: string, simulatorUrl: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-crash-'));
  // The embedded database never runs as root: its own user must be able to pass through.
  await chmod(folder, 0o711);
  const dataDirectory = join(folder, 'data');
  const catalogFile = join(folder, 'catalog.yaml');
  await writeFile(catalogFile, catalog);
  return {
    folder,
    dataDirectory,
    catalogFile,
    environment: {
      TOLLGATE_HOST: '127.0.0.1',
      TOLLGATE_PORT: '0',
      TOLLGATE_DATA: dataDirectory,
      TOLLGATE_CATALOG: catalogFile,
      SIM: simulatorUrl,
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
