import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../src/operations/table.ts';
import { lineAt, walk } from './house/syntax.ts';
import { codeFiles, isTest, readTree, type Tree, treeOf } from './house/tree.ts';
import { processorMs } from './support/cost.ts';

interface Pattern {
  readonly place: string;
  readonly pattern: RegExp;
}

/** What a slow pattern needs is length and a tail that does not match: `/\s+$/` takes seconds on this. */
const ATTACK_LENGTH = 20_000;
/** A linear pattern takes well under one; a quadratic one takes thousands. */
const TIME_MS_MAX = 150;
const TRIES_MAX = 3;
const CERTAINLY_SLOW_MS = 4 * TIME_MS_MAX;
const PIECES = [
  'a',
  'A',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '0',
  '/',
  '-',
  '_',
  '.',
  ',',
  ':',
  '"',
  '\\',
  '{',
  '<',
  '%',
  'é',
];
const TAILS = ['', '!', '\u0000'];

function patternsOf(tree: Tree): Pattern[] {
  const found: Pattern[] = [];
  for (const file of codeFiles(tree)) {
    if (!file.path.startsWith('src/') || isTest(file.path)) continue;
    walk(file, (node) => {
      const literal = node.regex as { readonly pattern: string; readonly flags: string } | undefined;
      if (node.type !== 'Literal' || literal === undefined) return;
      // A sticky one looks at one place only; each try of it begins at the front.
      const flags = literal.flags.replace('g', '');
      found.push({
        place: `${file.path}:${lineAt(file, node.start)}`,
        pattern: new RegExp(literal.pattern, flags),
      });
    });
  }
  return found;
}

/** Those of schemas are texts, which the tree does not show to be patterns; each stands in many rows. */
function schemaPatterns(node: unknown, place: string): Pattern[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, child]: [string, unknown]) =>
    key === 'pattern' && typeof child === 'string'
      ? [{ place, pattern: new RegExp(child, 'u') }]
      : schemaPatterns(child, `${place}.${key}`),
  );
}

function rowPatterns(): Pattern[] {
  const found = OPERATIONS.flatMap(({ name, params, query, body, data }) =>
    schemaPatterns({ params, query, body, data }, name),
  );
  return [...new Map(found.map((one) => [one.pattern.source, one])).values()];
}

/** Plain repetitions, and repetitions behind whatever the pattern begins with in words. */
function attacks(pattern: RegExp): string[] {
  const words = pattern.source.match(/^\^?([A-Za-z_-]+)/)?.[1] ?? '';
  const repeated = PIECES.map((piece) => words + piece.repeat(ATTACK_LENGTH / piece.length));
  return repeated.flatMap((text) => TAILS.map((tail) => text + tail));
}

function slowPatterns(patterns: readonly Pattern[]): string[] {
  return patterns
    .filter(({ pattern }) => attacks(pattern).some((text) => timeMs(pattern, text) > TIME_MS_MAX))
    .map(({ place, pattern }) => `${place} ${pattern}`);
}

/**
 * The best of a few tries: any single one may count what the process does beside it. Far beyond the limit
 * there is no doubt.
 */
function timeMs(pattern: RegExp, text: string): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES_MAX && bestMs > TIME_MS_MAX; tries++) {
    pattern.lastIndex = 0;
    const startedMs = processorMs();
    pattern.test(text);
    const tookMs = processorMs() - startedMs;
    if (tookMs > CERTAINLY_SLOW_MS) return tookMs;
    bestMs = Math.min(bestMs, tookMs);
  }
  return bestMs;
}

describe('patterns over foreign text', () => {
  it('end soon on adversarial text', () => {
    expect(slowPatterns(patternsOf(readTree()))).toEqual([]);
  });

  it('of the rows end soon too', () => {
    const patterns = rowPatterns();
    expect(patterns.length).toBeGreaterThan(10);
    expect(slowPatterns(patterns)).toEqual([]);
  });

  it('that are slow are found', () => {
    const tree = treeOf({ 'src/a.ts': 'const trim = /\\s+$/;', 'src/b.ts': 'const key = /^\\w{1,64}$/;' });
    expect(slowPatterns(patternsOf(tree))).toEqual(['src/a.ts:1 /\\s+$/']);
    const nested = schemaPatterns({ body: { properties: { a: { pattern: '\\s+$' } } } }, 'row');
    expect(slowPatterns(nested)).toEqual(['row.body.properties.a /\\s+$/u']);
  });
});
