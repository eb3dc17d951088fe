import { NAME_LENGTH_MAX, PAGE_NUMBER_MAX, PAGE_SIZE_MAX } from '../bounds.ts';
import { AMOUNT_MICRO_MAX, formatMicro, parseMicro } from '../kernel/money.ts';
import { type CommandInput, requiredOption, stringOption, UsageError } from './command.ts';

/** Readers of option values. Each returns a value or throws what the option must be. */

export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} must be a whole number`);
  return Number(text);
}

/** `mostMicro` is the limit where it is not that of amounts, e.g. for a rate. */
export function parseDecimal(text: string, name: string, mostMicro: bigint = AMOUNT_MICRO_MAX): bigint {
  const amount = parseMicro(text);
  if (amount === undefined || amount < 0n || amount > mostMicro) {
    const most = formatMicro(mostMicro);
    throw new UsageError(
      `--${name} must be a decimal from 0 to ${most} with at most six decimals, e.g. 12.50`,
    );
  }
  return amount;
}

/** An amount to move, greater than 0. */
export function positiveAmount(text: string, name: string): bigint {
  const amount = parseDecimal(text, name);
  if (amount === 0n) throw new UsageError(`--${name} must be more than 0`);
  return amount;
}

export function choiceOf<const Value extends string>(
  text: string,
  name: string,
  values: readonly Value[],
): Value {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
}

export function parseName(text: string): string {
  if (text.trim() === '' || text.length > NAME_LENGTH_MAX) {
    throw new UsageError(`--name must have 1 to ${NAME_LENGTH_MAX} characters`);
  }
  return text;
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

export function requiredValue<Value>(
  input: CommandInput,
  name: string,
  read: (text: string, name: string) => Value,
): Value {
  return read(requiredOption(input, name), name);
}

const PAGE_SIZE = 20;
export const PAGE_OPTIONS = { page: { type: 'string' }, size: { type: 'string' } } as const;
export const SIZE_HELP = `--size N  entries per page, up to ${PAGE_SIZE_MAX}; default ${PAGE_SIZE}`;
export const PAGE_HELP = ['--page N  number of the page, from 1', SIZE_HELP];

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export function readPage(input: CommandInput): Page {
  const page = optionalValue(input, 'page', wholeNumber) ?? 1;
  const limit = readPageSize(input);
  if (page < 1 || page > PAGE_NUMBER_MAX) throw new UsageError(`--page must be 1 to ${PAGE_NUMBER_MAX}`);
  return { offset: (page - 1) * limit, limit };
}

export function readPageSize(input: CommandInput): number {
  const size = optionalValue(input, 'size', wholeNumber) ?? PAGE_SIZE;
  if (size < 1 || size > PAGE_SIZE_MAX) throw new UsageError(`--size must be 1 to ${PAGE_SIZE_MAX}`);
  return size;
}
