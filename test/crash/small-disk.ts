import { execFileSync } from 'node:child_process';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Need } from '../needs.ts';

/** A file system of its own, in memory, so that a disk can be full without being the machine's. */
export function mount(directory: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', directory], { stdio: 'ignore' });
}

export function unmount(directory: string): void {
  execFileSync('umount', [directory], { stdio: 'ignore' });
}

export const SMALL_DISK: Need = {
  name: 'a disk of its own',
  isMet: await tryToMount(),
  how: 'run as root where a tmpfs may be mounted',
};

async function tryToMount(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-mount-'));
  try {
    mount(directory, '4m');
    unmount(directory);
    return true;
  } catch {
    return false;
  } finally {
    await rmdir(directory);
  }
}
