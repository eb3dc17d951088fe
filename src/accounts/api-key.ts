import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { assert } from '../kernel/assert.ts';
import type { Random } from '../kernel/random.ts';

/**
 * A key is `tg-`, 160 random bits and a CRC-32, in Crockford's base 32: a typing error or garbage is refused
 * without any look-up. Only its SHA-256 is stored; 160 random bits need no slow hash.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_BYTES = 20;
const RANDOM_DIGITS = 32;
const CHECK_DIGITS = 7;
const MARK = 'tg-';
const BODY_LENGTH = MARK.length + RANDOM_DIGITS;
const KEY_LENGTH = BODY_LENGTH + CHECK_DIGITS;
const SHAPE = /^tg-[0-9a-hjkmnp-tv-z]{39}$/;
/** The mark and six digits: enough to tell keys apart, while 130 bits stay secret. */
const PREFIX_LENGTH = MARK.length + 6;

export function newApiKey(random: Random): string {
  const bytes = random.bytes(RANDOM_BYTES);
  assert(bytes.length === RANDOM_BYTES, 'a key has 160 random bits');
  const body = MARK + encodeDigits(BigInt(`0x${bytes.toString('hex')}`), RANDOM_DIGITS);
  return body + checkDigits(body);
}

export function isWellFormed(text: string): boolean {
  // The length first: most garbage has another one, and the pattern never runs on a long text.
  if (text.length !== KEY_LENGTH || !SHAPE.test(text)) return false;
  return text.endsWith(checkDigits(text.slice(0, BODY_LENGTH)));
}

/** The hash that is stored and looked up. */
export function hashApiKey(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The part of a key that lists show. */
export function keyPrefix(text: string): string {
  return text.slice(0, PREFIX_LENGTH);
}

function checkDigits(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let digit = 0; digit < CHECK_DIGITS; digit++) {
    digits += ALPHABET.charAt(rest & 31);
    rest >>>= 5;
  }
  return digits;
}

function encodeDigits(value: bigint, count: number): string {
  let rest = value;
  let digits = '';
  for (let digit = 0; digit < count; digit++) {
    digits = ALPHABET.charAt(Number(rest & 31n)) + digits;
    rest >>= 5n;
  }
  return digits;
}
