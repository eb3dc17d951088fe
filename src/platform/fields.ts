import { NAME_LENGTH_MAX, PAGE_NUMBER_MAX, PAGE_SIZE_MAX } from '../bounds.ts';
import { AMOUNT_MICRO_MAX, formatMicro, parseMicro } from '../kernel/money.ts';
import { IDS_PER_REQUEST_MAX } from './bounds.ts';
import type { PageAnswer } from './endpoint.ts';
import { type Failure, fail } from './http/failure.ts';
import { type TProperties, type TSchema, Type } from './http/schema.ts';

/** What the rows of all groups are made of, so that one kind of value has one form everywhere. */

export const ID = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** Policies have numbers that people choose, up to what the store counts to. */
export const POLICY_ID = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
export const ID_PARAMS = Type.Object({ id: ID });
/** Neither blank nor able to break a line. */
export const NAME = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  form: `a text of 1 to ${NAME_LENGTH_MAX} characters in one line, and not blank`,
  description: `Up to ${NAME_LENGTH_MAX} characters.`,
});
export const STATUS = Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]);
/** kernel/money.ts reads it; JSON's own numbers are floats. */
export const AMOUNT = Type.String({
  pattern: '^\\d{1,13}(\\.\\d{1,6})?$',
  maxLength: 20,
  form: 'a decimal in quotes such as "12.5", not below zero and with at most six decimals',
  description: 'A decimal with at most six decimals.',
});
/** A shown amount; only what the platform tells can be below nothing. */
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

/** The query of a paged row with filters of its own. */
export function pageQuery<Fields extends TProperties>(fields: Fields) {
  return Type.Object({ ...PAGE_FIELDS, ...fields });
}

const PAGE_SIZE = 20;

/** The wanted page as an excerpt of a list. */
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

/** Each once, or nothing when one of them is no id. */
export function parseIds(text: string): readonly number[] | undefined {
  const ids = new Set(text.split(',').map(Number));
  for (const id of ids) if (!Number.isSafeInteger(id) || id < 1) return undefined;
  return [...ids];
}

/** The amount of a checked text; nothing when it is larger than any we take. */
export function parseAmount(text: string): bigint | undefined {
  const amount = parseMicro(text);
  return amount === undefined || amount < 0n ? undefined : amount;
}

/** The largest amount there is, for whoever named a larger one. */
export function tooLarge(name: string): Failure {
  return fail('badParameter', `${name} must be at most ${formatMicro(AMOUNT_MICRO_MAX)}`);
}

export interface Times {
  /** TOLLGATE_TIMEZONE. */
  readonly timeZone: string;
  /** `YYYY-MM-DD hh:mm:ss` there. */
  showTime(timeMs: number): string;
  /** Nothing when no clock there shows such a time. */
  readTime(text: string): number | undefined;
}

/** The moment that a text of the form TIME means, or what is wrong with it. */
export function parseMoment(name: string, text: string, { readTime, timeZone }: Times): number | Failure {
  const problem = `${name} is a date or time that does not exist in the time zone ${timeZone}`;
  return readTime(text) ?? fail('badParameter', problem);
}
