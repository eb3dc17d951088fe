import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONSOLE_BUILT } from '../../src/console/sources.ts';

interface Chunk {
  readonly file: string;
  /** Names of chunks that it cannot run without. */
  readonly imports?: readonly string[];
}

const manifest = JSON.parse(readFileSync(join(CONSOLE_BUILT, '.vite', 'manifest.json'), 'utf8')) as Readonly<
  Record<string, Chunk>
>;

/** The gzipped size of all scripts that these sources cannot run without. */
function scriptBytes(...sources: readonly string[]): number {
  const needed = new Set(sources);
  // A set grows while it is walked, and what was added is walked too.
  for (const name of needed) for (const each of manifest[name]?.imports ?? []) needed.add(each);
  return [...needed].reduce((sum, name) => {
    const file = manifest[name]?.file;
    if (file === undefined) throw new Error(`the build has no ${name}`);
    return sum + statSync(join(CONSOLE_BUILT, `${file}.gz`)).size;
  }, 0);
}

const KIB = 1024;
const SHELL = 'app/shell/user-shell.tsx';

test.each([
  ['the sign-in page', 136, ['places/signin/signin.tsx']],
  ['the overview of a user', 150, [SHELL, 'places/overview/overview.tsx']],
  ['the start of a user', 150, [SHELL, 'places/start/start.tsx']],
])('%s works with at most %d KiB of gzipped scripts', (page, kib, sources) => {
  const bytes = scriptBytes('index.html', ...sources);
  console.log(`${page}: ${(bytes / KIB).toFixed(1)} KiB of gzipped scripts`);
  expect(bytes).toBeLessThanOrEqual(kib * KIB);
  expect(bytes).toBeGreaterThan(100 * KIB);
});
