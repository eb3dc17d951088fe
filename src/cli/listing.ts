import { PAGE_SIZE_MAX } from '../bounds.ts';
import { type Command, type CommandInput, type Options, stringOption } from './command.ts';
import { pageLine, say, table } from './table.ts';
import { type Asked, atTerminal, type Row, type Terminal } from './terminal.ts';

export const TEXT = { type: 'string' } as const;
export const ACCOUNT_HELP = '--account EMAIL  e-mail address of the account';
export const JSON_HELP = '--json           print JSON';
export const JSON_OPTION = { json: { type: 'boolean' } } as const;
/** The options of every command about an account. */
export const ACCOUNT_OPTION = { account: TEXT, ...JSON_OPTION } as const;

export const SIZE_HELP = `--size N  entries per page, up to ${PAGE_SIZE_MAX}; default 20`;
export const PAGE_OPTIONS = { page: TEXT, size: TEXT } as const;
export const PAGE_HELP = ['--page N  number of the page, from 1', SIZE_HELP];

/** A heading, and the field of a row below it or what is made of the row. */
export type Columns = Readonly<Record<string, string | ((row: Row) => unknown)>>;

export function rowsTable(columns: Columns, rows: readonly Row[]): readonly string[] {
  const cells = rows.map((row) =>
    Object.values(columns).map((of) => cell(typeof of === 'string' ? row[of] : of(row))),
  );
  return table(Object.keys(columns), cells);
}

/** Objects as JSON, and nothing for null. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The given options as fields of an operation. Those with another name are named in `fields`. */
export function given(
  input: CommandInput,
  options: readonly string[],
  fields: Readonly<Record<string, string>> = {},
): Row {
  return Object.fromEntries(
    options.map((option) => [fields[option] ?? option.replaceAll('-', '_'), stringOption(input, option)]),
  );
}

/** Digits as a number. Any other text stays, and the operation says what it must be. */
export function numeric(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** The word that removes a value, as null. */
export function orNull(value: unknown, word: string): unknown {
  return value === word ? null : value;
}

/** A command that prints the pages of an operation. */
interface Listing {
  readonly name: string;
  readonly summary: string;
  readonly operation: string;
  /** Whether it is about one account. */
  readonly of: 'all' | 'account';
  /** The options that are filters of the operation: the name, its value, and what it does. */
  readonly filters?: readonly (readonly [option: string, value: string, meaning: string])[];
  readonly columns: Columns;
}

export function listing({ operation, of, filters = [], columns, ...named }: Listing): Command {
  const names = filters.map(([option]) => option);
  const options: Options = Object.fromEntries(names.map((name) => [name, TEXT]));
  const isOfAccount = of === 'account';
  const usage = filters.map(([option, value]) => `[--${option} ${value}] `).join('');
  return {
    ...named,
    usage: `${isOfAccount ? '--account EMAIL ' : ''}${usage}[--page N] [--size N] [--json]`,
    options: { ...(isOfAccount ? ACCOUNT_OPTION : JSON_OPTION), ...options, ...PAGE_OPTIONS },
    help: [
      ...(isOfAccount ? [ACCOUNT_HELP] : []),
      ...filters.map(([option, value, meaning]) => `--${option} ${value}  ${meaning}`),
      ...[...PAGE_HELP, JSON_HELP],
    ],
    run: (input) =>
      atTerminal(input, async (terminal) => {
        const query = given(input, [...names, 'page', 'size']);
        const about = isOfAccount ? { accountId: await terminal.account() } : {};
        await printPage(input, terminal, { operation, columns, asked: { query, ...about } });
      }),
  };
}

export async function printPage(
  input: CommandInput,
  terminal: Terminal,
  { operation, asked, columns }: { operation: string; asked: Asked; columns: Columns },
): Promise<void> {
  const { rows, total, page, size } = await terminal.page(operation, asked);
  say(input, { total, items: rows }, [
    ...rowsTable(columns, rows as readonly Row[]),
    ...pageLine(rows.length, (page - 1) * size, total),
  ]);
}
