import { isJsonObject } from '../../kernel/encoding/json.ts';
import { ArchiveDamaged } from './archive-reader.ts';

/** The first entry of a backup: what is in it, and which version can read it. */
export interface BackupAbout {
  readonly format: 1;
  /** Of Tollgate. */
  readonly version: string;
  /** The moment of the snapshot. */
  readonly taken_at: string;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  /** The months of the logs. */
  readonly months: readonly string[];
  /** The last number that each sequence gave. */
  readonly sequences: readonly { readonly name: string; readonly last: string }[];
  /** How many things are encrypted with the secret. */
  readonly sealed: Sealed;
  readonly has_secret: boolean;
  /** What only the right secret opens; null if no server ever started with this data. */
  readonly check_value: string | null;
}

export interface Sealed {
  readonly credentials: number;
  readonly byok_credentials: number;
  readonly documents: number;
  readonly conversations: number;
}

/** Sums of the books. They must be the same after a restore. */
export interface Totals {
  readonly accounts: string;
  readonly credits_micro: string;
  readonly balance_micro: string;
  readonly ledger_entries: string;
  readonly ledger_micro: string;
  readonly calls: string;
  readonly consumed_micro: string;
}

export const ABOUT_NAME = 'backup.json';
export const SECRET_NAME = 'secret';
export const JOURNAL_PREFIX = 'data/';
export const TABLE_PREFIX = 'tables/';
export const FORMAT = 1;

const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** Names become part of statements, so their form is checked. */
export function checkAbout(value: Readonly<Record<string, unknown>>): BackupAbout {
  if (value.format !== FORMAT) {
    throw new ArchiveDamaged('the backup has a form that this version does not know');
  }
  const about = value as unknown as BackupAbout;
  const isRight =
    isListOf(
      about.tables,
      ({ name, columns }) => isName(name) && isTexts(columns) && columns.every(isName),
    ) &&
    isListOf(about.sequences, ({ name, last }) => isName(name) && /^\d{1,19}$/.test(String(last))) &&
    isListOf(about.migrations, ({ name, checksum }) => isText(name) && isText(checksum)) &&
    isTexts(about.months) &&
    about.months.every((month) => MONTH.test(month)) &&
    isJsonObject(about.sealed) &&
    (about.check_value === null || isText(about.check_value)) &&
    isText(about.taken_at);
  if (!isRight) throw new ArchiveDamaged(`the entry ${ABOUT_NAME} cannot be read`);
  return about;
}

function isListOf(
  value: unknown,
  isRight: (item: Readonly<Record<string, unknown>>) => boolean,
): value is readonly unknown[] {
  return Array.isArray(value) && value.every((item) => isJsonObject(item) && isRight(item));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isName(value: unknown): boolean {
  return isText(value) && NAME.test(value);
}
