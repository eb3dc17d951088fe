import { describe, expect, it } from 'vitest';
import { checkBans } from './house/bans.ts';
import { checkBoundaries } from './house/boundaries.ts';
import { EXCEPTIONS, EXCEPTIONS_MAX } from './house/exceptions.ts';
import { checkHomes } from './house/homes.ts';
import { checkDeadDeclarations, checkDeadFiles, checkNeighbours } from './house/neighbours.ts';
import { checkSizes } from './house/tidy.ts';
import { readTree, type Tree } from './house/tree.ts';
import { applyExceptions, format, type Violation } from './house/violation.ts';

/** Parsed once: that costs more than all rules together. */
const tree = readTree();

function broken(check: (tree: Tree) => readonly Violation[], rules: readonly string[]): string[] {
  const exceptions = EXCEPTIONS.filter(({ rule }) => rules.includes(rule));
  return format(applyExceptions(check(tree), exceptions));
}

describe('the layout', () => {
  it('is imported only in the directions that ARCHITECTURE.md allows, and without cycles', () => {
    expect(broken(checkBoundaries, ['imports', 'cycles'])).toEqual([]);
  });

  it('gives environment, time, randomness, SQL, sockets, processes and money one home each', () => {
    const rules = ['islands', 'environment', 'time', 'randomness', 'sql', 'sockets', 'processes', 'money'];
    expect(broken(checkHomes, rules)).toEqual([]);
  });
});

describe('the source tree', () => {
  it('keeps folders, files, functions, parameter lists and lines short', () => {
    const rules = ['file-length', 'line-length', 'function-length', 'parameters', 'boolean-parameters'];
    rules.push('folder-size');
    expect(broken(checkSizes, rules)).toEqual([]);
  });

  it('uses no banned name, call or word', () => {
    const rules = ['console', 'json-parse', 'built-regexp', 'parse-float', 'exit', 'evaluate', 'names'];
    rules.push('lent-fields');
    rules.push('test-switches', 'markers', 'silencers', 'machine-paths', 'lock');
    expect(broken(checkBans, rules)).toEqual([]);
  });

  it('has a test beside every file that runs', () => {
    expect(broken(checkNeighbours, ['test-neighbour'])).toEqual([]);
  });

  it('has no unused file', () => {
    expect(broken(checkDeadFiles, ['dead-files'])).toEqual([]);
  });

  it('has no unused declaration', () => {
    expect(broken(checkDeadDeclarations, ['dead-declarations'])).toEqual([]);
  });

  it('has fewer exceptions over time, never more', () => {
    expect(EXCEPTIONS.length).toBeLessThanOrEqual(EXCEPTIONS_MAX);
    for (const { reason } of EXCEPTIONS) expect(reason.length).toBeGreaterThan(15);
  });
});
