import { randomFillSync } from 'node:crypto';
import { assert } from './assert.ts';

/**
 * Call ids are `req_` and 26 characters of Crockford's base 32: 48 bits of time, so that they sort by it, and
 * 80 random bits. The same text is the client's `x-request-id`, the journal's call id and the ledger's
 * idempotency key.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_BYTES = 10;
/** Random bytes are drawn in blocks: one system call for several hundred ids. */
const pool = Buffer.allocUnsafe(RANDOM_BYTES * 512);
let poolUsed = pool.length;
let lastTimeMs = -1;
let lastTimeText = '';

export function newCallId(nowMs: number): string {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  if (nowMs !== lastTimeMs) {
    lastTimeText = encodeTime(nowMs);
    lastTimeMs = nowMs;
  }
  const text = encodeBytes(pool, poolUsed);
  poolUsed += RANDOM_BYTES;
  return `req_${lastTimeText}${text}`;
}

/** Three digits hold 32 768 milliseconds; the seven before them change twice a minute. */
const LOW_MS = 32_768;
let lastHigh = -1;
let lastHighText = '';

function encodeTime(nowMs: number): string {
  assert(Number.isSafeInteger(nowMs) && nowMs >= 0, 'time of an id is a whole number of milliseconds');
  const low = nowMs % LOW_MS;
  const high = (nowMs - low) / LOW_MS;
  if (high !== lastHigh) {
    lastHighText = encodeDigits(high, 7);
    lastHigh = high;
  }
  return (
    lastHighText + ALPHABET.charAt(low >>> 10) + ALPHABET.charAt((low >>> 5) & 31) + ALPHABET.charAt(low & 31)
  );
}

function encodeDigits(value: number, digits: number): string {
  let rest = value;
  let text = '';
  for (let digit = 0; digit < digits; digit++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Ten bytes are sixteen digits of five bits. */
function encodeBytes(bytes: Buffer, start: number): string {
  let text = '';
  for (let offset = start; offset < start + RANDOM_BYTES; offset += 5) {
    const high = bytes.readUInt16BE(offset) * 16 + (bytes.readUInt8(offset + 2) >>> 4);
    const low = (bytes.readUInt8(offset + 2) & 15) * 65_536 + bytes.readUInt16BE(offset + 3);
    text +=
      ALPHABET.charAt(high >>> 15) +
      ALPHABET.charAt((high >>> 10) & 31) +
      ALPHABET.charAt((high >>> 5) & 31) +
      ALPHABET.charAt(high & 31) +
      ALPHABET.charAt(low >>> 15) +
      ALPHABET.charAt((low >>> 10) & 31) +
      ALPHABET.charAt((low >>> 5) & 31) +
      ALPHABET.charAt(low & 31);
  }
  return text;
}

const CALL_ID = /^req_([0-7][0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]{16}$/;

/** The time of the call in a call id; undefined if the text is not a call id. */
export function timeOfCallId(callId: string): number | undefined {
  const digits = CALL_ID.exec(callId)?.[1];
  if (digits === undefined) return undefined;
  let timeMs = 0;
  for (const digit of digits) timeMs = timeMs * 32 + ALPHABET.indexOf(digit);
  return timeMs;
}
