import type { ParseArgsConfig } from 'node:util';

/** Exit codes of every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

export type Options = NonNullable<ParseArgsConfig['options']>;

/** A command as data. Its help, its options and its work come from one row. */
export interface Command {
  /** For example `key create`. */
  readonly name: string;
  readonly summary: string;
  /** The text after the name in the usage line. */
  readonly usage: string;
  readonly options: Options;
  /** The number of arguments besides the options; default none. */
  readonly words?: number;
  /** A line for each option: two spaces separate it from its meaning. */
  readonly help: readonly string[];
  /** Creates a database where there is none. All others that need one refuse. */
  readonly mayCreate?: true;
  /** What else one must know, in lines as they are printed. */
  readonly notes?: readonly string[];
  run(input: CommandInput): Promise<number>;
}

export interface CommandInput {
  readonly command: Pick<Command, 'name' | 'options' | 'mayCreate'>;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  readonly output: Output;
}

/** Where a command writes. Tests replace it. */
export interface Output {
  line(text: string): void;
  error(text: string): void;
}

export const consoleOutput: Output = {
  line: (text) => void process.stdout.write(`${text}\n`),
  error: (text) => void process.stderr.write(`${text}\n`),
};

/** A mistake of the caller. The message is shown with the usage, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure with a message for the user. It is shown as it is, exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

export function stringOption(input: CommandInput, name: string): string | undefined {
  const value = input.values[name];
  return typeof value === 'string' ? value : undefined;
}

export function requiredOption(input: CommandInput, name: string): string {
  const value = stringOption(input, name);
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`);
  return value;
}
