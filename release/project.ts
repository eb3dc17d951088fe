import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const projectRoot = join(import.meta.dirname, '..');

/** What a release needs of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly exports?: unknown;
  readonly engines?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The manifest in a folder of the project. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8')) as Manifest;
}
