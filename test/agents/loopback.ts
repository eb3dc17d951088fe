import { spawn } from 'node:child_process';
import { networkInterfaces } from 'node:os';

/** Nothing but this machine's own loopback can be reached. */
export function isLoopbackOnly(): boolean {
  return Object.values(networkInterfaces()).every((each) => each?.every(({ internal }) => internal));
}

const BRING_UP = 'ip link set lo up && exec "$0" "$@"';

/**
 * Runs a script in a network namespace that has nothing but loopback, and answers its exit code; a text says
 * why that cannot be done.
 */
export function runInLoopback(script: string, parameters: readonly string[]): Promise<number | string> {
  if (process.getuid?.() !== 0) return Promise.resolve('only root may make a network namespace');
  const command = ['-n', 'sh', '-c', BRING_UP, process.execPath, script, ...parameters];
  const child = spawn('unshare', command, { stdio: 'inherit' });
  // Else whoever stops us would leave the agents and the database behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`unshare could not be started: ${error.message}`));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
