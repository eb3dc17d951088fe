import { NAME_LENGTH_MAX, PAGE_NUMBER_MAX, PAGE_SIZE_MAX } from '../bounds.ts';
import { AMOUNT_MICRO_MAX, formatMicro, parseMicro } from '../kernel/money.ts';
import { type CommandInput, requiredOption, stringOption, UsageError } from './command.ts';

/** What options mean. Each reader answers a value or says what the option wants. */

export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} is a whole number`);
  return Number(text);
}

/** `mostMicro` where an amount is not the limit, e.g. of a rate. */
export function parseDecimal(text: string, name: string, mostMicro: bigint = AMOUNT_MICRO_MAX): bigint {
  const amount = parseMicro(text);
  if (amount === undefined || amount < 0n || amount > mostMicro) {
    const most = formatMicro(mostMicro);
    throw new UsageError(`--${name} is a decimal from 0 to ${most} with at most six decimals, e.g. 12.50`);
  }
  return amount;
}

/** An amount that moves: more than nothing. */
export function positiveAmount(text: string, name: string): bigint {
  const amount = parseDecimal(text, name);
  if (amount === 0n) throw new UsageError(`--${name} is more than 0`);
  return amount;
}

export function choiceOf<const Value extends string>(
  text: string,
  name: string,
  values: readonly Value[],
): Value {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${name} is ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
}

export function parseName(text: string): string {
  if (text.trim() === '' || text.length > NAME_LENGTH_MAX) {
    throw new UsageError(`--name has 1 to ${NAME_LENGTH_MAX} characters`);
  }
  return text;
}

/** An option that may be left out: its reader sees it only when it is there. */
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
export const SIZE_HELP = `--size N  entries of a page, up to ${PAGE_SIZE_MAX}; ${PAGE_SIZE} unless said`;
export const PAGE_HELP = ['--page N  from 1', SIZE_HELP];

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export function readPage(input: CommandInput): Page {
  const page = optionalValue(input, 'page', wholeNumber) ?? 1;
  const limit = readPageSize(input);
  if (page < 1 || page > PAGE_NUMBER_MAX) throw new UsageError(`--page is 1 to ${PAGE_NUMBER_MAX}`);
  return { offset: (page - 1) * limit, limit };
}

export function readPageSize(input: CommandInput): number {
  const size = optionalValue(input, 'size', wholeNumber) ?? PAGE_SIZE;
  if (size < 1 || size > PAGE_SIZE_MAX) throw new UsageError(`--size is 1 to ${PAGE_SIZE_MAX}`);
  return size;
}
