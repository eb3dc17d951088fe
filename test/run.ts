/**
 * `npm test`: installs what is missing, then runs all tests but the long ones beside the checks of types and
 * style. `npm run prove -- --small` runs the long ones. Further arguments go to the test runner, which then
 * runs whatever they name, without the checks.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './house/tree.ts';
import { installWithApt, nodeProblem, provide, SYSTEM_PROGRAMS } from './prerequisites.ts';
import { linesOf, type Report } from './report.ts';
import { runChains, type Stage, type StageResult } from './stages.ts';
import { REPORT_FILE } from './support/suite/reporter.ts';

/** The whole of it, on a machine that has much else to do: a suite that hangs is ended. */
const TIMEOUT_MS = 75 * 60_000;
const PROJECTS = ['alone', 'console', 'shared'];

const print = (line: string): void => console.log(line);

const tool = (path: string, ...rest: readonly string[]): readonly string[] => [
  join('node_modules', path),
  ...rest,
];

const BUILD: Stage = { name: 'console', command: ['console/build/build.ts'] };

/** What did not change since the last run is not looked at again. */
const types = (name: string, cache: string, ...options: readonly string[]): Stage => ({
  name,
  command: tool(
    'typescript/bin/tsc',
    ...[
      '--noEmit',
      '--incremental',
      '--tsBuildInfoFile',
      join('node_modules', '.cache', `${cache}.tsbuildinfo`),
    ],
    ...options,
  ),
});

const CHECKS: readonly Stage[] = [
  types('types', 'types'),
  types('types of the console', 'console', '-p', 'console'),
  types('types of its tests', 'console-tests', '-p', 'test/console'),
  { name: 'style', command: tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.') },
];

function tests(chosen: readonly string[]): Stage {
  const projects = chosen.length > 0 ? [] : PROJECTS.flatMap((name) => ['--project', name]);
  return { name: 'tests', command: tool('vitest/vitest.mjs', 'run', ...projects, ...chosen), isLoud: true };
}

async function runAll(chosen: readonly string[], reportFile: string): Promise<readonly StageResult[]> {
  const startedMs = performance.now();
  const environment = { [REPORT_FILE]: reportFile };
  const options = { folder: projectRoot, timeoutMs: TIMEOUT_MS, environment, print };
  const built = await runChains([[BUILD]], options);
  if (built.some(({ exitCode }) => exitCode !== 0)) return built;
  const timeoutMs = TIMEOUT_MS - (performance.now() - startedMs);
  const chains = [[tests(chosen)], ...(chosen.length > 0 ? [] : [CHECKS])];
  return [...built, ...(await runChains(chains, { ...options, timeoutMs }))];
}

/** The report of the tests, then the stages: what failed stands last. */
function printEnd(results: readonly StageResult[], reportFile: string, totalMs: number): void {
  const report = readReport(reportFile);
  if (report !== undefined) for (const line of linesOf(report)) print(line);
  const failed = results.filter(({ exitCode }) => exitCode !== 0);
  for (const { name, output } of failed) if (output !== '') print(`\n✗ ${name}\n${output.trimEnd()}`);
  const times = results.map(({ name, durationMs }) => `${name} ${(durationMs / 1000).toFixed(1)} s`);
  print(`\n${times.join(', ')}`);
  if (report !== undefined) print(countsOf(report));
  const verdict =
    failed.length === 0 ? 'All passed' : `Failed: ${failed.map(({ name }) => name).join(', ')},`;
  print(`${verdict} after ${(totalMs / 1000).toFixed(1)} s`);
}

function countsOf({ tests: all, failures, skippedTests }: Report): string {
  const failed = failures.filter(({ test }) => test !== undefined).length;
  return `${all - failed - skippedTests} passed, ${failures.length} failed, ${skippedTests} skipped`;
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
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
  const startedMs = performance.now();
  for (const line of provide(SYSTEM_PROGRAMS, installWithApt)) print(line);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-report-'));
  try {
    const reportFile = join(folder, 'tests.json');
    const results = await runAll(process.argv.slice(2), reportFile);
    printEnd(results, reportFile, performance.now() - startedMs);
    return results.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
