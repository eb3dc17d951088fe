import { describe, expect, it } from 'vitest';
import { readTree, type SourceFile, type Tree, treeOf } from './house/tree.ts';

/** The documents with rules, each with the letter of its numbers. */
const RULE_FILES = new Map([
  ['docs/reference/interface.md', 'I'],
  ['docs/reference/states.md', 'S'],
  ['docs/reference/limits.md', 'L'],
  ['docs/reference/money.md', 'M'],
  ['docs/reference/conversions.md', 'C'],
  ['docs/reference/conversations.md', 'K'],
  ['docs/reference/logins.md', 'A'],
  ['docs/reference/simulators.md', 'V'],
]);

const LETTERS = [...RULE_FILES.values()].join('');
/** A rule begins a list item or a row of a table with its number. */
const DEFINITION = /^(?:- |\| )\*\*([A-Z]-\d{1,3})\*\*/;
const NUMBER = new RegExp(`\\b[${LETTERS}]-\\d{1,3}\\b`, 'g');
/** The one form in which code, tests and documents name a rule. */
const CITED = /\brule $/i;
const TEST_PATH = /`((?:src|test|sim)\/[\w/.-]{1,200}\.test\.ts)`/g;
/**
 * Documents that are not in the repository, by their names and by sections of them. The letters are apart so
 * that this file does not name them itself.
 */
const ABSENT = /\b(?:s[p]ec|d[e]cisions|c[o]nversion|r[e]liability|d[e]sign)(?:\.md\b| §? ?\d+(?:\.\d+)*\b)/i;
/** Applied migrations are known by their text: a changed comment would stop every database that has them. */
const UNCHANGEABLE = ['src/store/migrations/002_ledger.sql', 'src/store/migrations/008_logs_public.sql'];

interface Rule {
  readonly number: string;
  readonly path: string;
  /** All lines of the rule, as one text. */
  readonly text: string;
}

function rulesIn({ path, text }: SourceFile): readonly Rule[] {
  const rules: { number: string; path: string; text: string }[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const number = DEFINITION.exec(line)?.[1];
    if (number !== undefined) {
      rules.push({ number, path, text: line });
      isOpen = true;
    } else if (isOpen && line.startsWith('  ')) {
      const last = rules.at(-1);
      if (last !== undefined) last.text += ` ${line.trim()}`;
    } else isOpen = false;
  }
  return rules;
}

const rulesOf = (tree: Tree): readonly Rule[] =>
  tree.filter(({ path }) => RULE_FILES.has(path)).flatMap(rulesIn);

function twice(tree: Tree): readonly string[] {
  const counts = Map.groupBy(rulesOf(tree), ({ number }) => number);
  return [...counts].filter(([, rules]) => rules.length > 1).map(([number]) => number);
}

/** Rules whose letter is not that of their file. */
function misplaced(tree: Tree): readonly string[] {
  return rulesOf(tree)
    .filter(({ number, path }) => number[0] !== RULE_FILES.get(path))
    .map(({ number, path }) => `${path}: ${number}`);
}

interface Line {
  readonly place: string;
  readonly text: string;
}

function linesOf(tree: Tree): readonly Line[] {
  return tree
    .filter(({ path }) => /\.(?:ts|lua|sql|md|ya?ml)$/.test(path))
    .flatMap(({ path, text }) =>
      text.split('\n').map((line, index) => ({ place: `${path}:${index + 1}`, text: line })),
    );
}

/** Numbers in any form; what a rule begins with is no citation. */
function citations(tree: Tree): readonly { place: string; number: string; before: string }[] {
  return linesOf(tree).flatMap(({ place, text }) => {
    const cited = text.replace(DEFINITION, '');
    return [...cited.matchAll(NUMBER)].map((match) => ({
      place,
      number: match[0],
      before: cited.slice(0, match.index),
    }));
  });
}

function unknown(tree: Tree): readonly string[] {
  const known = new Set(rulesOf(tree).map(({ number }) => number));
  return citations(tree)
    .filter(({ number }) => !known.has(number))
    .map(({ place, number }) => `${place}: ${number}`);
}

/** A letter in bold names a file's prefix; everything else says `rule` first. */
function otherwise(tree: Tree): readonly string[] {
  return citations(tree)
    .filter(({ before }) => !CITED.test(before) && !before.endsWith('`**'))
    .map(({ place, number }) => `${place}: ${number}`);
}

function untested(tree: Tree): readonly string[] {
  const paths = new Set(tree.map(({ path }) => path));
  return rulesOf(tree)
    .filter(({ path }) => path === 'docs/reference/interface.md')
    .filter(({ text }) => {
      const named = [...text.matchAll(TEST_PATH)].map(([, path = '']) => path);
      return named.length === 0 || named.some((path) => !paths.has(path));
    })
    .map(({ number }) => number);
}

function absent(tree: Tree): readonly string[] {
  return linesOf(tree.filter(({ path }) => !UNCHANGEABLE.includes(path)))
    .filter(({ text }) => ABSENT.test(text))
    .map(({ place, text }) => `${place}: ${text.trim()}`);
}

const tree = readTree();

describe('the rules of docs/reference', () => {
  it('exist in every document', () => {
    const rules = rulesOf(tree);
    expect(rules.length).toBeGreaterThan(150);
    for (const path of RULE_FILES.keys()) {
      expect(rules.filter((rule) => rule.path === path).length, path).toBeGreaterThan(0);
    }
  });

  it('have unique numbers, with the letter of their document', () => {
    expect(twice(tree)).toEqual([]);
    expect(misplaced(tree)).toEqual([]);
  });

  it('exist when they are cited', () => {
    expect(unknown(tree)).toEqual([]);
  });

  it('are cited in one form', () => {
    expect(otherwise(tree)).toEqual([]);
  });

  it('are cited by the code', () => {
    const inCode = citations(tree).filter(({ place }) => /^(?:src|test|sim)\//.test(place));
    expect(inCode.length).toBeGreaterThan(200);
  });

  it('name an existing test, if they are rules of the interface', () => {
    expect(untested(tree)).toEqual([]);
  });
});

describe('the repository', () => {
  it('cites no document that is not in it', () => {
    expect(absent(tree)).toEqual([]);
  });
});

describe('the search for rules', () => {
  const first = `${'M'}-1`;
  const page = (text: string): Tree => treeOf({ 'docs/reference/money.md': text });

  it('finds list items and rows of tables, with all of their lines', () => {
    const text = `- **${first}** One\n  more.\n\nNot this.\n| **${'M'}-2** | Two |\n`;
    expect(rulesOf(page(text)).map((rule) => rule.text)).toEqual([
      `- **${first}** One more.`,
      `| **${'M'}-2** | Two |`,
    ]);
  });

  it('finds a duplicate number, and one of another document', () => {
    expect(twice(page(`- **${first}** One.\n- **${first}** Two.\n`))).toEqual([first]);
    expect(misplaced(page(`- **${'L'}-1** One.\n`))).toHaveLength(1);
  });

  it('finds citations of missing rules, in comments, titles and scripts', () => {
    const cited = { 'src/a.ts': `/** rule ${'M'}-2 */`, 'src/b.lua': `-- Rule ${'M'}-3: so` };
    expect(unknown([...page(`- **${first}** One.\n`), ...treeOf(cited)])).toEqual([
      `src/a.ts:1: ${'M'}-2`,
      `src/b.lua:1: ${'M'}-3`,
    ]);
  });

  it('finds citations in another form', () => {
    expect(otherwise(treeOf({ 'src/a.ts': `// see ${first}, rule ${first}` }))).toEqual([
      `src/a.ts:1: ${first}`,
    ]);
  });

  it('finds rules of the interface without a test, or with a missing one', () => {
    const text = `- **${'I'}-1** One.\n- **${'I'}-2** Two. Test: \`test/gone.test.ts\`\n`;
    expect(untested(treeOf({ 'docs/reference/interface.md': text }))).toEqual([`${'I'}-1`, `${'I'}-2`]);
  });

  it('finds citations of absent documents', () => {
    const spec = 'sp'.concat('ec');
    const texts = [`(${spec} 4.2)`, `${spec.toUpperCase()} 7`, `${'decis'.concat('ions')}.md`];
    for (const text of texts) expect(absent(treeOf({ 'src/a.ts': `// ${text}` })), text).toHaveLength(1);
  });
});
