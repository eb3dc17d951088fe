import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/cost.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { CATALOG_FILE_BYTES_MAX } from '../../bounds.ts';
import { formatProblem, Problems } from './problems.ts';
import { type Environment, readTree, type Tree } from './yaml-tree.ts';

function read(text: string, environment: Environment = {}): { tree: Tree | undefined; problems: string[] } {
  const problems = new Problems();
  const tree = readTree(text, environment, problems);
  return { tree, problems: problems.list().map(formatProblem) };
}

/** The value at a key of the top map. */
function valueAt(text: string, environment: Environment = {}): unknown {
  const { tree, problems } = read(text, environment);
  expect(problems).toEqual([]);
  return tree?.kind === 'map' ? tree.entries.get('a') : undefined;
}

describe('a YAML tree', () => {
  it('keeps numbers as they are written, and lines', () => {
    expect(valueAt('# first\na: 0.10')).toEqual({
      kind: 'scalar',
      line: 2,
      value: 0.1,
      text: '0.10',
      origin: 'file',
    });
    expect(valueAt('a: "0.10"')).toMatchObject({ value: '0.10', text: '0.10' });
    expect(valueAt('a: 12345678901234567890.123456')).toMatchObject({ text: '12345678901234567890.123456' });
    expect(valueAt('a: true')).toMatchObject({ value: true });
    expect(valueAt('a:')).toMatchObject({ value: null });
  });

  it('follows aliases', () => {
    expect(valueAt('b: &b [1, x]\na: *b')).toMatchObject({
      kind: 'list',
      items: [{ text: '1' }, { text: 'x' }],
    });
  });

  it('keeps a key called __proto__ as a key', () => {
    const { tree } = read('__proto__: { x: 1 }');
    expect(tree?.kind === 'map' && [...tree.entries.keys()]).toEqual(['__proto__']);
  });
});

describe('variables of the environment', () => {
  it('are replaced inside longer texts', () => {
    expect(valueAt(`a: "x \${ONE} y \${TWO_2}"`, { ONE: '1', TWO_2: '2' })).toMatchObject({
      value: 'x 1 y 2',
      origin: 'environment',
    });
  });

  it('are replaced once: their values are not read as variables again', () => {
    expect(valueAt(`a: "\${ONE}"`, { ONE: `\${TWO}`, TWO: '2' })).toMatchObject({ text: `\${TWO}` });
  });

  it('can be written literally with a second dollar sign', () => {
    expect(valueAt(`a: "$\${ONE} costs $5"`)).toMatchObject({ text: `\${ONE} costs $5`, origin: 'file' });
  });

  it('that are not set or malformed are reported with their place, without any value', () => {
    const { problems } = read(`a: [{ b: "\${SET} \${MISSING} \${1}" }]`, { SET: 'sk-secret' });
    expect(problems).toEqual([
      'a[0].b: the environment variable MISSING is not set (line 1)',
      expect.stringContaining('a[0].b: "${" begins no variable'),
    ]);
    expect(problems.join()).not.toContain('sk-secret');
  });

  it('are never read from a prototype', () => {
    expect(read(`a: "\${constructor}"`).problems).toEqual([
      'a: the environment variable constructor is not set (line 1)',
    ]);
  });
});

describe('hostile files', () => {
  it.each([
    ['a tag', 'a: !!js/function "x"'],
    ['an unknown tag', 'a: !x 1'],
    ['two documents', 'a: 1\n---\na: 2'],
    ['a key twice', 'a: 1\na: 2'],
    ['a cycle', 'a: &a [*a]'],
    ['an unknown alias', 'a: *nobody'],
    ['deep nesting', `a: ${'['.repeat(50_000)}`],
    ['closed deep nesting', `a: ${'['.repeat(100)}${']'.repeat(100)}`],
    ['no YAML', 'a: [}'],
  ])('with %s are refused', (_name, text) => {
    expect(read(text).problems.length).toBeGreaterThan(0);
  });

  it('with a bomb of aliases are refused at once', () => {
    let text = 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n';
    for (let level = 1; level < 12; level++) {
      text += `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]\n`;
    }
    const started = processorMs();
    expect(read(text).problems.some((problem) => problem.includes('aliases'))).toBe(true);
    expect(processorMs() - started).toBeLessThan(5_000);
  });

  it('larger than the bound are not parsed', () => {
    expect(read(`# ${'x'.repeat(CATALOG_FILE_BYTES_MAX)}`)).toEqual({
      tree: undefined,
      problems: [`the file is larger than ${CATALOG_FILE_BYTES_MAX} bytes`],
    });
  });

  it('of any kind never throw', () => {
    const pieces = 'a|:|- |{|}|[|]|"|&a|*a|!|>|$|1|#|?|%|<<|,|---|...'
      .split('|')
      .concat(' ', '\n', "'", '|', '\t');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 20 }),
        (chosen) => void read(chosen.join('')),
      ),
      { numRuns: runs(1_000) },
    );
  });
});
