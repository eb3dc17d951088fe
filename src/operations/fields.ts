import { NAME_LENGTH_MAX, PAGE_NUMBER_MAX, PAGE_SIZE_MAX } from '../bounds.ts';
import { AMOUNT_MICRO_MAX, formatMicro, parseMicro } from '../kernel/money.ts';
import type { Times } from '../kernel/time/calendar.ts';
import { IDS_PER_REQUEST_MAX } from './bounds.ts';
import { type Failure, fail } from './failure.ts';
import type { PageAnswer } from './operation.ts';
import { type TProperties, type TSchema, Type } from './schema.ts';

/** Fields that operations of all groups share, so that one kind of value has one form everywhere. */

export const ID = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** People choose the numbers of policies, up to the maximum of the column. */
export const POLICY_ID = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
export const ID_PARAMS = Type.Object({ id: ID });
/** Not blank, and on one line. */
export const NAME = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  form: `a text of 1 to ${NAME_LENGTH_MAX} characters in one line, and not blank`,
  description: `Up to ${NAME_LENGTH_MAX} characters.`,
});
export const STATUS = Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]);
/** Read by kernel/money.ts. JSON numbers are floats. */
export const AMOUNT = Type.String({
  pattern: '^\\d{1,13}(\\.\\d{1,6})?$',
  maxLength: 20,
  form: 'a decimal in quotes such as "12.5", not below zero and with at most six decimals',
  description: 'A decimal with at most six decimals.',
});
/** An amount of an answer. It may be negative. */
export const SHOWN_AMOUNT = Type.String({ pattern: '^-?\\d{1,19}(\\.\\d{1,6})?$', maxLength: 28 });
export const TIME = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
  maxLength: 19,
  form: 'a time such as 2026-11-15 09:05:00 (YYYY-MM-DD hh:mm:ss)',
  description: '`YYYY-MM-DD hh:mm:ss` in the time zone of the server.',
});

export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

const PAGE_FIELDS = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_NUMBER_MAX, default: 1 })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: 20 })),
};
export const PAGE_QUERY = Type.Object(PAGE_FIELDS);

/** The query of a paged operation with its own filters. */
export function pageQuery<Fields extends TProperties>(fields: Fields) {
  return Type.Object({ ...PAGE_FIELDS, ...fields });
}

const PAGE_SIZE = 20;

/** The requested page as an offset and a limit. */
export interface Excerpt {
  readonly page: number;
  readonly size: number;
  readonly offset: number;
  readonly limit: number;
}

export function readExcerpt(query: { readonly page?: number; readonly size?: number }): Excerpt {
  const { page = 1, size = PAGE_SIZE } = query;
  return { page, size, offset: (page - 1) * size, limit: size };
}

export function toPage(rows: readonly unknown[], total: number, { page, size }: Excerpt): PageAnswer {
  return { kind: 'page', rows, total, page, size };
}

/** `ids=1,2,3` of deletions by a list of ids (rule I-67). */
export const IDS_QUERY = Type.Object({
  ids: Type.String({
    pattern: `^[1-9]\\d{0,15}(,[1-9]\\d{0,15}){0,${IDS_PER_REQUEST_MAX - 1}}$`,
    maxLength: 17 * IDS_PER_REQUEST_MAX,
    form: `1 to ${IDS_PER_REQUEST_MAX} ids, separated by commas, such as 3,7`,
    description: 'Ids, separated by commas.',
  }),
});

/** The ids of a checked text without duplicates, or the failure. */
export function parseIds(text: string): readonly number[] | Failure {
  const ids = [...new Set(text.split(',').map(Number))];
  if (ids.every((id) => Number.isSafeInteger(id) && id > 0)) return ids;
  return fail('badParameter', 'ids contains a number that is too large for an id');
}

/** The amount of a checked text; undefined if it is above the maximum. */
export function parseAmount(text: string): bigint | undefined {
  const amount = parseMicro(text);
  return amount === undefined || amount < 0n ? undefined : amount;
}

/** The failure that names the maximum amount. */
export function tooLarge(name: string): Failure {
  return fail('badParameter', `${name} must be at most ${formatMicro(AMOUNT_MICRO_MAX)}`);
}

/** The failure of an amount that an account has no room for. */
export function tooMuch(): Failure {
  return fail('badParameter', `amount would raise the account above ${formatMicro(AMOUNT_MICRO_MAX)}`);
}

/** The moment of a text of the form TIME, or the failure. */
export function parseMoment(name: string, text: string, { readTime, timeZone }: Times): number | Failure {
  const problem = `${name} is a date or time that does not exist in the time zone ${timeZone}`;
  return readTime(text) ?? fail('badParameter', problem);
}
