import { posix } from 'node:path';
import { importsOf } from './imports.ts';
import { lineAt, stringValue, walk } from './syntax.ts';
import { codeFiles, isTest, type SourceFile, type Tree } from './tree.ts';
import type { Violation } from './violation.ts';

/** Files that are started, not imported. */
export const ENTRY_POINTS = new Set([
  'src/main.ts',
  'console/main.tsx',
  'console/vite.config.ts',
  'console/build/build.ts',
  'src/cli/error-docs.ts',
  'src/cli/client-file.ts',
  'src/cli/vendor-docs.ts',
  'sim/main.ts',
  'bench/run.ts',
  'bench/ledger/run.ts',
  'bench/logs/run.ts',
  'bench/logs/console/run.ts',
  'bench/start/run.ts',
  'bench/scale/run.ts',
  'bench/scale/costs/run.ts',
  'release/run.ts',
  'test/agents/run.ts',
  'test/console/screenshots/run.ts',
  'test/run.ts',
  'test/soak/run.ts',
  'test/near.ts',
  'vitest.config.ts',
  'test/gateway/transcript.ts',
]);

/**
 * Every file of src that runs has a test: of its own, or of a file in the same part of src that uses it.
 * Types and plain values have nothing to run, and contracts are proved by their implementations.
 */
export function checkNeighbours(tree: Tree): readonly Violation[] {
  const tested = testedFiles(codeFiles(tree));
  return codeFiles(tree)
    .filter((file) => file.path.startsWith('src/') && !isTest(file.path))
    .filter((file) => !tested.has(file.path) && !file.path.endsWith('/contract.ts') && runs(file))
    .map((file) => ({
      rule: 'test-neighbour',
      path: file.path,
      line: 1,
      message: 'no test of its folder reaches it',
      reason: 'the test of a file stands beside it, or beside the one that uses it',
    }));
}

function testedFiles(files: Tree): ReadonlySet<string> {
  const tests = files.filter((file) => isTest(file.path));
  const tested = new Set(tests.map((file) => file.path.replace(/\.test\.ts$/, '.ts')));
  for (const test of tests) for (const path of reached(test)) tested.add(path);
  const uses = new Map(files.map((file) => [file.path, reached(file)]));
  // A set grows while it is walked, and what was added is walked too.
  for (const path of tested) {
    for (const used of uses.get(path) ?? []) if (partOf(used) === partOf(path)) tested.add(used);
  }
  return tested;
}

function reached(file: SourceFile): readonly string[] {
  return [...importsOf(file).map((item) => item.target ?? ''), ...namedFiles(file)];
}

/** `src/gate` of `src/gate/memory.ts`; a list of parts is a part with the folder that it lists. */
function partOf(path: string): string {
  if (path === 'src/app.ts') return 'src/app';
  return path === 'src/main.ts' ? 'src/cli' : path.split('/').slice(0, 2).join('/');
}

const RUNNING = new Set(['FunctionDeclaration', 'ClassDeclaration', 'ExpressionStatement', 'IfStatement']);

/** Statements that run, or functions and classes that can be called. */
function runs(file: SourceFile): boolean {
  let running = false;
  walk(file, (node) => {
    running ||= RUNNING.has(node.type) || node.type === 'ArrowFunctionExpression';
  });
  return running;
}

/** A file that no other file (tests aside) imports or names, and that nobody starts, is dead. */
export function checkDeadFiles(tree: Tree): readonly Violation[] {
  const used = new Set<string>();
  for (const file of codeFiles(tree)) {
    const test = isTest(file.path);
    for (const path of reached(file)) if (!test || isTest(path)) used.add(path);
  }
  return codeFiles(tree)
    .filter((file) => !file.path.endsWith('.test.ts') && !used.has(file.path) && !ENTRY_POINTS.has(file.path))
    .map((file) => ({
      rule: 'dead-files',
      path: file.path,
      line: 1,
      message: 'nothing but its test uses it',
      reason: 'code that nobody reaches is read, kept and trusted for nothing',
    }));
}

const EXPORTED =
  /^export (?:abstract )?(?:async )?(?:class|interface|type|const|function\*?) ([A-Za-z_$][\w$]*)/gm;

/** An export that no other file names, and that its own file does not use either. */
export function checkDeadDeclarations(tree: Tree): readonly Violation[] {
  const files = codeFiles(tree);
  const uses = new Map<string, number>();
  for (const { text } of files) {
    for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g)) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  return files
    .filter(({ path }) => /^(?:src|sim)\//.test(path) && !isTest(path))
    .flatMap((file) =>
      [...file.text.matchAll(EXPORTED)]
        .filter(([, name = '']) => uses.get(name) === 1)
        .map(([, name = '']) => ({
          rule: 'dead-declarations',
          path: file.path,
          line: lineAt(file, file.text.indexOf(name)),
          message: `${name} is never used`,
          reason: 'code that nobody reaches is read, kept and trusted for nothing',
        })),
    );
}

/** Programs that are started by their path: `'./worker.ts'`, `'bench/load.ts'`. */
function namedFiles(file: SourceFile): readonly string[] {
  const named: string[] = [];
  walk(file, (node) => {
    const text = stringValue(node);
    if (text === undefined || !/^[\w./-]+\.ts$/.test(text)) return;
    named.push(posix.normalize(text), posix.normalize(posix.join(posix.dirname(file.path), text)));
  });
  return named;
}
