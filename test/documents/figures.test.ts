import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../src/kernel/errors.ts';
import { projectRoot, readTree, type Tree, treeOf } from '../house/tree.ts';
import { SYSTEM_PROGRAMS } from '../prerequisites.ts';
import { missingPhrases, PHRASES } from './figures.ts';
import { foldersOf, listedFolders } from './folders.ts';
import { existsBelow } from './links.ts';
import { phrasesOf, spansOf } from './markdown.ts';
import { unknownNames } from './names.ts';

const tree = readTree();
const documents = tree.filter(({ path }) => path.endsWith('.md'));
const documentOf = (path: string) => documents.find((file) => file.path === path) ?? { path, text: '' };

describe('a figure of a document', () => {
  test('is that of the code', () => {
    expect(missingPhrases(documents, PHRASES)).toEqual([]);
  });

  test('is refused otherwise', () => {
    const made = treeOf({ 'docs/a.md': '# A\nAt most 20\nof them, and 1,000 at most.\n' });
    const wanted = { 'docs/a.md': ['At most 20 of them', 'and 100 at most'], 'docs/b.md': ['one'] };
    expect(missingPhrases(made, wanted)).toEqual(['docs/a.md: and 100 at most', 'docs/b.md: one']);
  });
});

describe('the table of folders in ARCHITECTURE.md', () => {
  const listed = listedFolders(documentOf('ARCHITECTURE.md'));

  test('has a row for every folder, and none for a missing one', () => {
    expect([...foldersOf(tree)].filter((folder) => !listed.has(folder))).toEqual([]);
    expect([...listed].filter((path) => !existsBelow(projectRoot)(path))).toEqual([]);
  });

  test('is refused otherwise', () => {
    const text =
      '# A\n## Folders\n| Folder | |\n|---|---|\n| `src/a` | |\n| `src/b/c`, `d` | |\n## Words\n| `e` | |\n';
    expect([...listedFolders({ path: 'A.md', text })]).toEqual(['src/a', 'src/b/c', 'src/b/d']);
    const paths = ['src/a/x.ts', 'src/protocol/new/x.ts', 'src/a/deep/x.ts', 'deploy/x.yml', 'x.md'];
    const made = treeOf(Object.fromEntries(paths.map((path) => [path, ''])));
    expect([...foldersOf(made)]).toEqual(['src/a', 'src/protocol/new', 'deploy']);
  });
});

describe('an error code of a document', () => {
  const codes = new Set(Object.values(ERRORS).map(({ code }) => String(code)));
  const CODE = /\b(?:4\d\d|50[0-4])0\d\b/g;
  const wrong = (made: Tree) => unknownNames(made, CODE, (code) => codes.has(code));

  test('is in the table of errors, and in no table of prices or measurements', () => {
    const others = ['docs/vendors.md', 'docs/performance.md', 'docs/scale.md'];
    const compared = documents.filter(({ path }) => !others.includes(path));
    const inText = compared.map((file) => ({ ...file, text: `\`${phrasesOf(file).replaceAll('`', ' ')}\`` }));
    expect(wrong(inText)).toEqual([]);
  });

  test('is refused otherwise', () => {
    expect(wrong(treeOf({ 'docs/a.md': '# A\n`40101`, `40109`, `50201`\n' }))).toEqual(['docs/a.md: 40109']);
  });
});

test('the README names every Debian package that the tests use, and no other', () => {
  const [, sentence = ''] =
    /use programs of the system: Debian's ([^.]*)\./.exec(phrasesOf(documentOf('README.md'))) ?? [];
  const packages = spansOf({ path: '', text: sentence });
  expect(packages).toEqual(SYSTEM_PROGRAMS.map(({ debianPackage }) => debianPackage).sort());
});

/** The figures of the README come from the page of the benchmark: gateway, row for a call, row for events. */
const COMPARED: readonly (readonly [string, string])[] = [
  ['bare Node proxy', 'bare'],
  ['**Tollgate**, embedded PostgreSQL', 'tollgate'],
  ['**Tollgate**, PostgreSQL and Redis', 'tollgate-redis'],
  ['Bifrost', 'bifrost'],
  ['new-api', 'new-api'],
  ['Portkey', 'portkey'],
  ['LiteLLM', 'litellm'],
];

test('the costs in the README are those of docs/performance.md, all in', () => {
  const [readme, page] = ['README.md', 'docs/performance.md'].map((path) => documentOf(path).text);
  const cost = (scenario: string, target: string): string => {
    const [, section = ''] = page?.split(`\n### ${scenario}\n`) ?? [];
    const row = section.split('\n').find((line) => line.startsWith(`| ${target}, all in `));
    return Number(/\| ([\d.]+) \(/.exec(row ?? '')?.[1]).toFixed(2);
  };
  const rows = readme?.split('\n').filter((line) => /^ {2}\| .* ms \| .* s \|$/.test(line)) ?? [];
  expect(rows).toHaveLength(COMPARED.length);
  COMPARED.forEach(([name, target], index) => {
    expect(rows[index]).toContain(`  | ${name}`);
    expect(rows[index]).toMatch(
      new RegExp(` \\| ${cost('json-small', target)} ms \\| ${cost('stream-fast', target)} s \\|$`),
    );
  });
});
