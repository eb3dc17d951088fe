import { type ChildProcess, spawn } from 'node:child_process';

/** How a program ended and what it printed, cut to what a person can read. */
export interface Ended {
  /** `undefined`: it did not end by itself. */
  readonly exitCode: number | undefined;
  readonly printed: string;
  readonly complained: string;
}

export interface Place {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** When it is aborted the program is killed, with everything it has started. */
  readonly signal: AbortSignal;
}

const OUTPUT_CHARACTERS_MAX = 4 * 1024 * 1024;

export function runProgram(command: string, parameters: readonly string[], place: Place): Promise<Ended> {
  const { folder: cwd, environment, signal } = place;
  // It leads a group of its own, because an agent's tools are programs too.
  const options = { cwd, env: { ...environment }, detached: true };
  const child = spawn(command, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  const printed = collect(child.stdout);
  const complained = collect(child.stderr);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', kill);
      const exitCode = signal.aborted ? undefined : (code ?? undefined);
      resolve({ exitCode, printed: printed(), complained: complained() });
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended in this very moment.
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    if (text.length < OUTPUT_CHARACTERS_MAX) text += piece;
  });
  return () => text;
}
