import {
  COOL_DOWN_MS_DEFAULT,
  COOL_DOWN_MS_MAX,
  JSON_DEPTH_MAX,
  RETRY_INFO_BYTES_MAX,
} from '../../bounds.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * How long a vendor that answered 429 must not be called. The explicit hints win, in the order in which the
 * vendors' own SDKs read them; then exhausted limits; then Google's detail in the body.
 */
export function coolDownMs(headers: Headers, body: Buffer | undefined, nowMs: number): number {
  const found = askedWaitMs(headers, nowMs) ?? exhaustedMs(headers, nowMs) ?? retryInfoMs(body);
  return found ?? COOL_DOWN_MS_DEFAULT;
}

/** `retry-after-ms` or `retry-after`, up to the bound; undefined if neither is valid. */
export function askedWaitMs(headers: Headers, nowMs: number): number | undefined {
  const exact = parseNumber(headers['retry-after-ms']);
  if (exact !== undefined) return bounded(exact);
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  const seconds = parseNumber(text);
  if (seconds !== undefined) return bounded(seconds * 1000);
  return untilMs(text, HTTP_DATE, nowMs);
}

/** The furthest reset of all exhausted limits. Before it one of them would refuse again. */
function exhaustedMs(headers: Headers, nowMs: number): number | undefined {
  let longest: number | undefined;
  for (const name in headers) {
    const match = /^(x-ratelimit-remaining-|anthropic-ratelimit-)([a-z-]{1,40}?)(-remaining)?$/.exec(name);
    if (match === null || headers[name]?.trim() !== '0') continue;
    const [, prefix, dimension = '', suffix] = match;
    if ((prefix === 'anthropic-ratelimit-') !== (suffix !== undefined)) continue;
    const resetName =
      suffix === undefined ? `x-ratelimit-reset-${dimension}` : `anthropic-ratelimit-${dimension}-reset`;
    const wait = parseReset(headers[resetName], nowMs);
    if (wait !== undefined && wait > (longest ?? -1)) longest = wait;
  }
  return longest;
}

/** `6m0s`, `1s`, `20ms`, plain seconds, or an RFC 3339 instant. */
function parseReset(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim();
  if (text === undefined || text === '') return undefined;
  const seconds = parseNumber(text);
  if (seconds !== undefined) return bounded(seconds * 1000);
  return parseDuration(text) ?? untilMs(text, RFC3339, nowMs);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const DURATION =
  /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;

function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null || text === '') return undefined;
  const [, hours = '0', minutes = '0', seconds = '0', millis = '0'] = match;
  return bounded(
    Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(millis),
  );
}

function untilMs(text: string, form: RegExp, nowMs: number): number | undefined {
  if (!form.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : bounded(instant - nowMs);
}

function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s{0,9}\d{1,15}(\.\d{1,9})?\s{0,9}$/.test(text)) return undefined;
  return Number(text);
}

/** A moment in the past means now. */
function bounded(waitMs: number): number {
  return Math.min(Math.max(0, Math.ceil(waitMs)), COOL_DOWN_MS_MAX);
}

// Decoding replaces an invalid byte with three.
const RETRY_INFO_BOUNDS = { bytesMax: RETRY_INFO_BYTES_MAX * 3, depthMax: JSON_DEPTH_MAX };

/** `{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}` */
function retryInfoMs(body: Buffer | undefined): number | undefined {
  if (body === undefined || body.length > RETRY_INFO_BYTES_MAX || !body.includes('RetryInfo'))
    return undefined;
  const parsed = parseJson(body.toString('utf8'), RETRY_INFO_BOUNDS);
  if (parsed.kind === 'invalid') return undefined;
  // Without `alt=sse` Google streams an array, also for errors.
  const error = property(Array.isArray(parsed.value) ? parsed.value[0] : parsed.value, 'error');
  const details = property(error, 'details');
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const type = property(detail, '@type');
    const delay = property(detail, 'retryDelay');
    if (typeof type !== 'string' || !type.endsWith('google.rpc.RetryInfo')) continue;
    if (typeof delay === 'string') return parseDuration(delay);
  }
  return undefined;
}

function property(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
