import { parseArgs } from 'node:util';
import { VERSION } from '../kernel/version.ts';
import { type Command, CommandFailed, consoleOutput, EXIT, type Output, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { facts } from './table.ts';

/** Finds the command, reads its options, runs it and turns what happens into an exit code. */
export async function runCommand(args: readonly string[], output: Output = consoleOutput): Promise<number> {
  const first = args[0];
  if (first === undefined || first === 'help' || asksForHelp(first)) {
    output.line(overview(COMMANDS));
    return first === undefined ? EXIT.usage : EXIT.ok;
  }
  if (first === '--version' || first === '-v') {
    output.line(VERSION);
    return EXIT.ok;
  }
  const command = findCommand(args);
  if (command !== undefined) {
    return await runFound(command, args.slice(command.name.split(' ').length), output);
  }
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  const known = overview(group.length === 0 ? COMMANDS : group);
  if (group.length > 0 && asksForHelp(args[1])) {
    output.line(known);
    return EXIT.ok;
  }
  output.error(`tollgate: unknown command "${args.slice(0, 2).join(' ')}"\n\n${known}`);
  return EXIT.usage;
}

function asksForHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

async function runFound(command: Command, args: readonly string[], output: Output): Promise<number> {
  try {
    const { values, positionals } = parse(command, args);
    if (values.help === true) {
      output.line(helpOf(command));
      return EXIT.ok;
    }
    return await command.run({ values, positionals, output });
  } catch (error) {
    if (error instanceof UsageError) {
      output.error(`tollgate ${command.name}: ${error.message}\n\n${helpOf(command)}`);
      return EXIT.usage;
    }
    if (error instanceof CommandFailed) {
      output.error(`tollgate ${command.name}: ${error.message}`);
      return EXIT.failed;
    }
    throw error;
  }
}

function parse(
  command: Command,
  args: readonly string[],
): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  try {
    const options = {
      ...command.options,
      config: { type: 'string' as const },
      help: { type: 'boolean' as const, short: 'h' },
    };
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    return {
      values: parsed.values as Record<string, string | boolean | undefined>,
      positionals: parsed.positionals,
    };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The longest name wins: `key create` before `key`. */
function findCommand(args: readonly string[]): Command | undefined {
  const two = args.slice(0, 2).join(' ');
  return COMMANDS.find(({ name }) => name === two) ?? COMMANDS.find(({ name }) => name === args[0]);
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Tollgate: one address and one key in front of every model vendor.',
    '',
    'Usage: tollgate <command> [options]',
    '',
    ...lines,
    '',
    'Every command takes --help and --config FILE (lines NAME=value; the environment wins).',
    'Exit codes: 0 done, 1 failed, 2 wrong usage.',
  ].join('\n');
}

function helpOf(command: Command): string {
  const lines = [
    ...command.help,
    '--config FILE  settings as NAME=value lines; the environment wins',
    '--help  this text',
  ];
  return [
    `Usage: tollgate ${command.name}${command.usage === '' ? '' : ` ${command.usage}`}`,
    '',
    command.summary,
    '',
    ...aligned(lines).map((line) => `  ${line}`),
  ].join('\n');
}

/** Two spaces part an option from its meaning; all meanings stand below each other. */
function aligned(lines: readonly string[]): readonly string[] {
  return facts(lines.map((line) => [line.split('  ', 1)[0] ?? '', line.replace(/^.*? {2,}/, '')]));
}
