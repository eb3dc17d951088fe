import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import type { Verdict } from '../../ledger/contract.ts';
import { type LogFilter, PAYERS, type TimeRange, type UsageFilter } from '../../ledger/log.ts';
import type { CallSearch } from '../../store/logs/call-search.ts';
import { FILTER_MODELS_MAX, LOG_PAGE_NUMBER_MAX } from '../bounds.ts';
import { type Failure, fail } from '../failure.ts';
import { ID, parseMoment, TIME } from '../fields.ts';
import { type Static, Type } from '../schema.ts';
import { VERDICTS } from './log-items.ts';

/** Rule I-80: the filters of the logs. */
export const RANGE_FIELDS = {
  from: Type.Optional(TIME),
  to: Type.Optional(Type.String({ ...TIME, description: 'Like `from`; exclusive.' })),
};

/** The filters of the balance log. */
export const BALANCE_FIELDS = {
  ...RANGE_FIELDS,
  pool: Type.Optional(
    Type.Union([Type.Literal('balance'), Type.Literal('credits')], {
      description: 'Only changes of balance, or of Credits.',
    }),
  ),
};

const CALL_FIELDS = {
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MODEL_NAME_LENGTH_MAX * FILTER_MODELS_MAX,
      description:
        'The model that served the call; if none did, the requested model. Several are separated by commas.',
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

/** The filters of a search, which reads calls as well. */
export const FOUND_FIELDS = {
  ...CALL_LOG_FIELDS,
  verdict: Type.Optional(Type.Union(VERDICTS.map((name) => Type.Literal(name)))),
  error_code: Type.Optional(Type.Integer({ minimum: 10_000, maximum: 99_999 })),
};

/** Any page costs the same, so only arithmetic bounds its number. */
export const LOG_PAGE = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: LOG_PAGE_NUMBER_MAX, default: 1 })),
};

const FILTER = Type.Object(CALL_LOG_FIELDS);

/** The meaning of the query, or what is wrong with it. */
export function readLogFilter(query: Static<typeof FILTER>, times: Times): LogFilter | Failure {
  const range = readTimeRange(query, times);
  if ('kind' in range) return range;
  const { status } = query;
  return {
    ...range,
    ...narrowed(query),
    status: status === undefined || status === 'ok' || status === 'failed' ? status : Number(status),
  };
}

const FOUND = Type.Object(FOUND_FIELDS);

export type FoundFilter = LogFilter & Pick<CallSearch, 'verdict' | 'errorCode'>;

export function readFoundFilter(query: Static<typeof FOUND>, times: Times): FoundFilter | Failure {
  const filter = readLogFilter(query, times);
  if ('kind' in filter) return filter;
  const { verdict, error_code: errorCode } = query;
  return { ...filter, status: filter.status ?? toRollUpStatus(verdict, errorCode), verdict, errorCode };
}

/** What roll-ups know of such calls. */
function toRollUpStatus(verdict: Verdict | undefined, errorCode: number | undefined): LogFilter['status'] {
  if (verdict === undefined) return errorCode === undefined ? undefined : 'failed';
  return verdict === 'complete' || verdict === 'cut-by-client' ? 'ok' : 'failed';
}

const USAGE = Type.Object(CONSUMPTION_FIELDS);

export function readUsageFilter(query: Static<typeof USAGE>, times: Times): UsageFilter | Failure {
  const range = readTimeRange(query, times);
  if ('kind' in range) return range;
  const { status } = query;
  return { ...range, ...narrowed(query), status: status === undefined ? undefined : Number(status) };
}

function narrowed(query: Static<typeof FILTER>): Pick<LogFilter, 'models' | 'keyId' | 'protocol' | 'payer'> {
  return {
    models: query.model === undefined ? undefined : parseModelNames(query.model),
    keyId: query.key_id,
    protocol: PROTOCOLS.find((name) => name === query.protocol),
    payer: PAYERS.find((name) => name === query.payer),
  };
}

/** A name may contain a comma itself, so the whole text counts as a name too. */
function parseModelNames(text: string): readonly string[] {
  const names = text.split(',', FILTER_MODELS_MAX).filter((name) => name !== '');
  return [...new Set([text, ...names])];
}

const RANGE = Type.Object(RANGE_FIELDS);

export function readTimeRange(query: Static<typeof RANGE>, times: Times): TimeRange | Failure {
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
