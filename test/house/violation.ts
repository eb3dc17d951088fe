/** One breach of one rule. The reason says what the rule protects, so that nobody has to guess. */
export interface Violation {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
  readonly reason: string;
}

export interface Exception {
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
}

export function format(violations: readonly Violation[]): string[] {
  return violations.map(
    ({ rule, path, line, message, reason }) => `${path}:${line} [${rule}] ${message}: ${reason}`,
  );
}

/** Drops what is excepted. An exception that excuses nothing is itself a violation: the list only shrinks. */
export function applyExceptions(
  violations: readonly Violation[],
  exceptions: readonly Exception[],
): readonly Violation[] {
  const key = (rule: string, path: string): string => `${rule} ${path}`;
  const excepted = new Set(exceptions.map(({ rule, path }) => key(rule, path)));
  const broken = new Set(violations.map(({ rule, path }) => key(rule, path)));
  const stale = exceptions
    .filter(({ rule, path }) => !broken.has(key(rule, path)))
    .map(({ rule, path }) => ({
      rule: 'exceptions',
      path,
      line: 1,
      message: `the exception from "${rule}" is no longer needed`,
      reason: 'the list of exceptions only shrinks: remove it',
    }));
  return [...violations.filter(({ rule, path }) => !excepted.has(key(rule, path))), ...stale];
}
