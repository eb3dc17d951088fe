/**
 * `npm run test:near`: the tests nearest to what changed since the last commit, or to the named files. A
 * changed test is run; for other files, the tests of the same part of `src` that import them, else all tests
 * that do.
 */
import { spawnSync } from 'node:child_process';
import { importsOf } from './house/imports.ts';
import { codeFiles, projectRoot, readTree } from './house/tree.ts';

function changedFiles(): readonly string[] {
  const lines = (...args: readonly string[]): readonly string[] => {
    const { stdout } = spawnSync('git', args, { cwd: projectRoot, encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line !== '');
  };
  return [...lines('diff', '--name-only', 'HEAD'), ...lines('ls-files', '--others', '--exclude-standard')];
}

const isTestFile = (path: string): boolean => path.endsWith('.test.ts');

/** `src/gate` of `src/gate/redis/gate.ts`. */
const partOf = (path: string): string => path.split('/').slice(0, 2).join('/');

export function nearestTests(changed: readonly string[], files = codeFiles(readTree())): readonly string[] {
  const tests = files.filter(({ path }) => isTestFile(path));
  const importers = (path: string): readonly string[] => {
    const all = tests.filter((test) => importsOf(test).some(({ target }) => target === path));
    const near = all.filter((test) => partOf(test.path) === partOf(path));
    return (near.length > 0 ? near : all).map((test) => test.path);
  };
  const found = changed.flatMap((path) => (isTestFile(path) ? [path] : importers(path)));
  const existing = new Set(tests.map(({ path }) => path));
  return [...new Set(found)].filter((path) => existing.has(path)).sort();
}

if (import.meta.main) {
  const named = process.argv.slice(2);
  const tests = nearestTests(named.length > 0 ? named : changedFiles());
  if (tests.length === 0) console.log('no test imports what changed');
  else {
    const args = ['node_modules/vitest/vitest.mjs', 'run', ...tests];
    process.exitCode = spawnSync(process.execPath, args, { cwd: projectRoot, stdio: 'inherit' }).status ?? 1;
  }
}
