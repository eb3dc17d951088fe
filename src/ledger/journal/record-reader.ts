import { crc32 } from 'node:zlib';
import { JOURNAL_RECORD_BYTES_MAX } from '../../bounds.ts';
import { DIMENSIONS } from '../../catalog/contract.ts';
import { readPrice } from '../../catalog/price-reader.ts';
import type { LeasedWindow, RememberedWindow } from '../../gate/contract.ts';
import { type CreatedJob, JOB_KINDS } from '../../jobs/contract.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import {
  count,
  duration,
  type Fields,
  flag,
  integer,
  listOf,
  Misfit,
  micro,
  objectWith,
  oneOf,
  orElse,
  orNull,
  orUnset,
  type Read,
  text,
} from '../../kernel/encoding/reader.ts';
import type { LimitHit } from '../../kernel/errors.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import type { Usage } from '../../kernel/usage.ts';
import type {
  Attempt,
  CallRecord,
  CallTerms,
  FreeReason,
  LoggedRefusal,
  OpenCall,
  Payer,
  Verdict,
} from '../contract.ts';
import type { Expected } from '../shortfall.ts';
import { FRAME_HEAD_BYTES, type JournalRecord, type Mark } from './record.ts';

/**
 * Reads what record.ts wrote; `line` is one line without its line feed. It may be torn, damaged, or from a
 * version with other fields: a line that is not exactly a record is undefined, and the caller counts it.
 */
export function decodeLine(line: Buffer): JournalRecord | undefined {
  if (line.length <= FRAME_HEAD_BYTES) return undefined;
  const head = line.toString('latin1', 0, FRAME_HEAD_BYTES);
  if (!/^[0-9a-f]{8} $/.test(head)) return undefined;
  const json = line.subarray(FRAME_HEAD_BYTES);
  if (crc32(json) !== Number.parseInt(head, 16)) return undefined;
  return decodeJson(json.toString('utf8'));
}

/** An ended call from the JSON of its record; undefined if it is not one. */
export function decodeEnd(json: string): CallRecord | undefined {
  const record = decodeJson(json);
  return record?.kind === 'end' ? record.call : undefined;
}

/** Records are flat, so deeper JSON is invalid. The checksum misses one damaged line in four billion. */
const RECORD_BOUNDS = { bytesMax: JOURNAL_RECORD_BYTES_MAX, depthMax: 8 };

function decodeJson(json: string): JournalRecord | undefined {
  const parsed = parseJson(json, RECORD_BOUNDS);
  if (parsed.kind === 'invalid') return undefined;
  const { value } = parsed;
  if (!isJsonObject(value)) return undefined;
  switch (value.kind) {
    case 'open': {
      const call = readOpen(value.call);
      return call instanceof Misfit ? undefined : { kind: 'open', call };
    }
    case 'mark': {
      const mark = readMark(value);
      return mark instanceof Misfit ? undefined : { kind: 'mark', ...mark };
    }
    case 'end': {
      const call = readEnd(value.call);
      return call instanceof Misfit ? undefined : { kind: 'end', call };
    }
    default:
      return undefined;
  }
}

/** Absent in older journals, and where there is nothing to say. */
const orNone = <Value>(read: Read<Value>): Read<readonly Value[]> => orElse(listOf(read), []);
const setOrNot: Read<true | undefined> = (value) => (value === true ? true : undefined);
const protocol = oneOf(...PROTOCOLS);
const payer = oneOf<Payer>('byok', 'subscription', 'credits', 'none');

const readUsage = objectWith<Usage>({
  inputFresh: count,
  cacheRead: count,
  cacheWrite: count,
  outputText: count,
  outputReasoning: count,
  images: count,
  videos: count,
});

const readMark = objectWith<Mark>({
  callId: text,
  usage: readUsage,
  atMs: count,
  heldMicro: orUnset(micro),
});

const readExpected = objectWith<Expected>({ inputTokens: count, outputTokens: count, images: count });

const readHit = objectWith<LimitHit>({
  of: text,
  scope: orNull(text),
  policy: orNull(text),
  limit: text,
  used: text,
  held: text,
  needed: orNull(text),
  seconds: count,
  resetMs: duration,
});

const readRefusal = objectWith<LoggedRefusal>({
  message: text,
  retryAfterSeconds: orUnset(count),
  hit: orUnset(readHit),
});

const readJob = objectWith<CreatedJob>({ kind: oneOf(...JOB_KINDS), objectId: text });

const leasedWindow = {
  scope: text,
  dimension: oneOf(...DIMENSIONS),
  seconds: count,
  startedAtMs: count,
};

const terms: Fields<Omit<CallTerms, 'windows'>> = {
  callId: text,
  createdAtMs: count,
  accountId: integer,
  keyId: integer,
  keyName: text,
  modelAsked: text,
  modelUsed: text,
  routeId: orNull(integer),
  vendor: orNull(text),
  protocolIn: protocol,
  protocolOut: orNull(protocol),
  stream: flag,
  payer,
  month: orUnset(text),
  mayExchange: setOrNot,
  capMicro: orUnset(micro),
  creditsPerYuan: orUnset(count),
  price: orNull(readPrice),
  heldMicro: micro,
};

const readOpen = objectWith<OpenCall>({
  ...terms,
  routeId: integer,
  vendor: text,
  protocolOut: protocol,
  price: readPrice,
  credential: orElse(text, ''),
  own: setOrNot,
  inputTokens: count,
  images: count,
  outputTokensMax: orUnset(count),
  windows: orNone(objectWith<LeasedWindow>(leasedWindow)),
});

const readEnd = objectWith<CallRecord>({
  ...terms,
  status: count,
  errorCode: orNull(integer),
  usage: readUsage,
  estimated: flag,
  amountMicro: micro,
  chargeMicro: micro,
  freeReason: orNull(oneOf<FreeReason>('byok', 'covered', 'below-one-credit', 'nothing-produced')),
  verdict: oneOf<Verdict>(
    'complete',
    'cut-by-upstream',
    'cut-by-client',
    'cut-by-gateway',
    'refused',
    'failed',
  ),
  attempts: listOf(
    objectWith<Attempt>({
      routeId: integer,
      vendor: text,
      credential: text,
      own: setOrNot,
      outcome: text,
      durationMs: duration,
      startMs: orUnset(duration),
      headMs: orUnset(duration),
    }),
  ),
  admittedMs: orUnset(duration),
  gateMs: orUnset(duration),
  refusal: orUnset(readRefusal),
  job: orUnset(readJob),
  expected: orUnset(readExpected),
  ttfbMs: orNull(duration),
  durationMs: duration,
  droppedFields: listOf(text),
  windows: orNone(objectWith<RememberedWindow>({ ...leasedWindow, used: micro })),
});
