/** Child processes of the benchmark: started, waited for, and stopped by their id. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onCore } from './cores.ts';

/** A gateway in Python loads for a while. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const PROBE_EVERY_MS = 50;
const LOG_TAIL_CHARACTERS = 600;

export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly logFile: string;
}

/** Output goes to a file in `folder`: a pipe that nobody reads would stall the child. */
export function startChild(
  command: string,
  parameters: readonly string[],
  place: {
    readonly folder: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly core?: number | undefined;
  },
): Child {
  const logFile = join(place.folder, 'output.log');
  const log = openSync(logFile, 'a');
  const options: SpawnOptions = {
    env: { ...process.env, ...place.environment },
    stdio: ['ignore', log, log],
  };
  const child = spawn(...onCore(place.core, command, parameters), options);
  if (child.pid === undefined) throw new Error(`${command} could not be started`);
  return { pid: child.pid, process: child, logFile };
}

/** Waits until `url` answers with a status that `accepts` takes. */
export async function waitForAnswer(
  child: Child,
  url: string,
  accepts: (status: number) => boolean,
): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    if (child.process.exitCode !== null) throw new Error(`ended at once: ${logTail(child)}`);
    const status = await fetch(url, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.status,
      () => 0,
    );
    if (accepts(status)) return;
    await delay(PROBE_EVERY_MS);
  }
  throw new Error(`not ready after ${START_TIMEOUT_MS} ms: ${logTail(child)}`);
}

export function logTail(child: Child): string {
  return readFileSync(child.logFile, 'utf8').slice(-LOG_TAIL_CHARACTERS).trim();
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const outcome = await Promise.race([ended, delay(STOP_TIMEOUT_MS, 'late' as const, { ref: false })]);
  if (outcome !== 'late') return;
  child.kill('SIGKILL');
  await ended;
}

/** Runs a command to its end and answers what it printed; a failure carries its last words. */
export async function runCommand(
  command: string,
  parameters: readonly string[],
  place: { readonly cwd?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const child = spawn(command, parameters, {
    cwd: place.cwd,
    env: { ...process.env, ...place.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let complaints = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    complaints = (complaints + data).slice(-LOG_TAIL_CHARACTERS);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${complaints.trim()}`);
  return output;
}

/** A port that was free a moment ago; the targets cannot tell us which one they took. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a listening server has an address');
  return address.port;
}
