import { crc32 } from 'node:zlib';
import { JOURNAL_RECORD_BYTES_MAX } from '../bounds.ts';
import type { Prices } from '../catalog/contract.ts';
import type { PriceSnapshot, Rates } from '../catalog/price.ts';
import type { LeasedWindow, RememberedWindow } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Usage } from '../kernel/usage.ts';
import type { Attempt, CallRecord, OpenCall } from './contract.ts';

/**
 * The journal's records. One line each: CRC-32 of the JSON as eight hexadecimal digits, a space, the JSON, a
 * line feed. JSON never contains a raw line feed, so a torn or flipped record costs itself and nothing else.
 * Field names are those of the contract; bigints are decimal strings. The text is put together by hand
 * because two records are written on the path of every call; record-reader.ts is the other half of the pair.
 */
export type JournalRecord =
  | { readonly kind: 'open'; readonly call: OpenCall }
  | { readonly kind: 'mark'; readonly callId: string; readonly usage: Usage; readonly atMs: number }
  | { readonly kind: 'end'; readonly call: CallRecord };

/** Eight digits and a space before the JSON, a line feed after it. */
export const FRAME_HEAD_BYTES = 9;
export const FRAME_BYTES_MAX = FRAME_HEAD_BYTES + JOURNAL_RECORD_BYTES_MAX + 1;

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const HEX = Buffer.from('0123456789abcdef', 'latin1');

/** Writes the framed line into `target`; answers its length, nothing when it is too long. */
export function frameInto(target: Buffer, json: string, at = 0): number | undefined {
  assert(target.length - at >= FRAME_BYTES_MAX, 'a frame has room');
  // A UTF-16 unit is at most three bytes of UTF-8; only long texts have to be measured.
  if (json.length * 3 > JOURNAL_RECORD_BYTES_MAX && Buffer.byteLength(json) > JOURNAL_RECORD_BYTES_MAX) {
    return undefined;
  }
  const start = at + FRAME_HEAD_BYTES;
  const bytes = target.write(json, start, 'utf8');
  const checksum = crc32(target.subarray(start, start + bytes));
  for (let digit = 0; digit < 8; digit++) {
    target[at + digit] = HEX[(checksum >>> (28 - digit * 4)) & 15] ?? 0;
  }
  target[start - 1] = SPACE;
  target[start + bytes] = LINE_FEED;
  return FRAME_HEAD_BYTES + bytes + 1;
}

export function encodeOpen(call: OpenCall): string {
  assert(isCount(call.createdAtMs) && isCount(call.inputTokens) && isCount(call.images), 'counts are counts');
  assert(call.heldMicro >= 0n, 'a hold is never negative');
  return (
    `{"kind":"open","call":{${encodeCaller(call)},"routeId":${call.routeId}` +
    `,"vendor":${quote(call.vendor)},"protocolOut":"${call.protocolOut}"` +
    `,"price":${encodePrice(call.price)},"inputTokens":${call.inputTokens},"images":${call.images}` +
    `,"heldMicro":"${call.heldMicro}"${encodeWindows(call.windows)}}}`
  );
}

export function encodeMark(callId: string, usage: Usage, atMs: number): string {
  assert(isCount(atMs), 'a time is a count');
  return `{"kind":"mark","callId":${quoteId(callId)},"usage":${encodeUsage(usage)},"atMs":${atMs}}`;
}

export function encodeEnd(call: CallRecord): string {
  assert(isCount(call.createdAtMs) && isCount(call.status), 'counts are counts');
  assert(isDuration(call.durationMs) && (call.ttfbMs === null || isDuration(call.ttfbMs)), 'time goes on');
  assert(call.amountMicro >= 0n && call.chargeMicro >= 0n && call.heldMicro >= 0n, 'money is never negative');
  const dropped = call.droppedFields.length === 0 ? '[]' : JSON.stringify(call.droppedFields);
  return (
    `{"kind":"end","call":{${encodeCaller(call)},"routeId":${call.routeId}` +
    `,"vendor":${quote(call.vendor)},"protocolOut":${quote(call.protocolOut)}` +
    `,"status":${call.status},"errorCode":${call.errorCode},"usage":${encodeUsage(call.usage)}` +
    `,"estimated":${call.estimated},"price":${call.price === null ? 'null' : encodePrice(call.price)}` +
    `,"amountMicro":"${call.amountMicro}","chargeMicro":"${call.chargeMicro}"` +
    `,"freeReason":${quote(call.freeReason)},"verdict":"${call.verdict}"` +
    `,"attempts":[${call.attempts.map(encodeAttempt).join()}],"heldMicro":"${call.heldMicro}"` +
    `,"ttfbMs":${call.ttfbMs},"durationMs":${call.durationMs},"droppedFields":${dropped}` +
    `${encodeWindows(call.windows)}}}`
  );
}

/** Names of dropped fields come from clients and are the only part without a bound of its own. */
export function withoutDroppedFields(call: CallRecord): CallRecord {
  return { ...call, droppedFields: [] };
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isId(value: number | null): boolean {
  return value === null || Number.isSafeInteger(value);
}

export function isDuration(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}

function encodeCaller(call: OpenCall | CallRecord): string {
  assert(isId(call.accountId) && isId(call.keyId) && isId(call.routeId), 'ids are whole numbers');
  return (
    `"callId":${quoteId(call.callId)},"createdAtMs":${call.createdAtMs},"accountId":${call.accountId}` +
    `,"keyId":${call.keyId},"keyName":${quote(call.keyName)},"modelAsked":${quote(call.modelAsked)}` +
    `,"modelUsed":${quote(call.modelUsed)},"protocolIn":"${call.protocolIn}","stream":${call.stream}` +
    `,"payer":"${call.payer}"`
  );
}

function encodeUsage(usage: Usage): string {
  assert(
    isCount(usage.inputFresh) &&
      isCount(usage.cacheRead) &&
      isCount(usage.cacheWrite) &&
      isCount(usage.outputText) &&
      isCount(usage.outputReasoning) &&
      isCount(usage.images) &&
      isCount(usage.videos),
    'usage is whole numbers from 0',
  );
  return (
    `{"inputFresh":${usage.inputFresh},"cacheRead":${usage.cacheRead},"cacheWrite":${usage.cacheWrite}` +
    `,"outputText":${usage.outputText},"outputReasoning":${usage.outputReasoning}` +
    `,"images":${usage.images},"videos":${usage.videos}}`
  );
}

function encodeAttempt(attempt: Attempt): string {
  assert(isId(attempt.routeId) && isDuration(attempt.durationMs), 'an attempt has a route and takes time');
  return (
    `{"routeId":${attempt.routeId},"vendor":${quote(attempt.vendor)}` +
    `,"credential":${quote(attempt.credential)},"outcome":${quote(attempt.outcome)}` +
    `,"durationMs":${attempt.durationMs}}`
  );
}

/** Most calls are counted by no window, or by one that outlives the process: then the field is absent. */
function encodeWindows(windows: readonly (LeasedWindow | RememberedWindow)[]): string {
  return windows.length === 0 ? '' : `,"windows":[${windows.map(encodeWindow).join()}]`;
}

function encodeWindow(window: LeasedWindow | RememberedWindow): string {
  assert(isCount(window.seconds) && isCount(window.startedAtMs), 'a window begins and lasts');
  const used = 'used' in window ? `,"used":"${window.used}"` : '';
  return (
    `{"scope":${JSON.stringify(window.scope)},"dimension":"${window.dimension}"` +
    `,"seconds":${window.seconds},"startedAtMs":${window.startedAtMs}${used}}`
  );
}

/** Prices belong to the catalogue and rates to a route: many calls share them, so their text is kept. */
const priceTexts = new WeakMap<Prices, string>();
const rateTexts = new WeakMap<Rates, string>();

function encodePrice(price: PriceSnapshot): string {
  return `{"prices":${textOf(priceTexts, price.prices)},"rates":${textOf(rateTexts, price.rates)}}`;
}

function textOf<Value extends object>(texts: WeakMap<Value, string>, value: Value): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value, (_, field) =>
    typeof field === 'bigint' ? `${field}` : (field ?? null),
  );
  texts.set(value, text);
  return text;
}

/** Names of models, keys, vendors and outcomes come again with every call: their text is kept, bounded. */
const quotedTexts = new Map<string, string>();
const QUOTED_TEXTS_MAX = 2_000;

function quote(text: string | null): string {
  if (text === null) return 'null';
  const known = quotedTexts.get(text);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(text);
  if (quotedTexts.size >= QUOTED_TEXTS_MAX) quotedTexts.clear();
  quotedTexts.set(text, quoted);
  return quoted;
}

const PLAIN_ID = /^[\w-]{1,64}$/;

/** Every call has another one: not worth keeping. Ours need no escapes, and so no look at each character. */
function quoteId(callId: string): string {
  return PLAIN_ID.test(callId) ? `"${callId}"` : JSON.stringify(callId);
}
