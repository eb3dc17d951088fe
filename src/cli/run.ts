import { parseArgs } from 'node:util';
import { VERSION } from '../kernel/version.ts';
import {
  type Command,
  CommandFailed,
  consoleOutput,
  EXIT,
  type Options,
  type Output,
  UsageError,
} from './command.ts';
import { COMMANDS } from './commands.ts';
import { facts } from './table.ts';

/** Finds the command, reads its options, runs it and returns the exit code. */
export async function runCommand(args: readonly string[], output: Output = consoleOutput): Promise<number> {
  const [first = ''] = args;
  if (first === '--version' || first === '-v') {
    output.line(VERSION);
    return EXIT.ok;
  }
  if (asksForHelp(first)) return tellHelp(args.slice(1), output);
  const command = findCommand(args);
  if (command !== undefined) {
    return await runFound(command, args.slice(command.name.split(' ').length), output);
  }
  const [second = ''] = args.slice(1);
  // A group alone, or the program alone, asks for help; but nothing was done.
  const isQuestion =
    first === '' || (listGroupCommands(first).length > 0 && (second === '' || asksForHelp(second)));
  if (isQuestion) {
    output.line(formatOverview(first));
    return asksForHelp(second) ? EXIT.ok : EXIT.usage;
  }
  const known = formatOverview(listGroupCommands(first).length > 0 ? first : '');
  output.error(`tollgate: unknown command "${args.slice(0, 2).join(' ')}"\n\n${known}`);
  return EXIT.usage;
}

function asksForHelp(word: string): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

/** `help`, `help key` and `help key create`. */
function tellHelp(words: readonly string[], output: Output): number {
  const command = findCommand(words);
  const [group = ''] = words;
  if (command === undefined && group !== '' && listGroupCommands(group).length === 0) {
    output.error(`tollgate: unknown command "${words.join(' ')}"\n\n${formatOverview('')}`);
    return EXIT.usage;
  }
  output.line(command === undefined ? formatOverview(group) : formatHelp(command));
  return EXIT.ok;
}

/** The commands of a group: those whose first word is this. */
function listGroupCommands(word: string): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

async function runFound(command: Command, args: readonly string[], output: Output): Promise<number> {
  try {
    const { values, positionals } = parseArguments(command, args);
    if (values.help === true) {
      output.line(formatHelp(command));
      return EXIT.ok;
    }
    return await command.run({ command, values, positionals, output });
  } catch (error) {
    if (error instanceof UsageError) {
      output.error(`tollgate ${command.name}: ${error.message}\n\n${formatHelp(command)}`);
      return EXIT.usage;
    }
    if (error instanceof CommandFailed) {
      output.error(`tollgate ${command.name}: ${error.message}`);
      return EXIT.failed;
    }
    throw error;
  }
}

/** Throws `UsageError` for an option or an argument that the command does not take. */
export function parseArguments(
  command: Command,
  args: readonly string[],
): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  const options = {
    ...command.options,
    config: { type: 'string' as const },
    help: { type: 'boolean' as const, short: 'h' },
  };
  const { values, positionals } = parseWords(args, options);
  const stray = positionals[command.words ?? 0];
  if (stray !== undefined && values.help !== true) throw new UsageError(`unexpected argument "${stray}"`);
  return { values: values as Record<string, string | boolean | undefined>, positionals };
}

function parseWords(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const option = /'(?:-\w, )?(-[^ '=]+)/.exec(message)?.[1];
    if (option === undefined) throw new UsageError(message);
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new UsageError(`unknown option ${option}`);
    const isSwitch = message.includes('does not take an argument');
    throw new UsageError(
      isSwitch
        ? `${option} takes no value`
        : `${option} needs a value; write a value that begins with "-" as ${option}=-…`,
    );
  }
}

/** The longest name wins: `key create` before `key`. */
export function findCommand(args: readonly string[]): Command | undefined {
  const two = args.slice(0, 2).join(' ');
  return COMMANDS.find(({ name }) => name === two) ?? COMMANDS.find(({ name }) => name === args[0]);
}

/** All commands, or those of a group. */
function formatOverview(group: string): string {
  const commands = group === '' ? COMMANDS : listGroupCommands(group);
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  const usage = ['Usage: tollgate', ...(group === '' ? [] : [group]), '<command> [options]'];
  return [
    ...(group === '' ? ['Tollgate: one address and one key in front of every model vendor.', ''] : []),
    usage.join(' '),
    '',
    ...lines,
    '',
    'Every command takes --help and --config FILE (NAME=value lines; the environment takes precedence).',
    'Exit codes: 0 done, 1 failed, 2 wrong usage.',
  ].join('\n');
}

function formatHelp(command: Command): string {
  const lines = [
    ...command.help,
    '--config FILE  settings as NAME=value lines; the environment takes precedence',
    '--help  print this help',
  ];
  return [
    `Usage: tollgate ${command.name}${command.usage === '' ? '' : ` ${command.usage}`}`,
    '',
    command.summary,
    ...(command.notes ?? []),
    '',
    ...aligned(lines).map((line) => `  ${line}`),
  ].join('\n');
}

/** Two spaces separate an option from its meaning; all meanings are aligned. */
function aligned(lines: readonly string[]): readonly string[] {
  return facts(lines.map((line) => [line.split('  ', 1)[0] ?? '', line.replace(/^.*? {2,}/, '')]));
}
