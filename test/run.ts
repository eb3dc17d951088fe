/**
 * `npm test`: prerequisites, types, style, then all tests but the long ones, which `npm run prove -- --small`
 * runs. Further arguments go to the test runner, which then runs whatever they name.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './house/tree.ts';
import { installWithApt, nodeProblem, provide, SYSTEM_PROGRAMS, sharedFolder } from './prerequisites.ts';
import { runStages, type Stage } from './stages.ts';

/** The whole of it, on a machine that has much else to do: a suite that hangs is ended. */
const TIMEOUT_MS = 75 * 60_000;

const print = (line: string): void => console.log(line);

function stages(reportFile: string, vitestArguments: readonly string[]): readonly Stage[] {
  const tool = (path: string, ...rest: readonly string[]): readonly string[] => [
    join('node_modules', path),
    ...rest,
  ];
  const chosen =
    vitestArguments.length === 0
      ? ['--project', 'system', '--project', 'unit', '--project', 'console']
      : vitestArguments;
  // What did not change since the last run is not looked at again.
  const known = (name: string): readonly string[] => [
    '--incremental',
    ...['--tsBuildInfoFile', join('node_modules', '.cache', `${name}.tsbuildinfo`)],
  ];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  return [
    { name: 'console', command: ['console/build/build.ts'] },
    { name: 'types', command: tool('typescript/bin/tsc', '--noEmit', ...known('types')) },
    {
      name: 'types of the console',
      command: tool('typescript/bin/tsc', '-p', 'console', ...known('console')),
    },
    {
      name: 'types of its tests',
      command: tool('typescript/bin/tsc', '-p', 'test/console', ...known('console-tests')),
    },
    { name: 'style', command: tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.') },
    { name: 'tests', command: tool('vitest/vitest.mjs', 'run', ...reporters, ...chosen) },
  ];
}

function skippedTests(reportFile: string): number {
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as { readonly numPendingTests: number };
  return report.numPendingTests;
}

async function main(): Promise<number> {
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const problem = nodeProblem(process.versions.node, manifest.engines.node);
  if (problem !== undefined) {
    print(problem);
    return 1;
  }
  for (const line of provide(SYSTEM_PROGRAMS, installWithApt)) print(line);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-report-'));
  try {
    const reportFile = join(folder, 'tests.json');
    const options = { folder: projectRoot, timeoutMs: TIMEOUT_MS, print };
    const results = await runStages(stages(reportFile, process.argv.slice(2)), options);
    const failed = results.find(({ exitCode }) => exitCode !== 0);
    if (failed === undefined && sharedFolder === undefined) {
      print(`recordings not present, ${skippedTests(reportFile)} tests skipped`);
    }
    const seconds = results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
    print(`${failed === undefined ? 'all passed' : `${failed.name} failed`} after ${seconds.toFixed(1)} s`);
    return failed?.exitCode ?? 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
