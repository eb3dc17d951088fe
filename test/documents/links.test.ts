import { describe, expect, test } from 'vitest';
import { isTest, projectRoot, readTree, treeOf } from '../house/tree.ts';
import { brokenLinks, brokenMentions, existsBelow, missingPaths } from './links.ts';

const tree = readTree();
const documents = tree.filter(({ path }) => path.endsWith('.md'));
const exists = existsBelow(projectRoot);
/** Commands make these; they are not in the repository. */
const MADE: ReadonlySet<string> = new Set(['bench/results', 'bench/.venv', 'console/dist']);

describe('every link of a document', () => {
  test('leads to a file, and its anchor to a heading of that file', () => {
    expect(brokenLinks(documents, exists)).toEqual([]);
  });

  test('is refused otherwise', () => {
    const made = treeOf({
      'README.md': '# A\n[b](docs/b.md#made-in-code) [b](docs/b.md#gone) [c](docs/c.md) [here](#a) [no](#b)',
      'docs/b.md':
        '# B\n## Made in `code`\n## Twice\n## Twice\n[up](../README.md#a) [2](#twice-1) [3](#twice-2)',
    });
    expect(brokenLinks(made, (path) => path !== 'docs/c.md')).toEqual([
      'README.md → docs/b.md#gone',
      'README.md → docs/c.md',
      'README.md → #b',
      'docs/b.md → #twice-2',
    ]);
  });
});

describe('every document that an alert, a message or a comment names', () => {
  test('exists, with the anchor', () => {
    // A migration that has landed never changes, so its comments may be old.
    const others = tree.filter(({ path }) => !/\.md$|^src\/store\/migrations\//.test(path) && !isTest(path));
    expect(brokenMentions(others, documents, exists)).toEqual([]);
  });

  test('is refused otherwise', () => {
    const rules = treeOf({ 'deploy/rules.yml': 'runbook: "docs/b.md#a-runbook"\nother: "docs/b.md#gone"' });
    const made = treeOf({ 'docs/b.md': '# B\n### A runbook\n```\n# gone\n```\n' });
    expect(brokenMentions(rules, made, () => true)).toEqual(['deploy/rules.yml → docs/b.md#gone']);
  });
});

describe('every path that a document names', () => {
  test('exists', () => {
    const current = documents.filter(({ path }) => path !== 'CHANGELOG.md');
    expect(missingPaths(current, (path) => MADE.has(path) || exists(path))).toEqual([]);
  });

  test('is refused otherwise', () => {
    const made = treeOf({ 'docs/b.md': '# B\n`src/gone.ts`, `src/bounds.ts`, `bounds.ts`, `npm run src/x`' });
    expect(missingPaths(made, exists)).toEqual(['docs/b.md → src/gone.ts']);
  });
});
