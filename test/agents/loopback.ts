import { spawnSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';

/** Nothing but this machine's own loopback can be reached. */
export function isLoopbackOnly(): boolean {
  return Object.values(networkInterfaces()).every((each) => each?.every(({ internal }) => internal));
}

/**
 * Runs this script again in a network namespace that has nothing but loopback, and answers its exit code;
 * a text says why that cannot be done.
 */
export function runInLoopback(script: string, parameters: readonly string[]): number | string {
  const inside = 'ip link set lo up && exec "$0" "$@"';
  const command = ['-n', 'sh', '-c', inside, process.execPath, script, ...parameters];
  if (process.getuid?.() !== 0) return 'only root may make a network namespace (try sudo)';
  const { error, status } = spawnSync('unshare', command, { stdio: 'inherit' });
  if (error !== undefined) return `unshare could not be started: ${error.message}`;
  return status ?? 1;
}
