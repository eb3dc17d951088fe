import { within } from './boundaries.ts';
import { child, children, dottedName, isNode, lineAt, type SyntaxNode, walk } from './syntax.ts';
import { codeFiles, isTest, type SourceFile, type Tree } from './tree.ts';
import type { Violation } from './violation.ts';

/** A call that is not made, where it may be made all the same, and why. */
interface Ban {
  readonly rule: string;
  readonly seen: (node: SyntaxNode) => string | undefined;
  readonly places: readonly string[];
  readonly reason: string;
}

const SPLITTERS = ['splitter', 'sse', 'json-array'].map((name) => `src/protocol/bytes/${name}.ts`);

const BANS: readonly Ban[] = [
  {
    rule: 'console',
    seen: (node) => calls(node, /^console\./),
    places: ['src/cli', 'src/main.ts'],
    reason: 'a running server speaks through its logger, which knows what is secret',
  },
  {
    rule: 'json-parse',
    seen: (node) => calls(node, /^JSON\.parse$/),
    places: ['src/kernel/encoding/json.ts'],
    reason: 'foreign JSON is read with the bounds of kernel/encoding/json.ts',
  },
  {
    rule: 'built-regexp',
    seen: (node) => builtPattern(node),
    // The patterns of schemas are ours, and patterns.test.ts tries those of every row.
    places: ['src/platform/http/check.ts'],
    reason: 'a pattern made from data can be made to run for ever',
  },
  {
    rule: 'parse-float',
    seen: (node) => calls(node, /^(Number\.)?parseFloat$/),
    places: [],
    reason: 'it reads "12abc" as 12, and what it reads is never money',
  },
  {
    rule: 'exit',
    seen: (node) => calls(node, /^process\.(exit|abort)$/),
    places: ['src/main.ts', 'src/cli'],
    reason: 'a part that ends the process loses what the other parts still hold',
  },
  {
    rule: 'evaluate',
    seen: (node) => calls(node, /^(eval|Function)$/) ?? made(node, 'Function'),
    places: [],
    reason: 'text is never run',
  },
  {
    rule: 'lent-fields',
    seen: (node) => keepsLent(node),
    // What they describe is one push, or one call.
    places: [...SPLITTERS, 'src/protocol/meter/words.ts'],
    reason: 'lent bytes are overwritten when the call returns: a field or a list has a copy',
  },
];

const MARKERS = /\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b/;
const SILENCERS = /@ts-(ignore|nocheck|expect-error)/;
/** Folders of the machine something was written on; `/tmp` and `/usr` exist everywhere. */
const MACHINE_PATHS = /(^|[\s'"`(=:])(\/work\/|\/home\/[a-z]|\/Users\/[A-Za-z]|[A-Z]:\\Users)/;
const BANNED_WORDS = new Set('util utils helper helpers common misc manager service base'.split(' '));
const BANNED_ENDING = /(Utils?|Helpers?|Common|Misc|Manager|Service|Base)$/;
const DECLARATIONS = new Set(['ClassDeclaration', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration']);

/** Names, calls and words that do not belong here. */
export function checkBans(tree: Tree): readonly Violation[] {
  return [
    ...codeFiles(tree).flatMap((file) => [
      ...checkNames(file),
      ...checkTestSwitches(file),
      ...checkSharedHooks(file),
    ]),
    ...codeFiles(tree)
      .filter((file) => file.path.startsWith('src/') && !isTest(file.path))
      .flatMap(checkCalls),
    ...tree.flatMap(checkText),
    ...tree.filter((file) => file.path.endsWith('package-lock.json')).flatMap(checkLock),
  ];
}

function checkCalls(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  const bans = BANS.filter((ban) => !within(file.path, ban.places));
  walk(file, (node) => {
    for (const { rule, seen, reason } of bans) {
      const message = seen(node);
      if (message !== undefined) found.push(at(file, node.start, { rule, message, reason }));
    }
  });
  return found;
}

function calls(node: SyntaxNode, pattern: RegExp): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const name = dottedName(child(node, 'callee'));
  return name !== undefined && pattern.test(name) ? `${name}(…)` : undefined;
}

function made(node: SyntaxNode, name: string): string | undefined {
  if (node.type !== 'NewExpression' || dottedName(child(node, 'callee')) !== name) return undefined;
  return `new ${name}(…)`;
}

/** A field or a list of lent bytes; a field that is a function of them keeps nothing. */
function keepsLent(node: SyntaxNode): string | undefined {
  const isList = node.type === 'TSArrayType';
  const isField = node.type === 'PropertyDefinition' || node.type === 'TSPropertySignature';
  if (!isList && !isField) return undefined;
  const type = isList ? child(node, 'elementType') : child(node, 'typeAnnotation');
  return namesLent(type) ? `a ${isList ? 'list' : 'field'} of lent bytes` : undefined;
}

function namesLent(type: SyntaxNode | undefined): boolean {
  if (type === undefined || type.type === 'TSFunctionType') return false;
  if (dottedName(child(type, 'typeName')) === 'LentBytes') return true;
  const { typeAnnotation, typeArguments, params, types } = type;
  return [typeAnnotation, typeArguments, params, types]
    .flat()
    .some((part) => isNode(part) && namesLent(part));
}

function builtPattern(node: SyntaxNode): string | undefined {
  const message = made(node, 'RegExp') ?? calls(node, /^RegExp$/);
  return children(node, 'arguments')[0]?.type === 'Literal' ? undefined : message;
}

function checkNames(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  const reason = 'a name that fits everything attracts everything';
  const rule = 'names';
  for (const part of file.path.split('/')) {
    if (!/^[a-z0-9.-]+$/.test(part)) {
      found.push(at(file, 0, { rule, message: part, reason: 'file names are kebab-case' }));
    }
    const word = part.split(/[-.]/).find((one) => BANNED_WORDS.has(one));
    if (word !== undefined) found.push(at(file, 0, { rule, message: `"${word}" in its path`, reason }));
  }
  walk(file, (node) => {
    if (!DECLARATIONS.has(node.type)) return;
    const name = dottedName(child(node, 'id')) ?? '';
    if (BANNED_ENDING.test(name)) found.push(at(file, node.start, { rule, message: name, reason }));
  });
  return found;
}

const SWITCHES = /^((describe|it|test|suite)\b.*\.(only|skip|skipIf|runIf|todo|fails)|context\.skip)\b/;
const SWITCHING_OPTIONS = new Set(['only', 'skip', 'todo', 'fails']);

/** A test is run or does not exist. Only `needs()` leaves one out, and the end of the run says why. */
function checkTestSwitches(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  if (!isTest(file.path)) return found;
  const reason = 'a test that is left out proves nothing; needs() says what it needs of the machine';
  walk(file, (node) => {
    const name = node.type === 'MemberExpression' ? dottedName(node) : undefined;
    const message = name !== undefined && SWITCHES.test(name) ? name : switchingOption(node);
    if (message !== undefined) found.push(at(file, node.start, { rule: 'test-switches', message, reason }));
  });
  return found;
}

/** `skip` in `it('…', { skip: true }, run)`. */
function switchingOption(node: SyntaxNode): string | undefined {
  if (node.type !== 'CallExpression' || !/^(describe|it|test|suite)\b/.test(rootOf(node))) return undefined;
  return children(node, 'arguments')
    .filter(({ type }) => type === 'ObjectExpression')
    .flatMap((options) => children(options, 'properties'))
    .map((property) => dottedName(child(property, 'key')))
    .find((key) => key !== undefined && SWITCHING_OPTIONS.has(key));
}

const HOOK_AT_TOP = /^(before|after)(All|Each)\(/m;
/** The runner loads it again for each test file. */
const SETUP_FILES = ['test/support/suite/own-folder.ts'];

/** Test files share processes, so a module that they import is loaded once. */
function checkSharedHooks(file: SourceFile): readonly Violation[] {
  if (file.path.endsWith('.test.ts') || SETUP_FILES.includes(file.path)) return [];
  const hook = HOOK_AT_TOP.exec(file.text);
  if (hook === null) return [];
  const reason =
    'it would run for the first test file of a process only; atTestEnd() and atFileEnd() run for each';
  return [at(file, hook.index, { rule: 'shared-hooks', message: hook[0], reason })];
}

/** `it.each` of `it.each(rows)('…', run)`. */
function rootOf(call: SyntaxNode): string {
  let callee = child(call, 'callee');
  while (callee?.type === 'CallExpression') callee = child(callee, 'callee');
  return dottedName(callee) ?? '';
}

function checkText(file: SourceFile): readonly Violation[] {
  if (file.path.endsWith('package-lock.json')) return [];
  const code = /\.(ts|sql|sh)$/.test(file.path);
  const found: Violation[] = [];
  let offset = 0;
  for (const line of file.text.split('\n')) {
    const add = (rule: string, text: string, reason: string): void => {
      found.push(at(file, offset, { rule, message: text.trim(), reason }));
    };
    const marker = MARKERS.exec(line)?.[0];
    if (code && marker !== undefined)
      add('markers', marker, 'what is missing is finished or written down elsewhere');
    const silencer = SILENCERS.exec(line)?.[0];
    if (code && silencer !== undefined) add('silencers', silencer, 'the compiler is answered, not silenced');
    const machine = MACHINE_PATHS.exec(line)?.[0];
    if (machine !== undefined)
      add('machine-paths', machine, 'the project does not know on which machine it lies');
    offset += line.length + 1;
  }
  return found;
}

/** With no address in the lock, `npm ci` asks the registry that the user configured. */
function checkLock(file: SourceFile): readonly Violation[] {
  const offset = file.text.indexOf('"resolved"');
  if (offset === -1) return [];
  const reason = 'the lock names versions and hashes; where to load from is the choice of who installs';
  return [at(file, offset, { rule: 'lock', message: 'a download address', reason })];
}

function at(file: SourceFile, offset: number, rest: Omit<Violation, 'path' | 'line'>): Violation {
  return { ...rest, path: file.path, line: lineAt(file, offset) };
}
