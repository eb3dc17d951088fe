import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import { type LogFilter, PAYERS, type TimeRange, type UsageFilter } from '../../ledger/log.ts';
import { LOG_PAGE_NUMBER_MAX } from '../bounds.ts';
import { type Failure, fail } from '../failure.ts';
import { ID, parseMoment, TIME } from '../fields.ts';
import { type Static, Type } from '../schema.ts';

/** Rule I-80: the filters of the logs. */
export const RANGE_FIELDS = {
  from: Type.Optional(TIME),
  to: Type.Optional(Type.String({ ...TIME, description: 'Like `from`; exclusive.' })),
};

const CALL_FIELDS = {
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MODEL_NAME_LENGTH_MAX,
      description: 'The model that served the call. If none did, the requested model.',
    }),
  ),
  key_id: Type.Optional(ID),
  protocol: Type.Optional(Type.Union(PROTOCOLS.map((name) => Type.Literal(name)))),
  payer: Type.Optional(
    Type.Union(
      PAYERS.map((name) => Type.Literal(name)),
      { description: 'The payer. `none` for refused calls.' },
    ),
  ),
};

/** The filters of roll-ups: the fields of their keys. */
export const USAGE_FIELDS = {
  ...CALL_FIELDS,
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5]\\d\\d$',
      maxLength: 3,
      form: 'an HTTP status such as 200',
      description: 'The HTTP status that the client got.',
    }),
  ),
};

export const CONSUMPTION_FIELDS = { ...RANGE_FIELDS, ...USAGE_FIELDS };

export const CALL_LOG_FIELDS = {
  ...RANGE_FIELDS,
  ...CALL_FIELDS,
  status: Type.Optional(
    Type.String({
      pattern: '^(?:[1-5]\\d\\d|ok|failed)$',
      maxLength: 6,
      form: 'ok, failed, or an HTTP status such as 200',
      description:
        'The HTTP status that the client got; `ok` for calls that were served as requested or that the ' +
        'client aborted, `failed` for all others, including streams that broke off.',
    }),
  ),
};

/** Any page costs the same, so only arithmetic bounds its number. */
export const LOG_PAGE = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: LOG_PAGE_NUMBER_MAX, default: 1 })),
};

const FILTER = Type.Object(CALL_LOG_FIELDS);

/** The meaning of the query, or what is wrong with it. */
export function filterOf(query: Static<typeof FILTER>, times: Times): LogFilter | Failure {
  const range = rangeOf(query, times);
  if ('kind' in range) return range;
  const { status } = query;
  return {
    ...range,
    ...narrowed(query),
    status: status === undefined || status === 'ok' || status === 'failed' ? status : Number(status),
  };
}

const USAGE = Type.Object(CONSUMPTION_FIELDS);

export function usageFilterOf(query: Static<typeof USAGE>, times: Times): UsageFilter | Failure {
  const range = rangeOf(query, times);
  if ('kind' in range) return range;
  const { status } = query;
  return { ...range, ...narrowed(query), status: status === undefined ? undefined : Number(status) };
}

function narrowed(query: Static<typeof FILTER>): Pick<LogFilter, 'model' | 'keyId' | 'protocol' | 'payer'> {
  return {
    model: query.model,
    keyId: query.key_id,
    protocol: PROTOCOLS.find((name) => name === query.protocol),
    payer: PAYERS.find((name) => name === query.payer),
  };
}

const RANGE = Type.Object(RANGE_FIELDS);

export function rangeOf(query: Static<typeof RANGE>, times: Times): TimeRange | Failure {
  const range: { fromMs?: number; toMs?: number } = {};
  for (const name of ['from', 'to'] as const) {
    const text = query[name];
    if (text === undefined) continue;
    const timeMs = parseMoment(name, text, times);
    if (typeof timeMs !== 'number') return timeMs;
    range[`${name}Ms`] = timeMs;
  }
  if (range.fromMs !== undefined && range.toMs !== undefined && range.fromMs >= range.toMs) {
    return fail('badParameter', 'from must be before to');
  }
  return { fromMs: inOurTimes(range.fromMs), toMs: inOurTimes(range.toMs) };
}

/** Years that all date readers support: no data is older than 1970 or later than the year 9999. */
const LATEST_MS = Date.UTC(9999, 0);

function inOurTimes(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : Math.min(Math.max(timeMs, 0), LATEST_MS);
}
