import { type CommandInput, stringOption, UsageError } from './command.ts';

/** Readers of option values that no operation reads. Each returns a value or throws what it must be. */

export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} must be a whole number`);
  return Number(text);
}

export function parseChoice<const Value extends string>(
  text: string,
  name: string,
  values: readonly Value[],
): Value {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
}

/** An optional option: the reader runs only if it is given. */
export function optionalValue<Value>(
  input: CommandInput,
  name: string,
  read: (text: string, name: string) => Value,
): Value | undefined {
  const text = stringOption(input, name);
  return text === undefined ? undefined : read(text, name);
}
