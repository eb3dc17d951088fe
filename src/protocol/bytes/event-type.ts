import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { QUOTE } from './ascii.ts';
import { sameBytes } from './paths.ts';
import { stringEnd } from './skim.ts';

const LEADING_TYPE = Buffer.from('{"type":"');
const LEADING_TYPE_SPACED = Buffer.from('{"type": "');

/**
 * Where the value of `type` starts if the event begins with it, as every vendor's do; otherwise -1. So the
 * frequent events (deltas) need no walk through all of their bytes.
 */
export function leadingTypeStart(payload: LentBytes, start: number): number {
  if (sameBytes(LEADING_TYPE, payload, start)) return start + LEADING_TYPE.length;
  if (sameBytes(LEADING_TYPE_SPACED, payload, start)) return start + LEADING_TYPE_SPACED.length;
  return -1;
}

/** Whether the string whose first character is at `start` is exactly `wanted`. */
export function isTypeAt(payload: LentBytes, start: number, wanted: Buffer): boolean {
  return sameBytes(wanted, payload, start) && payload[start + wanted.length] === QUOTE;
}

export function typeEndsWith(payload: LentBytes, start: number, end: number, tail: Buffer): boolean {
  const close = stringEnd(payload, start - 1, end);
  return close - tail.length >= start && sameBytes(tail, payload, close - tail.length);
}
