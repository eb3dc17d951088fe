import { spawn } from 'node:child_process';

/** One step of `npm test`: a program of our own dependencies, run by the Node that runs us. */
export interface Stage {
  readonly name: string;
  /** A script for process.execPath, then its arguments. The machine's own `node` may be an old one. */
  readonly command: readonly string[];
  /** Its output appears as it comes. That of others appears in one piece at their end. */
  readonly isLoud?: true;
}

export interface StageResult {
  readonly name: string;
  readonly exitCode: number;
  readonly durationMs: number;
  /** Of a stage that is not loud. */
  readonly output: string;
}

export interface StageOptions {
  readonly folder: string;
  /** For all stages together; what still runs then is ended and counts as failed. */
  readonly timeoutMs: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly print: (line: string) => void;
}

/** What a shell answers for a program that ran out of time. */
const EXIT_TIMEOUT = 124;
/** From the polite signal to the other one: time to stop the servers that tests started. */
const KILL_AFTER_MS = 10_000;

/** Runs the chains side by side, and the stages of each in order. A chain stops at a stage that fails. */
export async function runChains(
  chains: readonly (readonly Stage[])[],
  options: StageOptions,
): Promise<readonly StageResult[]> {
  const deadline = performance.now() + options.timeoutMs;
  const results = await Promise.all(chains.map((stages) => runChain(stages, options, deadline)));
  return results.flat();
}

async function runChain(
  stages: readonly Stage[],
  options: StageOptions,
  deadline: number,
): Promise<readonly StageResult[]> {
  const results: StageResult[] = [];
  for (const stage of stages) {
    if (stage.isLoud) options.print(`▶ ${stage.name}`);
    const startedMs = performance.now();
    const { exitCode, output } = await run(stage, options, deadline - startedMs);
    const durationMs = performance.now() - startedMs;
    results.push({ name: stage.name, exitCode, durationMs, output });
    const verdict = exitCode === 0 ? 'passed' : `failed with exit code ${exitCode}`;
    if (exitCode !== 0 && output !== '') options.print(output.trimEnd());
    options.print(`◼ ${stage.name} ${verdict} in ${(durationMs / 1000).toFixed(1)} s`);
    if (exitCode !== 0) break;
  }
  return results;
}

function run(
  stage: Stage,
  { folder, environment }: StageOptions,
  timeoutMs: number,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const child = spawn(process.execPath, stage.command, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: stage.isLoud ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  let late = false;
  const term = setTimeout(() => {
    late = true;
    child.kill('SIGTERM');
  }, timeoutMs);
  // A stage does not outlive the process that started it.
  const passOn = (): void => void child.kill('SIGTERM');
  process.once('SIGTERM', passOn);
  const kill = setTimeout(() => child.kill('SIGKILL'), timeoutMs + KILL_AFTER_MS);
  return new Promise((resolve) => {
    const end = (exitCode: number): void => {
      clearTimeout(term);
      clearTimeout(kill);
      process.off('SIGTERM', passOn);
      resolve({ exitCode: late ? EXIT_TIMEOUT : exitCode, output });
    };
    child.once('error', () => end(1));
    child.once('close', (code) => end(code ?? 1));
  });
}
