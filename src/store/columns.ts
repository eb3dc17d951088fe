/**
 * Rows as one array for each column. JSON would repeat the name of every value, and the driver's own arrays
 * cost several times as much to write.
 */
export interface Column<Row> {
  /** What is sent, and its meaning in SQL: `sent` stands for the value. */
  readonly type: string;
  readonly meaning?: string;
  /** The column of these rows in the array syntax of PostgreSQL. */
  readonly encode: (rows: readonly Row[]) => string;
}

export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

export const columnNames = (columns: Columns<never>): string => Object.keys(columns).join(', ');

/**
 * The rows again, from the values `$1`, `$2` … in the order of the columns. They are there when the condition
 * holds.
 */
export function columnRows(columns: Columns<never>, condition = 'true'): string {
  const types = Object.values(columns).map(({ type }, index) => `$${index + 1}::${type}[]`);
  const meanings = Object.entries(columns).map(
    ([name, { meaning = 'sent' }]) => `${meaning.replace('sent', `sent.${name}`)} as ${name}`,
  );
  const sent = `unnest(${types.join(', ')}) as sent(${columnNames(columns)})`;
  return `(select ${meanings.join(', ')} from ${sent} where ${condition}) as given`;
}

export function encodeColumns<Row>(columns: Columns<Row>, rows: readonly Row[]): string[] {
  return Object.values(columns).map(({ encode }) => encode(rows));
}

const writeArray = (texts: readonly (string | number | bigint | boolean)[]): string => `{${texts.join(',')}}`;

type Whole = number | bigint | null;

export function whole<Row>(type: 'int' | 'bigint', of: (row: Row) => Whole): Column<Row> {
  return { type, encode: (rows) => writeArray(rows.map((row) => of(row) ?? 'null')) };
}

export function flag<Row>(of: (row: Row) => boolean): Column<Row> {
  return { type: 'boolean', encode: (rows) => writeArray(rows.map(of)) };
}

/** Milliseconds since 1970: faster to write and to read than a date, and exact up to the year 2255. */
export function time<Row>(of: (row: Row) => number | null): Column<Row> {
  return { ...whole('bigint', of), meaning: "timestamptz 'epoch' + sent * interval '1 millisecond'" };
}

export function text<Row>(of: (row: Row) => string | null): Column<Row> {
  return { type: 'text', encode: (rows) => writeArray(eachOnce(rows.map(of), quoted)) };
}

export function json<Row>(of: (row: Row) => object | null): Column<Row> {
  // Printed JSON has no control characters, so its form as a JSON string is valid in an array too.
  const encode = (value: object): string => JSON.stringify(jsonText(value));
  return { type: 'jsonb', encode: (rows) => writeArray(eachOnce(rows.map(of), encode)) };
}

/** Neighbouring rows are mostly alike: the same model, the same vendor, nothing dropped. */
function eachOnce<Value>(values: readonly Value[], encode: (value: NonNullable<Value>) => string): string[] {
  let last: Value | undefined;
  let lastText = '';
  return values.map((value) => {
    if (value === null || value === undefined) return 'null';
    if (value !== last) {
      lastText = encode(value);
      last = value;
    }
    return lastText;
  });
}

// PostgreSQL stores no NUL and no half surrogate pair in a text. The other characters need escapes.
const UNSTORABLE = /[\0\ud800-\udfff]/;
const SPECIAL = /["\\\0\ud800-\udfff]/;

function quoted(value: string): string {
  return SPECIAL.test(value) ? `"${storable(value).replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;
}

/** A text that PostgreSQL can store, with a mark in place of other characters. */
export function storable(value: string): string {
  return UNSTORABLE.test(value) ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
}

// What JSON.stringify prints for them.
const UNSTORABLE_JSON = /\\u(?:0000|d[89a-f])/;

/** Model names and field names come from clients; none of them may stop a settlement. */
function jsonText(value: object): string {
  const printed = JSON.stringify(value);
  if (!UNSTORABLE_JSON.test(printed)) return printed;
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? storable(part) : part));
}
