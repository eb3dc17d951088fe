import { crc32 } from 'node:zlib';
import { JOURNAL_RECORD_BYTES_MAX } from '../../bounds.ts';
import type { RememberedWindow } from '../../gate/contract.ts';
import type { CreatedJob } from '../../jobs/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { isCount, isDuration } from '../../kernel/encoding/reader.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { Attempt, CallRecord, Granted, OpenCall } from '../contract.ts';
import type { Expected } from '../shortfall.ts';
import { isId, quote, repeatedText } from './repeated-text.ts';

/**
 * The journal's records. One line each: CRC-32 of the JSON as eight hexadecimal digits, a space, the JSON, a
 * line feed. JSON never contains a raw line feed, so a torn or damaged record affects no other. Field names
 * are those of the contract; bigints are decimal strings. The text is built by hand, because two records are
 * written on the path of every call. record-reader.ts reads it.
 */
export type JournalRecord =
  | { readonly kind: 'open'; readonly call: OpenCall }
  | ({ readonly kind: 'mark' } & Mark)
  | { readonly kind: 'end'; readonly call: CallRecord };

export interface Mark {
  readonly callId: string;
  readonly usage: Usage;
  readonly atMs: number;
  /** The hold of the call at that time; absent in older journals. */
  readonly heldMicro: bigint | undefined;
}

/** Eight digits and a space before the JSON, a line feed after it. */
export const FRAME_HEAD_BYTES = 9;
export const FRAME_BYTES_MAX = FRAME_HEAD_BYTES + JOURNAL_RECORD_BYTES_MAX + 1;

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const HEX = Buffer.from('0123456789abcdef', 'latin1');

/** Writes the framed line into `target`. Returns its length, undefined if it is too long. */
export function frameInto(target: Buffer, json: string, at = 0): number | undefined {
  assert(target.length - at >= FRAME_BYTES_MAX, 'a frame has room');
  // A UTF-16 unit is at most three bytes of UTF-8, so only long texts have to be measured.
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
  const { text, windows } = repeatedText(call);
  const most = call.outputTokensMax === undefined ? '' : `,"outputTokensMax":${call.outputTokensMax}`;
  return (
    `{"kind":"open","call":{"callId":${quoteId(call.callId)},"createdAtMs":${call.createdAtMs}` +
    `,"inputTokens":${call.inputTokens},"images":${call.images}${most},"heldMicro":"${call.heldMicro}",${text}` +
    `,"credential":${quote(call.credential)}${encodeOwn(call)}${encodeGranted(call)}` +
    `${encodeWindows(windows, NONE_USED)}}}`
  );
}

export function encodeMark({ callId, usage, atMs, heldMicro }: Mark): string {
  assert(isCount(atMs), 'a time is a count');
  const held = heldMicro === undefined ? '' : `,"heldMicro":"${heldMicro}"`;
  return `{"kind":"mark","callId":${quoteId(callId)},"usage":${encodeUsage(usage)},"atMs":${atMs}${held}}`;
}

export function encodeEnd(call: CallRecord): string {
  assert(isCount(call.createdAtMs) && isCount(call.status), 'counts are counts');
  assert(
    isDuration(call.durationMs) && (call.ttfbMs === null || isDuration(call.ttfbMs)),
    'durations are not negative',
  );
  assert(call.amountMicro >= 0n && call.chargeMicro >= 0n && call.heldMicro >= 0n, 'money is never negative');
  const dropped = call.droppedFields.length === 0 ? '[]' : JSON.stringify(call.droppedFields);
  const { text, windows } = repeatedText(call);
  return (
    `{"kind":"end","call":{"callId":${quoteId(call.callId)},"createdAtMs":${call.createdAtMs}` +
    `,"status":${call.status},"errorCode":${call.errorCode},"usage":${encodeUsage(call.usage)}` +
    `,"estimated":${call.estimated},"amountMicro":"${call.amountMicro}"` +
    `,"chargeMicro":"${call.chargeMicro}","freeReason":${quote(call.freeReason)}` +
    `,"verdict":"${call.verdict}","attempts":[${encodeAttempts(call.attempts)}]` +
    `,"heldMicro":"${call.heldMicro}","ttfbMs":${call.ttfbMs},"durationMs":${call.durationMs}` +
    `,"droppedFields":${dropped},${text}${encodeGranted(call)}${encodeExpected(call.expected)}` +
    `${encodeAdmission(call)}${encodeJob(call.job)}${encodeWindows(windows, call.windows)}}}`
  );
}

/** Names of dropped fields come from clients and are the only part without its own bound. */
export function withoutDroppedFields(call: CallRecord): CallRecord {
  return { ...call, droppedFields: [] };
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

/** Nearly always one. */
function encodeAttempts(attempts: readonly Attempt[]): string {
  let text = '';
  for (const attempt of attempts) text += (text === '' ? '' : ',') + encodeAttempt(attempt);
  return text;
}

function encodeAttempt(attempt: Attempt): string {
  assert(isId(attempt.routeId) && isDuration(attempt.durationMs), 'an attempt has a route and takes time');
  return (
    `{"routeId":${attempt.routeId},"vendor":${quote(attempt.vendor)}` +
    `,"credential":${quote(attempt.credential)},"outcome":${quote(attempt.outcome)}` +
    `${encodeOwn(attempt)},"durationMs":${attempt.durationMs}${encodeOffsets(attempt)}}`
  );
}

function encodeOffsets({ startMs, headMs }: Attempt): string {
  if (startMs === undefined) return '';
  const head = headMs === undefined ? '' : `,"headMs":${headMs}`;
  assert(isDuration(startMs) && (headMs === undefined || isDuration(headMs)), 'an offset is not negative');
  return `,"startMs":${startMs}${head}`;
}

/** A call that entered the gate has its times, one that was refused has the reason; some have both. */
function encodeAdmission({ admittedMs, gateMs, refusal }: CallRecord): string {
  const times = admittedMs === undefined ? '' : `,"admittedMs":${admittedMs},"gateMs":${gateMs ?? 0}`;
  return refusal === undefined ? times : `${times},"refusal":${JSON.stringify(refusal)}`;
}

/** Few calls create a job. */
function encodeJob(job: CreatedJob | undefined): string {
  if (job === undefined) return '';
  return `,"job":{"kind":${quote(job.kind)},"objectId":${JSON.stringify(job.objectId)}}`;
}

/** Few credentials belong to accounts. For all others the field is absent. */
function encodeOwn({ own }: Pick<Attempt, 'own'>): string {
  return own ? ',"own":true' : '';
}

function encodeGranted({ month, mayExchange, capMicro, creditsPerYuan }: Granted): string {
  if (month === undefined) return '';
  assert(creditsPerYuan === undefined || isCount(creditsPerYuan), 'the factor is a whole number');
  const factor = creditsPerYuan === undefined ? '' : `,"creditsPerYuan":${creditsPerYuan}`;
  const cap = capMicro === undefined ? '' : `,"capMicro":"${capMicro}"`;
  return `,"month":${quote(month)}${factor}${cap}${mayExchange ? ',"mayExchange":true' : ''}`;
}

function encodeExpected(expected: Expected | undefined): string {
  if (expected === undefined) return '';
  const { inputTokens, outputTokens, images } = expected;
  assert(
    isCount(inputTokens) && isCount(outputTokens) && isCount(images),
    'what is expected is whole numbers',
  );
  return `,"expected":{"inputTokens":${inputTokens},"outputTokens":${outputTokens},"images":${images}}`;
}

const NONE_USED: readonly RememberedWindow[] = Object.freeze([]);

/** Most calls are counted by no window, or by one that outlives the process: then the field is absent. */
function encodeWindows(windows: readonly string[], used: readonly RememberedWindow[]): string {
  if (windows.length === 0) return '';
  let text = ',"windows":[';
  for (let index = 0; index < windows.length; index++) {
    const use = used[index];
    text += (index === 0 ? '' : ',') + windows[index] + (use === undefined ? '}' : `,"used":"${use.used}"}`);
  }
  return `${text}]`;
}

const PLAIN_ID = /^[\w-]{1,64}$/;

/** Ids are different for every call, so they are not cached. Generated ids need no escapes. */
function quoteId(callId: string): string {
  return PLAIN_ID.test(callId) ? `"${callId}"` : JSON.stringify(callId);
}
