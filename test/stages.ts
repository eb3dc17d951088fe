import { spawn } from 'node:child_process';

/** One step of `npm test`: a program of our own dependencies, run by the Node that runs us. */
export interface Stage {
  readonly name: string;
  /** A script for process.execPath, then its arguments. The machine's own `node` may be an old one. */
  readonly command: readonly string[];
}

export interface StageResult {
  readonly name: string;
  readonly exitCode: number;
  readonly durationMs: number;
}

export interface StageOptions {
  readonly folder: string;
  /** For all stages together; what still runs then is ended and counts as failed. */
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
}

/** What a shell answers for a program that ran out of time. */
const EXIT_TIMEOUT = 124;
/** From the polite signal to the other one: time to stop the servers that tests started. */
const KILL_AFTER_MS = 10_000;

/** Runs the stages in order and stops after the first that fails. */
export async function runStages(
  stages: readonly Stage[],
  options: StageOptions,
): Promise<readonly StageResult[]> {
  const deadline = performance.now() + options.timeoutMs;
  const results: StageResult[] = [];
  for (const stage of stages) {
    options.print(`\n▶ ${stage.name}`);
    const startedMs = performance.now();
    const exitCode = await run(stage, options.folder, deadline - startedMs);
    const durationMs = performance.now() - startedMs;
    results.push({ name: stage.name, exitCode, durationMs });
    const verdict = exitCode === 0 ? 'passed' : `failed with exit code ${exitCode}`;
    options.print(`◼ ${stage.name} ${verdict} in ${(durationMs / 1000).toFixed(1)} s`);
    if (exitCode !== 0) break;
  }
  return results;
}

function run(stage: Stage, folder: string, timeoutMs: number): Promise<number> {
  const child = spawn(process.execPath, stage.command, { cwd: folder, stdio: 'inherit' });
  let late = false;
  const term = setTimeout(() => {
    late = true;
    child.kill('SIGTERM');
  }, timeoutMs);
  const kill = setTimeout(() => child.kill('SIGKILL'), timeoutMs + KILL_AFTER_MS);
  return new Promise((resolve) => {
    const end = (exitCode: number): void => {
      clearTimeout(term);
      clearTimeout(kill);
      resolve(late ? EXIT_TIMEOUT : exitCode);
    };
    child.once('error', () => end(1));
    child.once('exit', (code) => end(code ?? 1));
  });
}
