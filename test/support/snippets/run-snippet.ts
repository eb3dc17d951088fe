import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Ended, runProgram } from '../../agents/program.ts';

/** A piece of a snippet as a person copies it: into a terminal or into a file. */
export interface Block {
  readonly place: string;
  readonly code: string;
}

export interface SnippetPlace {
  /** Holds the programs that the snippet starts, before those of the system. */
  readonly programs: readonly string[];
  /** Holds the libraries that the snippet imports. */
  readonly libraries?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** What installs from a registry is installed already: these take the command and do nothing. */
const INSTALLERS = ['npm', 'pip'];

/** Does with a snippet what a person does: writes its files and types its commands, in an empty folder. */
export async function runSnippet(blocks: readonly Block[], place: SnippetPlace): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-snippet-'));
  try {
    const stubs = join(folder, 'bin');
    const work = join(folder, 'work');
    await Promise.all([mkdir(stubs), mkdir(work)]);
    for (const name of INSTALLERS) {
      await writeFile(join(stubs, name), '#!/bin/sh\n[ "$1" = install ]\n');
      await chmod(join(stubs, name), 0o755);
    }
    if (place.libraries !== undefined) await symlink(place.libraries, join(work, 'node_modules'));
    for (const { place: file, code } of blocks.filter(({ place }) => place !== 'terminal')) {
      const path = file.startsWith('~/') ? join(folder, file.slice(2)) : join(work, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, code);
    }
    const commands = blocks.filter(({ place }) => place === 'terminal').map(({ code }) => code);
    const path = [stubs, ...place.programs, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
    return await runProgram('/bin/bash', ['-ec', commands.join('\n')], {
      folder: work,
      environment: { HOME: folder, PATH: path.join(':'), ...place.environment },
      signal: place.signal,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
