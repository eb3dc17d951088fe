import type { Data, Row } from '../../api/api.ts';
import { PROTOCOLS } from '../../api/protocols.ts';
import type { ServerTimes } from '../../app/server-time.ts';

/** The calls of the reader, or of all accounts. */
export type Of = 'own' | 'all';

/** A row of the list. Operators also see whose it is. */
export type Call = Row<'listCalls'> & Partial<Pick<Data<'getAnyCall'>, 'account_id' | 'email' | 'vendor'>>;
export type CallDetail = Data<'getCallByItsRequestId'> &
  Partial<Pick<Data<'getAnyCall'>, 'account_id' | 'email' | 'vendor'>>;

export const PERIODS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720, '90d': 2160, '365d': 8760 } as const;
export type Period = keyof typeof PERIODS;
export const USUAL_PERIOD: Period = '24h';

export const VERDICTS = [
  ...(['complete', 'cut-by-client', 'cut-by-upstream', 'cut-by-gateway'] as const),
  ...(['refused', 'failed'] as const),
];
export const PAYERS = ['credits', 'subscription', 'byok', 'none'] as const;
export const STATUSES = [200, 400, 401, 403, 404, 413, 429, 500, 502, 503, 504] as const;
export const ERROR_CODES = [
  40002, 40003, 40004, 40101, 40201, 40202, 40203, 40204, 40401, 40402, 42901, 42902, 42903, 50001, 50201,
  50202, 50301, 50401,
] as const;

/** What the address holds. The names are those of the API. */
export interface CallSearch {
  readonly period?: Period | undefined;
  /** As the server writes times. They count instead of the period. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Several are separated by commas. */
  readonly model?: string | undefined;
  readonly key_id?: number | undefined;
  readonly status?: 'ok' | 'failed' | number | undefined;
  readonly verdict?: (typeof VERDICTS)[number] | undefined;
  readonly error_code?: number | undefined;
  readonly protocol?: (typeof PROTOCOLS)[number] | undefined;
  readonly payer?: (typeof PAYERS)[number] | undefined;
  readonly account_id?: number | undefined;
  /** The open call. */
  readonly call?: string | undefined;
  readonly live?: 'off' | undefined;
}

/** Changes the address. */
export type OnSearch = (change: CallSearch, options?: { readonly replace?: boolean }) => void;

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
export const REQUEST_ID = /^req_[\w-]{1,90}$/;
const MODELS_CHARS_MAX = 2_000;

function text(value: unknown, form: RegExp): string | undefined {
  return typeof value === 'string' && form.test(value) ? value : undefined;
}

function time(value: unknown): string | undefined {
  const written = text(value, TIME);
  return written === undefined || Number.isNaN(Date.parse(`${written.replace(' ', 'T')}Z`))
    ? undefined
    : written;
}

function whole(value: unknown, min: number, max: number): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= min && number <= max ? number : undefined;
}

function one<Value extends string>(value: unknown, all: readonly Value[]): Value | undefined {
  return all.find((each) => each === value);
}

function modelOf(value: unknown): string | undefined {
  const name = typeof value === 'number' ? String(value) : value;
  return typeof name === 'string' && name !== '' && name.length <= MODELS_CHARS_MAX ? name : undefined;
}

/** What makes no sense is dropped: an old or mistyped address still shows the list. */
export function readCallSearch(raw: Readonly<Record<string, unknown>>): CallSearch {
  // Each name is set: what a route does not name comes through as it stands in the address.
  const read: Required<CallSearch> = {
    period: one(raw.period, Object.keys(PERIODS) as Period[]),
    from: time(raw.from),
    to: time(raw.to),
    model: modelOf(raw.model),
    key_id: whole(raw.key_id, 1, Number.MAX_SAFE_INTEGER),
    status: one(raw.status, ['ok', 'failed'] as const) ?? whole(raw.status, 100, 599),
    verdict: one(raw.verdict, VERDICTS),
    error_code: whole(raw.error_code, 10_000, 99_999),
    protocol: one(raw.protocol, PROTOCOLS),
    payer: one(raw.payer, PAYERS),
    account_id: whole(raw.account_id, 1, Number.MAX_SAFE_INTEGER),
    call: text(raw.call, REQUEST_ID),
    live: one(raw.live, ['off'] as const),
  };
  return read;
}

/** The models of the filter. */
export function modelsOf({ model }: CallSearch): readonly string[] {
  return model === undefined ? [] : model.split(',').filter((name) => name !== '');
}

/** Every filter besides the period, in the order of the chips. */
export const FILTERS = [
  ...(['account_id', 'model', 'key_id', 'status', 'verdict', 'error_code'] as const),
  ...(['protocol', 'payer'] as const),
];
export type FilterName = (typeof FILTERS)[number];

export function filtersOf(search: CallSearch): readonly FilterName[] {
  return FILTERS.filter((name) => search[name] !== undefined);
}

/** The part of the address that decides which calls are listed. */
export function listKey({ call: _call, live: _live, ...search }: CallSearch): CallSearch {
  return search;
}

const HOUR_MS = 3_600_000;

export interface Span {
  readonly fromMs: number | undefined;
  /** Undefined: until now. */
  readonly toMs: number | undefined;
}

/** The times of the list. */
export function spanOf(search: CallSearch, times: ServerTimes, nowMs: number): Span {
  const { from, to, period = USUAL_PERIOD } = search;
  const toMs = to === undefined ? undefined : times.read(to);
  if (from !== undefined) return { fromMs: times.read(from), toMs };
  if (toMs !== undefined) return { fromMs: undefined, toMs };
  return { fromMs: nowMs - PERIODS[period] * HOUR_MS, toMs: undefined };
}

/** Without what is undefined. */
export function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** The query of the list, for the API. */
export function queryOf(search: CallSearch, times: ServerTimes, nowMs = Date.now()) {
  const { fromMs, toMs } = spanOf(search, times, nowMs);
  const { status, verdict, error_code, account_id: _, ...rest } = listKey(search);
  const { model, key_id, protocol, payer } = rest;
  return given({
    from: fromMs === undefined ? undefined : times.write(fromMs),
    to: toMs === undefined ? undefined : times.write(toMs),
    status: status === undefined ? undefined : String(status),
    model,
    key_id,
    protocol,
    payer,
    verdict,
    error_code,
  });
}

function isServed({ verdict }: Call): boolean {
  return verdict === 'complete' || verdict === 'cut-by-client';
}

/** Whether a call that arrives belongs into the list. */
export function passes(call: Call, search: CallSearch): boolean {
  const { model, status, key_id, verdict, error_code, protocol, payer, account_id, from, to } = search;
  const fits = <Value>(wanted: Value | undefined, is: Value) => wanted === undefined || wanted === is;
  const result = status === 'ok' ? isServed(call) : status === 'failed' ? !isServed(call) : undefined;
  return (
    (model === undefined || model === call.model_used || modelsOf(search).includes(call.model_used)) &&
    (result ?? fits(status, call.status)) &&
    fits(key_id, call.key_id) &&
    fits(verdict, call.verdict) &&
    fits(error_code, call.error_code) &&
    fits(protocol, call.protocol) &&
    fits(payer, call.payer) &&
    fits(account_id, call.account_id) &&
    (from === undefined || call.created_at >= from) &&
    (to === undefined || call.created_at < to)
  );
}

/** Whether the first stands before the second in the list: newest first. */
export function isNewer(one: Call, other: Call): boolean {
  return one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;
}
