import { posix } from 'node:path';
import { UsageError } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { findCommand, parseArguments } from '../../src/cli/run.ts';
import { codeFiles, type SourceFile, type Tree } from '../house/tree.ts';
import { fencesOf, spansOf } from './markdown.ts';
import { commandLines } from './shell.ts';

/** The commands of the documents, read by the parser of the program, and by what package.json has. */

/** What a command of a document may use besides the `tollgate` program. */
export interface Scripts {
  /** The scripts of package.json. */
  readonly named: Readonly<Record<string, string>>;
  /** The code, for the options that a script reads. */
  readonly tree: Tree;
}

/** Groups such as `key`, and code that begins with such a word and is no command: lines of the log. */
const GROUPS = new Set(COMMANDS.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0]] : [])));
const NO_COMMANDS: ReadonlySet<string> = new Set(['call ended', 'tollgate serves']);
/** Commands of npm itself. */
const OF_NPM: ReadonlySet<string> = new Set(['ci', 'install', 'install-scripts', 'publish', 'sbom']);
/** Options of other programs that documents name by themselves, and an ending of keys. */
const OTHER_OPTIONS: ReadonlySet<string> = new Set([
  '--build-arg',
  '--stop-timeout',
  '--user',
  '-anything',
  '--enable-feature',
  '--enable-source-maps',
  '--external-memory-accounted-in-global-limit',
]);

/** Commands and options that documents name and that do not exist, each with its document. */
export function wrongCommands(documents: Tree, scripts: Scripts): readonly string[] {
  return documents.flatMap((document) =>
    [...typedIn(document), ...namedIn(document)].flatMap((words) => {
      const problem = problemOf(words, scripts);
      return problem === undefined ? [] : [`${document.path}: ${words.join(' ')}: ${problem}`];
    }),
  );
}

/** How many commands a document has that are compared: a test that reads nothing would always pass. */
export function countCommands(document: SourceFile): number {
  const all = [...typedIn(document), ...namedIn(document)];
  return all.filter(([program = '']) => program === 'tollgate' || program === 'npm').length;
}

function typedIn(document: SourceFile): readonly (readonly string[])[] {
  return fencesOf(document)
    .filter(({ language }) => language === '' || language === 'sh')
    .flatMap(({ text }) => commandLines(text))
    .map(programOf);
}

/** Code in the prose: whole commands, those without the word `tollgate`, and single options. */
function namedIn(document: SourceFile): readonly (readonly string[])[] {
  return spansOf(document)
    .filter((span) => !NO_COMMANDS.has(span))
    .flatMap((span) => {
      const words = commandLines(span)[0] ?? [];
      const [first = '', second = ''] = words;
      const isBare =
        (GROUPS.has(first) && /^[a-z][a-z-]+$/.test(second)) ||
        (findCommand([first]) !== undefined && second.startsWith('-'));
      if (isBare) return [completed(['tollgate', ...words])];
      return /^--?[a-z]/.test(first) ? [words] : [completed(programOf(words))];
    });
}

/** In prose an option may be named without its value, and a command with signs for what may be left out. */
function completed(words: readonly string[]): readonly string[] {
  const plain = words.map((word) => word.replace(/^\[+|\]+$/g, '')).filter((word) => word !== '…');
  const last = plain.at(-1) ?? '';
  const isOpen = plain.length > 1 && last.startsWith('-') && !last.includes('=');
  return isOpen && isTextOption(plain, last) ? [...plain, 'VALUE'] : plain;
}

function isTextOption([, ...args]: readonly string[], option: string): boolean {
  const options = Object.entries(findCommand(args)?.options ?? {});
  return options.some(
    ([name, { type, short }]) => type === 'string' && (option === `--${name}` || option === `-${short}`),
  );
}

/** The command without what starts it: a variable, another user, a container, npx. */
function programOf(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  if (/^\w+=/.test(first)) return programOf(rest);
  if (first.endsWith('/tollgate') && !first.startsWith('http')) return ['tollgate', ...rest];
  if (first === 'sudo') return programOf(rest[0] === '-u' ? rest.slice(2) : rest);
  if (first === 'npx') return programOf(rest[0] === '-p' ? ['npx', ...rest.slice(2)] : rest);
  if (first === 'docker' || first === 'podman') return inContainer(rest);
  return words;
}

function inContainer(words: readonly string[]): readonly string[] {
  const at = words.indexOf('tollgate');
  if (words.includes('exec') && at !== -1) return words.slice(at);
  const image = words.findIndex(
    (word, index) => /^tollgate:[\w.]+$/.test(word) && words[index - 1] !== '--tag',
  );
  return words[0] === 'run' && image !== -1 ? ['tollgate', ...words.slice(image + 1)] : [];
}

function problemOf(words: readonly string[], scripts: Scripts): string | undefined {
  const [program = '', ...args] = words;
  if (program === 'tollgate') return problemOfTollgate(args);
  if (program === 'npm') return problemOfNpm(args, scripts);
  if (/^--?[a-z]/.test(program)) return problemOfOption(program, scripts);
  return undefined;
}

function problemOfTollgate(args: readonly string[]): string | undefined {
  const [first = ''] = args;
  if (first === '' || ['--help', '--version', 'help'].includes(first)) return undefined;
  const command = findCommand(args);
  if (command === undefined) {
    return GROUPS.has(first) && args.length === 1 ? undefined : 'no such command';
  }
  try {
    parseArguments(command, args.slice(command.name.split(' ').length));
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

function problemOfNpm(args: readonly string[], scripts: Scripts): string | undefined {
  const [verb = '', ...rest] = args.filter((word) => word !== '-s');
  if (verb === '' || OF_NPM.has(verb)) return undefined;
  const name = verb === 'run' ? (rest[0] ?? '') : verb;
  const script = verb === 'run' || verb === 'start' || verb === 'test' ? scripts.named[name] : undefined;
  if (script === undefined) return `package.json has no script "${name}"`;
  const behind = rest.indexOf('--') + 1;
  const given = behind === 0 ? [] : rest.slice(behind);
  const own = /src\/main\.ts ?(.*)$/.exec(script);
  if (own !== null) return problemOfTollgate([...(own[1] ?? '').split(' ').filter(Boolean), ...given]);
  const known = optionsOf(script, scripts.tree);
  return given
    .filter((word) => word.startsWith('--'))
    .map((word) => word.slice(2).replace(/=.*/, ''))
    .filter((option) => !known.has(option))
    .map((option) => `the script "${name}" reads no --${option}`)[0];
}

function problemOfOption(word: string, { named, tree }: Scripts): string | undefined {
  const option = word.replace(/=.*/, '');
  const isOurs = COMMANDS.some(({ options }) =>
    Object.entries(options).some(([name, { short }]) => option === `--${name}` || option === `-${short}`),
  );
  const isKnown = isOurs || option === '--help' || option === '--config' || OTHER_OPTIONS.has(option);
  if (isKnown) return undefined;
  const ofScripts = Object.values(named).some((script) => optionsOf(script, tree).has(option.slice(2)));
  return ofScripts ? undefined : 'no such option';
}

/** The options that a script reads: those of `parseArgs` in the files of its folder. */
function optionsOf(script: string, tree: Tree): ReadonlySet<string> {
  const [path = ''] = /[\w/-]+\.ts/.exec(script) ?? [];
  const folder = posix.dirname(path);
  const texts = codeFiles(tree).filter((file) => posix.dirname(file.path) === folder && path !== '');
  return new Set(
    texts.flatMap(({ text }) =>
      [...text.matchAll(/\b([a-z][\w-]*)'?: (?:\{ type: '(?:string|boolean)'|text\b)/g)].map(
        ([, name = '']) => name,
      ),
    ),
  );
}
