import { describe, expect, it } from 'vitest';
import { checkBans } from './bans.ts';
import { checkDeadDeclarations, checkDeadFiles, checkNeighbours } from './neighbours.ts';
import { checkSizes } from './tidy.ts';
import { type Tree, treeOf } from './tree.ts';
import { applyExceptions, type Violation } from './violation.ts';

const brief = (violations: readonly Violation[]): string[] =>
  violations.map(({ rule, path, line, message }) => `${path}:${line} ${rule} ${message}`);

const one = (
  check: (tree: Tree) => readonly Violation[],
  text: string,
  path = 'src/gate/memory.ts',
): string[] => brief(check(treeOf({ [path]: text }))).map((found) => found.replace(`${path}:`, ''));

describe('the size rules', () => {
  it('allow a file of 400 lines and refuse one of 401', () => {
    expect(one(checkSizes, 'let a;\n'.repeat(400))).toEqual([]);
    expect(one(checkSizes, 'let a;\n'.repeat(401))).toEqual(['401 file-length 401 lines']);
  });

  it('allow a folder of 20 files beside their tests and refuse one of 21', () => {
    const folder = (count: number): Tree => {
      const names = Array.from({ length: count }, (_, index) => `src/gate/part-${index}`);
      return treeOf(
        Object.fromEntries(
          names.flatMap((name) => [`${name}.ts`, `${name}.test.ts`]).map((path) => [path, '']),
        ),
      );
    };
    expect(brief(checkSizes(folder(20)))).toEqual([]);
    expect(brief(checkSizes(folder(21)))).toEqual(['src/gate:1 folder-size 21 files']);
  });

  it('allow a function of 60 lines and refuse one of 61, of every kind', () => {
    const lines = (count: number): string => `{${'\n'.repeat(count - 1)}}`;
    expect(one(checkSizes, `function enter() ${lines(60)}`)).toEqual([]);
    const refused = (name: string): string[] => [`1 function-length ${name} has 61 lines`];
    expect(one(checkSizes, `function enter() ${lines(61)}`)).toEqual(refused('enter'));
    expect(one(checkSizes, `const enter = () => ${lines(61)};`)).toEqual(refused('enter'));
    expect(one(checkSizes, `class Gate { enter() ${lines(61)} }`)).toEqual(refused('enter'));
    expect(one(checkSizes, `const gate = { enter() ${lines(61)} };`)).toEqual(refused('enter'));
    expect(one(checkSizes, `run(() => ${lines(61)});`)).toEqual(refused('a function'));
  });

  it('count a describe as a group, and a test as a function', () => {
    const lines = `{${'\n'.repeat(60)}}`;
    expect(one(checkSizes, `describe('a', () => ${lines});`)).toEqual([]);
    expect(one(checkSizes, `describe('a', needs(REDIS), () => ${lines});`)).toEqual([]);
    expect(one(checkSizes, `describe.each(rows)('a', () => ${lines});`)).toEqual([]);
    expect(one(checkSizes, `it('a', () => ${lines});`)).toHaveLength(1);
  });

  it('allow four parameters, not five, and no boolean among them', () => {
    expect(one(checkSizes, 'function enter(a, b, c, d) {}')).toEqual([]);
    expect(one(checkSizes, 'function enter(a, b, c, d, e) {}')).toEqual([
      '1 parameters enter has 5 parameters',
    ]);
    expect(one(checkSizes, 'property((a, b, c, d, e) => {});')).toHaveLength(1);
    expect(one(checkSizes, 'property((a, b, c, d, e) => {});', 'src/gate/memory.test.ts')).toEqual([]);
    expect(one(checkSizes, 'function enter(force: boolean) {}')).toEqual([
      '1 boolean-parameters enter takes a boolean',
    ]);
    expect(one(checkSizes, 'function enter(force = false) {}')).toHaveLength(1);
    expect(one(checkSizes, 'function enter(options: { force: boolean }) {}')).toEqual([]);
  });

  it('allow lines of 110 characters, and longer ones only where a string crosses the edge', () => {
    expect(one(checkSizes, `// ${'a'.repeat(107)}`)).toEqual([]);
    expect(one(checkSizes, `// ${'a'.repeat(108)}`)).toEqual(['1 line-length 111 characters']);
    expect(one(checkSizes, `const a = [\n  '${'a'.repeat(120)}',\n];`)).toEqual([]);
    expect(one(checkSizes, `it('${'a'.repeat(120)}', () => {});`)).toEqual([]);
    expect(one(checkSizes, `const a = \`\n${'a'.repeat(120)}\n\`;`)).toEqual([]);
    expect(one(checkSizes, `const a = 'b'; // ${'a'.repeat(120)}`)).toHaveLength(1);
  });
});

describe('the bans', () => {
  it('report calls, each with its place', () => {
    expect(one(checkBans, "console.log('a');")).toEqual(['1 console console.log(…)']);
    expect(one(checkBans, "console.log('a');", 'src/cli/commands/apply.ts')).toEqual([]);
    expect(one(checkBans, 'JSON.parse(text);')).toEqual(['1 json-parse JSON.parse(…)']);
    expect(one(checkBans, 'JSON.parse(text);', 'src/kernel/encoding/json.ts')).toEqual([]);
    expect(one(checkBans, 'new RegExp(text);')).toEqual(['1 built-regexp new RegExp(…)']);
    expect(one(checkBans, 'new RegExp(text);', 'src/platform/http/check.ts')).toEqual([]);
    expect(one(checkBans, "new RegExp('a', 'v');")).toEqual([]);
    expect(one(checkBans, 'Number.parseFloat(text);')).toEqual(['1 parse-float Number.parseFloat(…)']);
    expect(one(checkBans, 'process.exit(1);')).toEqual(['1 exit process.exit(…)']);
    expect(one(checkBans, "new Function('a');")).toEqual(['1 evaluate new Function(…)']);
  });

  it('report words in paths and at the end of type names, not inside them', () => {
    expect(one(checkBans, '', 'src/gate/window-utils.ts')).toEqual(['1 names "utils" in its path']);
    expect(one(checkBans, '', 'src/common/window.ts')).toEqual(['1 names "common" in its path']);
    expect(one(checkBans, '', 'src/gate/Window.ts')).toEqual(['1 names Window.ts']);
    expect(one(checkBans, 'class WindowManager {}')).toEqual(['1 names WindowManager']);
    expect(one(checkBans, 'interface Route { baseUrl: string }')).toEqual([]);
  });

  it('refuse skipped tests, except for what they need', () => {
    const path = 'src/gate/memory.test.ts';
    expect(one(checkBans, "it.only('a', run);", path)).toEqual(['1 test-switches it.only']);
    expect(one(checkBans, "describe.skip('a', run);", path)).toEqual(['1 test-switches describe.skip']);
    expect(one(checkBans, "it.skipIf(!here)('a', run);", path)).toEqual(['1 test-switches it.skipIf']);
    expect(one(checkBans, "test.runIf(here).each(rows)('a', run);", path)).toHaveLength(1);
    expect(one(checkBans, "it('a', (context) => context.skip('b'));", path)).toHaveLength(1);
    expect(one(checkBans, "it.each(rows)('a', { skip: true }, run);", path)).toEqual([
      '1 test-switches skip',
    ]);
    expect(one(checkBans, "it('a', needs(REDIS), run);", path)).toEqual([]);
    expect(one(checkBans, "it('a', { ...needs(REDIS), timeout: 1 }, run);", path)).toEqual([]);
    expect(one(checkBans, 'silence.skip(50);', path)).toEqual([]);
  });

  it('refuse hooks at the top of a module that test files share', () => {
    const path = 'test/support/upstream.ts';
    expect(one(checkBans, 'const a = 1;\nafterEach(end);', path)).toEqual(['2 shared-hooks afterEach(']);
    expect(one(checkBans, 'export const suite = () => {\n  afterAll(end);\n};', path)).toEqual([]);
    expect(one(checkBans, 'afterEach(end);', 'test/a.test.ts')).toEqual([]);
  });

  it('refuse fields and lists of lent bytes, but not functions of them', () => {
    const ban = (text: string): string[] => one(checkBans, text);
    expect(ban('class A { #last: LentBytes | undefined; }')).toEqual(['1 lent-fields a field of lent bytes']);
    expect(ban('interface A { readonly all: Map<string, LentBytes> }')).toHaveLength(1);
    expect(ban('const pieces: LentBytes[] = [];')).toEqual(['1 lent-fields a list of lent bytes']);
    expect(ban('interface A { readonly push: (chunk: LentBytes) => LentBytes | undefined }')).toEqual([]);
    expect(ban('class A { push(chunk: LentBytes): LentBytes { return chunk; } #own: Buffer }')).toEqual([]);
  });

  it('refuse reminders, silenced compilers, paths of a machine and addresses in a lock', () => {
    expect(one(checkBans, `// ${'TO'}${'DO'} later`)).toEqual([`1 markers ${'TO'}${'DO'}`]);
    expect(one(checkBans, `\n// @ts-${'ignore'}`)).toEqual([`2 silencers @ts-${'ignore'}`]);
    expect(one(checkBans, `Read ${'/ho'}me/ann/notes`, 'README.md')).toEqual([
      `1 machine-paths ${'/ho'}me/a`,
    ]);
    expect(one(checkBans, '{\n"resolved": "https://example.com"}', 'package-lock.json')).toEqual([
      '2 lock a download address',
    ]);
  });
});

describe('the rules of neighbours', () => {
  it('require a test of every file that runs: its own, or of a file of its folder that uses it', () => {
    const found = checkNeighbours(
      treeOf({
        'src/gate/one.ts': 'export const one = () => 1;',
        'src/gate/two.ts': 'export const two = () => 2;',
        'src/gate/two.test.ts': '',
        'src/gate/three.ts': 'export const three = () => 3;',
        'src/gate/other.test.ts': "import { three } from './three.ts';",
        'src/gate/inner/four.ts': 'export const four = () => 4;',
        'src/gate/user.ts':
          "import { four } from './inner/four.ts'; import { five } from '../ledger/five.ts';",
        'src/gate/user.test.ts': '',
        'src/ledger/five.ts': 'export const five = () => 5;',
        'src/gate/types.ts': 'export type Four = 4; export const LIMIT = 4;',
        'src/gate/contract.ts': 'export class Away extends Error {}',
      }),
    );
    expect(brief(found)).toEqual([
      'src/gate/one.ts:1 test-neighbour no test of its folder reaches it',
      'src/ledger/five.ts:1 test-neighbour no test of its folder reaches it',
    ]);
  });

  it('report exports that nothing uses, except those that a file uses', () => {
    const found = checkDeadDeclarations(
      treeOf({
        'src/gate/used.ts': 'export const own = 1;\nexport const other = own;\n\nexport type Dead = string;',
        'src/gate/user.ts': "import { other } from './used.ts';\nother();",
      }),
    );
    expect(brief(found)).toEqual(['src/gate/used.ts:4 dead-declarations Dead is never used']);
  });

  it('report files that only their tests use', () => {
    const found = checkDeadFiles(
      treeOf({
        'src/main.ts': "import './gate/used.ts';",
        'src/gate/used.ts': "new URL('./worker.ts', import.meta.url);",
        'src/gate/worker.ts': '',
        'src/gate/dead.ts': '',
        'src/gate/gate-suite.ts': '',
        'src/gate/dead.test.ts':
          "import './dead.ts'; import './gate-suite.ts'; import '../../test/support/a.ts';",
        'test/support/a.ts': '',
        'test/support/b.ts': '',
      }),
    );
    expect(brief(found)).toEqual([
      'src/gate/dead.ts:1 dead-files nothing but its test uses it',
      'test/support/b.ts:1 dead-files nothing but its test uses it',
    ]);
  });
});

describe('the exceptions', () => {
  const violation = { rule: 'console', path: 'src/a.ts', line: 1, message: 'm', reason: 'r' };

  it('excuse one rule in one file', () => {
    const excused = [{ rule: 'console', path: 'src/a.ts', reason: 'r' }];
    expect(applyExceptions([violation], excused)).toEqual([]);
    expect(applyExceptions([{ ...violation, rule: 'exit' }, violation], excused)).toHaveLength(1);
  });

  it('are a violation themselves once they excuse nothing', () => {
    const stale = applyExceptions([], [{ rule: 'console', path: 'src/a.ts', reason: 'r' }]);
    expect(brief(stale)).toEqual(['src/a.ts:1 exceptions the exception from "console" is no longer needed']);
  });
});
