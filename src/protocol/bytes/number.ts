import { REPORTED_TOKENS_MAX } from '../../bounds.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { NINE, ZERO } from './ascii.ts';
import type { Skimmer } from './skim.ts';

/** A figure with this many digits is exact as a number. */
const EXACT_DIGITS = 15;
/** Longer number texts are not converted. */
const NUMBER_TEXT_MAX = 32;

/**
 * The whole number between 0 and `max` at this range of a JSON text. Anything else there (a string, null, a
 * fraction, a negative or absurd figure, an absent value with start -1) gives `undefined`: such a figure
 * counts as absent. `1.0` and `1e3` are whole numbers in another spelling.
 */
export function readFigure(bytes: LentBytes, start: number, end: number, max: number): number | undefined {
  if (start < 0) return undefined;
  const length = end - start;
  let value = 0;
  let at = start;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) break;
    value = value * 10 + (byte - ZERO);
    at++;
  }
  if (at < end || length > EXACT_DIGITS) value = readSpelled(bytes, start, end);
  return length > 0 && Number.isSafeInteger(value) && value >= 0 && value <= max ? value : undefined;
}

function readSpelled(bytes: LentBytes, start: number, end: number): number {
  if (end - start > NUMBER_TEXT_MAX) return Number.NaN;
  const text = bytes.toString('latin1', start, end);
  return /^-?\d/.test(text) ? Number(text) : Number.NaN;
}

/** A token figure of a vendor's report; `undefined` if it is absent or absurd. */
export function reportedFigure(bytes: LentBytes, skimmer: Skimmer, slot: number): number | undefined {
  return readFigure(bytes, skimmer.starts[slot] as number, skimmer.ends[slot] as number, REPORTED_TOKENS_MAX);
}
