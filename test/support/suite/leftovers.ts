import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';

const PROCESSES = '/proc';
const ROUNDS_MAX = 100;
const ROUND_MS = 50;

/**
 * Ends what was left behind in a folder whose name nobody else has: processes that work in it or have its
 * name in their environment, whoever started them, and then the folder. Where the system does not tell of
 * processes, only the folder. It waits without giving way, because a process that ends can do nothing else.
 */
export function clearFolder(folder: string): void {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const left = processesOf(folder);
    if (left.length === 0) break;
    for (const pid of left) end(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ROUND_MS);
  }
  rmSync(folder, { recursive: true, force: true });
}

export function processesOf(folder: string): readonly number[] {
  try {
    const numbers = readdirSync(PROCESSES).filter((name) => /^\d+$/.test(name));
    return numbers.map(Number).filter((pid) => pid !== process.pid && belongsTo(pid, folder));
  } catch {
    return [];
  }
}

/** What has ended meanwhile, and what is another user's, cannot be asked. */
function belongsTo(pid: number, folder: string): boolean {
  try {
    if (readlinkSync(`${PROCESSES}/${pid}/cwd`).startsWith(folder)) return true;
    return readFileSync(`${PROCESSES}/${pid}/environ`, 'latin1').includes(folder);
  } catch {
    return false;
  }
}

/** PostgreSQL gives back what it shares when it is told to quit; killed, it does not. */
function end(pid: number): void {
  try {
    const isDatabase = readFileSync(`${PROCESSES}/${pid}/comm`, 'utf8') === 'postgres\n';
    process.kill(pid, isDatabase ? 'SIGQUIT' : 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
