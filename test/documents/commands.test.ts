import { describe, expect, test } from 'vitest';
import { readTree, treeOf } from '../house/tree.ts';
import { countCommands, type Scripts, wrongCommands } from './commands.ts';
import { commandLines } from './shell.ts';

const tree = readTree();
/** The changelog also names what is no more. */
const documents = tree.filter(({ path }) => path.endsWith('.md') && path !== 'CHANGELOG.md');
const manifest = JSON.parse(tree.find(({ path }) => path === 'package.json')?.text ?? '{}') as {
  readonly scripts: Record<string, string>;
};
const scripts: Scripts = { named: manifest.scripts, tree };

describe('every command of a document', () => {
  test('exists, with its options, in the program or in package.json', () => {
    expect(wrongCommands(documents, scripts)).toEqual([]);
    const counts = new Map(documents.map((document) => [document.path, countCommands(document)]));
    expect(counts.get('README.md')).toBeGreaterThan(5);
    expect(counts.get('docs/operations.md')).toBeGreaterThan(50);
  });

  test('is refused otherwise, in a block and in a sentence', () => {
    const block = [
      'tollgate backup --to FILE            # right',
      'tollgate backup --into FILE',
      'TOLLGATE_PORT=0 tollgate server && tollgate doctor',
      'tollgate account create --email "you@example.com" \\',
      '  --credit 10',
      'docker exec CONTAINER tollgate key delete --id 1',
      'docker run --rm tollgate:X.Y.Z demos',
      'sudo -u tollgate TOLLGATE_DATA=/data /opt/bin/tollgate account lists',
      'npx -p node@24 -p tollgate tollgate demo --twice',
      'npm ci && npm run demo -- --twice && npm run demos',
      'npm run bench -- --documents',
      'npm run -s tollgate -- apply --fil catalog.yaml < key.txt',
      'tollgate call show ID ID',
    ];
    const made = `# A
\`\`\`
${block.join('\n')}
\`\`\`
\`tollgate apply -f\`, \`account show
--acount EMAIL\`, \`key make\`, \`migrate --back-too\`, \`call ended\`, \`--after-current\`, \`--after-next\`, \`npm run tests\`.
`;
    expect(wrongCommands(treeOf({ 'docs/a.md': made }), scripts)).toEqual([
      'docs/a.md: tollgate backup --into FILE: unknown option --into',
      'docs/a.md: tollgate server: no such command',
      'docs/a.md: tollgate account create --email you@example.com --credit 10: unknown option --credit',
      'docs/a.md: tollgate key delete --id 1: no such command',
      'docs/a.md: tollgate demos: no such command',
      'docs/a.md: tollgate account lists: no such command',
      'docs/a.md: tollgate demo --twice: unknown option --twice',
      'docs/a.md: npm run demo -- --twice: unknown option --twice',
      'docs/a.md: npm run demos: package.json has no script "demos"',
      'docs/a.md: npm run bench -- --documents: the script "bench" reads no --documents',
      'docs/a.md: npm run -s tollgate -- apply --fil catalog.yaml: unknown option --fil',
      'docs/a.md: tollgate call show ID ID: unexpected argument "ID"',
      'docs/a.md: tollgate account show --acount EMAIL: unknown option --acount',
      'docs/a.md: tollgate key make: no such command',
      'docs/a.md: tollgate migrate --back-too: unknown option --back-too',
      'docs/a.md: --after-next: no such option',
      'docs/a.md: npm run tests: package.json has no script "tests"',
    ]);
  });
});

test('the lines of a shell are read as commands of words', () => {
  const text = `A=1 one --name "on call" 'a # b' # comment\ntwo | head && three > file < other; four \\\n  five &\n# six`;
  expect(commandLines(text)).toEqual([
    ['A=1', 'one', '--name', 'on call', 'a # b'],
    ['two'],
    ['head'],
    ['three'],
    ['four', 'five'],
  ]);
});
