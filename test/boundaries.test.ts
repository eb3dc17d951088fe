import { describe, expect, it } from 'vitest';
import { checkBoundaries } from './house/boundaries.ts';
import { EXCEPTIONS } from './house/exceptions.ts';
import { checkHomes } from './house/homes.ts';
import { readTree } from './house/tree.ts';
import { applyExceptions, format } from './house/violation.ts';

const BOUNDARY_RULES = new Set(['imports', 'cycles', 'islands', 'environment', 'time', 'randomness', 'sql']);
for (const rule of ['sockets', 'processes', 'money']) BOUNDARY_RULES.add(rule);

describe('the layout', () => {
  const tree = readTree();
  const exceptions = EXCEPTIONS.filter(({ rule }) => BOUNDARY_RULES.has(rule));

  it('is imported only in the directions that ARCHITECTURE.md allows, and without cycles', () => {
    const own = exceptions.filter(({ rule }) => rule === 'imports' || rule === 'cycles');
    expect(format(applyExceptions(checkBoundaries(tree), own))).toEqual([]);
  });

  it('gives environment, time, randomness, SQL, sockets, processes and money one home each', () => {
    const own = exceptions.filter(({ rule }) => rule !== 'imports' && rule !== 'cycles');
    expect(format(applyExceptions(checkHomes(tree), own))).toEqual([]);
  });
});
