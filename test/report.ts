import type { Need } from './needs.ts';

/** What a person needs of a run of the tests, without its log. */
export interface Report {
  readonly tests: number;
  readonly files: number;
  readonly failures: readonly Failure[];
  /** Tests that were skipped. One that lacks two things is in two of the groups below. */
  readonly skippedTests: number;
  readonly skipped: readonly Skipped[];
  /** Tests of the browser that passed at their second try, with why the first failed. */
  readonly retried: readonly Failure[];
  /** All files, the slowest first. */
  readonly times: readonly FileTime[];
}

export interface Failure {
  readonly file: string;
  /** Nothing: the file itself failed, for example because it does not load. */
  readonly test?: string;
  readonly why: string;
}

/** Tests that were skipped because the machine lacks something. */
export interface Skipped extends Need {
  readonly tests: number;
}

export interface FileTime {
  readonly file: string;
  readonly ms: number;
}

const SLOWEST_MAX = 20;
/** A failure is named with its first lines; the log above has all of it. */
const FAILURES_MAX = 20;
const WHY_LINES_MAX = 12;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`.padStart(8);
const indented = (text: string): string => text.replaceAll(/^/gm, '    ');
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The last lines of a run: what it cost, what it left out, and what failed. */
export function linesOf(report: Report): readonly string[] {
  const { times, skipped, retried, failures } = report;
  const lines = [
    '',
    `The ${Math.min(SLOWEST_MAX, times.length)} slowest of ${report.files} files:`,
    ...times.slice(0, SLOWEST_MAX).map(({ file, ms }) => `${seconds(ms)}  ${file}`),
  ];
  if (retried.length > 0) {
    lines.push('', `Passed at the second try: ${retried.length}`);
    for (const failure of retried.slice(0, FAILURES_MAX)) lines.push(...linesOfFailure(failure));
  }
  for (const { name, how, tests } of skipped) lines.push('', `Skipped ${tests}, without ${name}: ${how}`);
  for (const failure of failures.slice(0, FAILURES_MAX)) lines.push('', ...linesOfFailure(failure));
  if (failures.length > FAILURES_MAX)
    lines.push('', `… and ${failures.length - FAILURES_MAX} more failures in the log above`);
  return lines;
}

function linesOfFailure({ file, test, why }: Failure): readonly string[] {
  const only = test === undefined ? '' : ` -t ${quoted(test)}`;
  return [
    `✗ ${file}${test === undefined ? '' : ` > ${test}`}`,
    indented(why.split('\n').slice(0, WHY_LINES_MAX).join('\n')),
    `    alone: npm test -- ${file}${only}`,
  ];
}

/** Skipped tests by what they lack; tests that lack the same are one line. */
export function groupSkipped(lacking: readonly (readonly Need[])[]): readonly Skipped[] {
  const found = new Map<string, Skipped>();
  for (const needs of lacking) {
    for (const need of needs) {
      const { tests = 0 } = found.get(need.name) ?? {};
      found.set(need.name, { ...need, tests: tests + 1 });
    }
  }
  return [...found.values()];
}
