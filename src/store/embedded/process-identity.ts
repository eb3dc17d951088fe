import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { LOCK_FILE_BYTES_MAX } from '../../bounds.ts';
import { parseJson } from '../../kernel/encoding/json.ts';
import { count, Misfit, objectWith, orElse, text } from '../../kernel/encoding/reader.ts';

/**
 * The identity of a process. Its number is not enough, because numbers are reused, also in containers.
 * `started` is the boot and the clock tick of its start, or empty on systems without /proc.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
  /** The namespace of the number. Empty on systems without namespaces, and in files of older versions. */
  readonly namespace: string;
  /** Empty whenever the namespace is. */
  readonly host: string;
}

/**
 * The state of a process, seen from here. In another namespace its number is different, and
 * on another machine it is invisible. There only the process itself can show that it is alive.
 */
export type ProcessState = 'alive' | 'dead' | 'other-namespace' | 'other-machine';

export function thisProcess(): ProcessIdentity {
  const namespace = findNamespace();
  const host = namespace === '' ? '' : hostname();
  return { pid: process.pid, started: findStart(process.pid) ?? '', namespace, host };
}

export function judge(identity: ProcessIdentity, own = thisProcess()): ProcessState {
  if (identity.namespace !== '') {
    const boot = readBootId(identity);
    const isSameKernel = boot !== '' && boot === readBootId(own);
    if (isSameKernel && identity.namespace !== own.namespace) return 'other-namespace';
    // The same name with another boot is the same machine after a reboot: its processes are gone.
    if (!isSameKernel && identity.host !== own.host) return 'other-machine';
  }
  return runsHere(identity) ? 'alive' : 'dead';
}

export function isAlive(identity: ProcessIdentity): boolean {
  return judge(identity) === 'alive';
}

function runsHere(identity: ProcessIdentity): boolean {
  if (!hasProcess(identity.pid)) return false;
  const started = findStart(identity.pid);
  if (started === undefined) return !hasProcFileSystem();
  return identity.started === '' || started === identity.started;
}

/** Parses the identity from its JSON text; undefined if it is something else. */
export function parseIdentity(json: string): ProcessIdentity | undefined {
  const result = parseJson(json, { bytesMax: LOCK_FILE_BYTES_MAX, depthMax: 1 });
  if (result.kind !== 'parsed') return undefined;
  const identity = readIdentity(result.value);
  return identity instanceof Misfit || identity.pid < 1 ? undefined : identity;
}

const readIdentity = objectWith<ProcessIdentity>({
  pid: count,
  started: text,
  namespace: orElse(text, ''),
  host: orElse(text, ''),
});

export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Does not read the file, because the guard of the embedded database calls it four times a second. */
export function hasProcFileSystem(): boolean {
  return existsSync('/proc/self/stat');
}

/** Undefined for a process that is gone, or a zombie, which is dead but not yet collected. */
function findStart(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name is in brackets and may contain anything, including spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const ticks = fields[19];
  if (state === 'Z' || state === 'X' || ticks === undefined) return undefined;
  return `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${ticks}`;
}

function readBootId({ started }: ProcessIdentity): string {
  return started.slice(0, Math.max(0, started.lastIndexOf(':')));
}

function findNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
