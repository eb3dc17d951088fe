import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import { projectRoot } from '../../house/tree.ts';
import type { Need } from '../../needs.ts';
import { type Failure, groupSkipped, linesOf, type Report } from '../../report.ts';

/** Names the file that gets the report, if somebody else prints it. */
export const REPORT_FILE = 'TEST_REPORT_FILE';
const NO_REASON: Need = { name: 'a reason', isMet: false, how: 'say what they need with needs()' };

/** Adds to the log of a run what a person looks for at its end. */
export default class EndReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message?: string }[]): void {
    const report = reportOf(modules, unhandled);
    const { [REPORT_FILE]: file } = process.env;
    if (file !== undefined) writeFileSync(file, JSON.stringify(report));
    else for (const line of linesOf(report)) console.log(line);
  }
}

function reportOf(modules: readonly TestModule[], unhandled: readonly { message?: string }[]): Report {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const skipped = tests.filter((test) => test.result().state === 'skipped' && !isFiltered(test));
  return {
    tests: tests.length,
    files: modules.length,
    failures: [
      ...modules.flatMap(failuresOf),
      ...unhandled.map(({ message = '' }) => ({ file: 'a promise without an await', why: message })),
    ],
    skippedTests: skipped.length,
    skipped: groupSkipped(skipped.map(missingOf)),
    retried: tests.filter((test) => test.diagnostic()?.flaky).map(failureOf),
    times: modules
      .map((module) => ({ file: fileOf(module), ms: timeOf(module) }))
      .sort((one, other) => other.ms - one.ms),
  };
}

const fileOf = ({ moduleId }: TestModule): string => relative(projectRoot, moduleId);

function timeOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return duration + collectDuration + setupDuration;
}

/** Left out by `-t`, not by a need. */
const isFiltered = ({ options }: TestCase): boolean => options.mode === 'run';

function missingOf(test: TestCase): readonly Need[] {
  for (let task: TestCase | TestSuite | TestModule = test; task.type !== 'module'; task = task.parent) {
    const { missing = [] } = task.meta();
    if (missing.length > 0) return missing;
  }
  return [NO_REASON];
}

function failuresOf(module: TestModule): readonly Failure[] {
  const file = fileOf(module);
  const suites = [...module.children.allSuites()];
  const errors = [...module.errors(), ...suites.flatMap((suite) => suite.errors())];
  const broken = errors.map(({ message }) => ({ file, why: stripVTControlCharacters(message) }));
  const failed = [...module.children.allTests()].filter((test) => test.result().state === 'failed');
  return [...broken, ...failed.map(failureOf)];
}

function failureOf(test: TestCase): Failure {
  const { errors = [] } = test.result();
  const why = errors.map(({ message }) => stripVTControlCharacters(message)).join('\n');
  return { file: fileOf(test.module), test: test.fullName.replaceAll(' > ', ' '), why };
}
