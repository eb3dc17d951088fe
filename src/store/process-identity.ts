import { existsSync, readFileSync } from 'node:fs';
import { LOCK_FILE_BYTES_MAX } from '../bounds.ts';
import { isJsonObject, parseJson } from '../kernel/json.ts';

/**
 * Which process it is, not only its number: numbers are used again, after a reboot and in every container.
 * `started` is the boot and the clock tick of its start, or empty where the system does not tell (no /proc).
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: findStart(process.pid) ?? '' };
}

export function isAlive(identity: ProcessIdentity): boolean {
  if (!hasProcess(identity.pid)) return false;
  const started = findStart(identity.pid);
  if (started === undefined) return !hasProcFileSystem();
  return identity.started === '' || started === identity.started;
}

/** Reads the identity back from a JSON text of ours; nothing when it is something else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const result = parseJson(text, { bytesMax: LOCK_FILE_BYTES_MAX, depthMax: 1 });
  if (result.kind !== 'parsed' || !isJsonObject(result.value)) return undefined;
  const { pid, started } = result.value;
  if (!Number.isSafeInteger(pid) || (pid as number) < 1 || typeof started !== 'string') return undefined;
  return { pid: pid as number, started };
}

export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Asked four times a second by who guards the embedded database: reading it costs ten times as much. */
export function hasProcFileSystem(): boolean {
  return existsSync('/proc/self/stat');
}

/** Nothing for a process that is gone, or is a zombie: dead, and only not yet collected by its parent. */
function findStart(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name stands in brackets and may hold anything, spaces and brackets too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const ticks = fields[19];
  if (state === 'Z' || state === 'X' || ticks === undefined) return undefined;
  return `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${ticks}`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
