/** Gateways that no registry has: a program that somebody built, in a folder that a variable names. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, logTail, runCommand, startChild, stopChild, waitForAnswer } from '../child.ts';
import type { Place, Preparation } from '../target.ts';

export interface Built {
  /** The variable that names the folder. */
  readonly variable: string;
  readonly program: string;
  readonly versionFlags: readonly string[];
}

export function programOf({ variable, program }: Built): string {
  return join(process.env[variable] ?? '', program);
}

export async function prepareBuilt(built: Built): Promise<Preparation> {
  const { variable, program, versionFlags } = built;
  if ((process.env[variable] ?? '') === '') {
    return { kind: 'left-out', reason: `${variable} names no folder with the program "${program}"` };
  }
  const path = programOf(built);
  if (!existsSync(path))
    return { kind: 'left-out', reason: `there is no "${program}" in the folder of ${variable}` };
  // What is not said by the program is said by its builder.
  const stated = process.env[`${variable}_VERSION`];
  const printed = await runCommand(path, versionFlags).catch(() => '');
  return { kind: 'ready', version: stated ?? (printed.trim().split('\n').at(-1) || 'unknown version') };
}

export interface BuiltStart {
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly readyPath: string;
}

export async function startBuilt(built: Built, place: Place, start: BuiltStart): Promise<Child> {
  const child = startChild(programOf(built), start.parameters, { ...place, environment: start.environment });
  try {
    await waitForAnswer(
      child,
      `http://127.0.0.1:${place.port}${start.readyPath}`,
      (status) => status === 200,
    );
    return child;
  } catch (error) {
    const words = `${error instanceof Error ? error.message : error}; ${logTail(child)}`;
    await stopChild(child.process);
    throw new Error(words);
  }
}
