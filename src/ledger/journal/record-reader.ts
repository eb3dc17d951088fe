import { crc32 } from 'node:zlib';
import { JOURNAL_RECORD_BYTES_MAX } from '../../bounds.ts';
import { DIMENSIONS, type Prices } from '../../catalog/contract.ts';
import type { PriceSnapshot, Rates } from '../../catalog/price.ts';
import { mapPriceFields } from '../../catalog/price-fields.ts';
import type { LeasedWindow, RememberedWindow } from '../../gate/contract.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { Attempt, CallRecord, CallTerms, FreeReason, OpenCall, Payer, Verdict } from '../contract.ts';
import type { Expected } from '../shortfall.ts';
import { FRAME_HEAD_BYTES, isDuration, type JournalRecord, type Mark } from './record.ts';
import { isCount } from './repeated-text.ts';

/**
 * Reads what record.ts wrote. A line may be torn, damaged, or from a version with other fields: a line that
 * is not exactly a record is undefined, and the caller counts it.
 */
const BAD = Symbol('not a value of this field');
type Bad = typeof BAD;
type Read<Value> = (value: unknown) => Value | Bad;
type Fields<Value> = { readonly [Name in keyof Value]-?: Read<Value[Name]> };

/** `line` is one line without its line feed. */
export function decodeLine(line: Buffer): JournalRecord | undefined {
  if (line.length <= FRAME_HEAD_BYTES) return undefined;
  const head = line.toString('latin1', 0, FRAME_HEAD_BYTES);
  if (!/^[0-9a-f]{8} $/.test(head)) return undefined;
  const json = line.subarray(FRAME_HEAD_BYTES);
  if (crc32(json) !== Number.parseInt(head, 16)) return undefined;
  return decodeJson(json.toString('utf8'));
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
      return call === BAD ? undefined : { kind: 'open', call };
    }
    case 'mark': {
      const mark = readMark(value);
      return mark === BAD ? undefined : { kind: 'mark', ...mark };
    }
    case 'end': {
      const call = readEnd(value.call);
      return call === BAD ? undefined : { kind: 'end', call };
    }
    default:
      return undefined;
  }
}

function fieldsOf<Value>(fields: Fields<Value>): Read<Value> {
  const readers = Object.entries(fields) as [string, Read<unknown>][];
  return (value) => {
    if (!isJsonObject(value)) return BAD;
    const made: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const field = read(value[name]);
      if (field === BAD) return BAD;
      made[name] = field;
    }
    return made as Value;
  };
}

function listOf<Value>(read: Read<Value>): Read<readonly Value[]> {
  return (value) => {
    if (!Array.isArray(value)) return BAD;
    const made: Value[] = [];
    for (const item of value) {
      const field = read(item);
      if (field === BAD) return BAD;
      made.push(field);
    }
    return made;
  };
}

/** A list that is absent if empty, and in older journals. */
function listOrNone<Value>(read: Read<Value>): Read<readonly Value[]> {
  const readList = listOf(read);
  return (value) => (value === undefined ? [] : readList(value));
}

function oneOf<Value extends string>(...values: readonly Value[]): Read<Value> {
  return (value) => values.find((one) => one === value) ?? BAD;
}

function orNull<Value>(read: Read<Value>): Read<Value | null> {
  return (value) => (value === null ? null : read(value));
}

const text: Read<string> = (value) => (typeof value === 'string' ? value : BAD);
const flag: Read<boolean> = (value) => (typeof value === 'boolean' ? value : BAD);
const count: Read<number> = (value) => (isCount(value) ? value : BAD);
const integer: Read<number> = (value) => (Number.isSafeInteger(value) ? (value as number) : BAD);
const duration: Read<number> = (value) => (isDuration(value) ? value : BAD);
const micro: Read<bigint> = (value) =>
  typeof value === 'string' && /^\d{1,24}$/.test(value) ? BigInt(value) : BAD;
const unsetMicro: Read<bigint | undefined> = (value) =>
  value === null || value === undefined ? undefined : micro(value);
/** Absent in older journals. */
const textOrNone: Read<string> = (value) => (value === undefined ? '' : text(value));
const setOrNot: Read<true | undefined> = (value) => (value === true ? true : undefined);
const unsetCount: Read<number | undefined> = (value) => (value === undefined ? undefined : count(value));
const unsetText: Read<string | undefined> = (value) => (value === undefined ? undefined : text(value));
const protocol = oneOf(...PROTOCOLS);
const payer = oneOf<Payer>('byok', 'subscription', 'credits', 'none');

const readUsage = fieldsOf<Usage>({
  inputFresh: count,
  cacheRead: count,
  cacheWrite: count,
  outputText: count,
  outputReasoning: count,
  images: count,
  videos: count,
});

type PriceReaders = Parameters<typeof fieldsOf<Prices>>[0];

const readPrice = fieldsOf<PriceSnapshot>({
  prices: fieldsOf<Prices>(
    mapPriceFields(({ fallback }) => (fallback === undefined ? micro : unsetMicro)) as PriceReaders,
  ),
  rates: fieldsOf<Rates>({
    rateMultiplierMicro: micro,
    systemMicro: micro,
    userMicro: micro,
    vendorMicro: micro,
    credentialMicro: micro,
    nodeMicro: micro,
  }),
});

const readMark = fieldsOf<Mark>({
  callId: text,
  usage: readUsage,
  atMs: count,
  heldMicro: unsetMicro,
});

const readExpected = fieldsOf<Expected>({ inputTokens: count, outputTokens: count, images: count });
const unsetExpected: Read<Expected | undefined> = (value) =>
  value === undefined ? undefined : readExpected(value);

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
  month: unsetText,
  mayExchange: setOrNot,
  capMicro: unsetMicro,
  creditsPerYuan: unsetCount,
  price: orNull(readPrice),
  heldMicro: micro,
};

const readOpen = fieldsOf<OpenCall>({
  ...terms,
  routeId: integer,
  vendor: text,
  protocolOut: protocol,
  price: readPrice,
  credential: textOrNone,
  own: setOrNot,
  inputTokens: count,
  images: count,
  outputTokensMax: unsetCount,
  windows: listOrNone(fieldsOf<LeasedWindow>(leasedWindow)),
});

const readEnd = fieldsOf<CallRecord>({
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
    fieldsOf<Attempt>({
      routeId: integer,
      vendor: text,
      credential: text,
      own: setOrNot,
      outcome: text,
      durationMs: duration,
    }),
  ),
  expected: unsetExpected,
  ttfbMs: orNull(duration),
  durationMs: duration,
  droppedFields: listOf(text),
  windows: listOrNone(fieldsOf<RememberedWindow>({ ...leasedWindow, used: micro })),
});
