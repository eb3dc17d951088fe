import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  NINE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  ZERO,
} from './ascii.ts';
import { skipSpace, stringEnd } from './skim.ts';

/** Longer events are rare, and are parsed. */
export const SHAPED_BYTES_MAX = 4096;
/**
 * Events of one shape differ in the text, a count or two, and maybe padding. More differences are not
 * learned.
 */
const HOLES_MAX = 4;
const WORD_BYTES = 4;
/** A number of this many digits is always exact. */
const DIGITS_MAX = 15;
/**
 * The current event is copied to where a view already exists: creating a view costs several times the copy,
 * and comparing single bytes costs twice as much. Matching is synchronous, so all streams share one copy.
 */
const copied = Buffer.alloc(SHAPED_BYTES_MAX);
const view = new DataView(copied.buffer, copied.byteOffset, copied.length);

/**
 * A place in an event's structure: the literal of its shape, and the distance from that literal's start. Both
 * are in one number, because objects of a stream that was idle for a while are in slow memory.
 */
export type Place = number;
const OFFSETS = 2 * SHAPED_BYTES_MAX;

/**
 * What two events of a stream have in common if they differ only in string values and whole numbers: the
 * literal bytes before, between and after those values. An event with these literals has the same keys and
 * nesting at the same places, so positions found in one event are valid for all of them.
 */
export class EventShape {
  /** The literals, one after the other. */
  readonly #literals: DataView;
  readonly #lengths: readonly number[];
  /** The positions of the literals in the last matched event. */
  readonly #starts: number[];

  constructor(literals: readonly Buffer[], starts: number[]) {
    const joined = Buffer.concat(literals);
    this.#literals = new DataView(joined.buffer, joined.byteOffset, joined.length);
    this.#lengths = literals.map((literal) => literal.length);
    this.#starts = starts;
  }

  /** Whether the event from `start` to `end` has this shape, byte for byte. */
  match(bytes: LentBytes, start: number, end: number): boolean {
    if (end - start > SHAPED_BYTES_MAX) return false;
    bytes.copy(copied, 0, start, end);
    const literals = this.#literals;
    const lengths = this.#lengths;
    let literal = 0;
    let at = start;
    for (let index = 0; index < lengths.length; index++) {
      // A literal ends with the opening quote of a string that the next literal closes, or before a number.
      if (index > 0) at = bytes[at - 1] === QUOTE ? stringEnd(bytes, at - 1, end) : numberEnd(bytes, at, end);
      const length = lengths[index] as number;
      if (at < 0 || at + length > end || !holds(at - start, literals, literal, length)) return false;
      this.#starts[index] = at;
      at += length;
      literal += length;
    }
    return at === end;
  }

  get holes(): number {
    return this.#lengths.length - 1;
  }

  /** The range of the string (between its quotes) or number after a literal. */
  holeStart(hole: number): number {
    return (this.#starts[hole] as number) + (this.#lengths[hole] as number);
  }

  holeEnd(hole: number): number {
    return this.#starts[hole + 1] as number;
  }

  /** The position of a place in the last matched event. */
  position(place: Place): number {
    return (this.#starts[(place / OFFSETS) | 0] as number) + (place % OFFSETS);
  }

  /**
   * The place of a position in the last matched event. The position must not be inside a differing string.
   */
  place(position: number): Place {
    const literal = this.#starts.findLastIndex((start) => start <= position);
    return literal * OFFSETS + position - (this.#starts[literal] as number);
  }
}

/**
 * Compares four bytes at a time, which is several times faster than single bytes or the runtime's compare.
 */
function holds(start: number, literals: DataView, literal: number, length: number): boolean {
  const end = literal + length;
  let at = start;
  let own = literal;
  for (; own + WORD_BYTES <= end; own += WORD_BYTES) {
    if (view.getInt32(at, true) !== literals.getInt32(own, true)) return false;
    at += WORD_BYTES;
  }
  for (; own < end; own++) {
    if (view.getUint8(at++) !== literals.getUint8(own)) return false;
  }
  return true;
}

/** A string or a number in which two events differ; a string without its quotes. */
interface Difference {
  readonly start: number;
  readonly end: number;
  readonly otherEnd: number;
}

/**
 * The shape of both events. `undefined` if they are equal or differ in more than such values. `one` must be
 * valid JSON: only then do all readers agree on where its strings are.
 */
export function commonShape(one: Buffer, other: Buffer): EventShape | undefined {
  const literals: Buffer[] = [];
  const starts: number[] = [];
  let literalStart = 0;
  let opening = -1;
  let at = 0;
  // The distance between a byte of `other` and the same byte of `one`.
  let shift = 0;
  while (at < one.length) {
    const byte = one[at];
    if (byte === other[at + shift]) {
      if (byte === QUOTE) opening = opening < 0 ? at : -1;
      // An escaped character is skipped, so that it closes nothing, unless the events differ there.
      const isEscape = byte === BACKSLASH && opening >= 0 && one[at + 1] === other[at + 1 + shift];
      at += isEscape ? 2 : 1;
      continue;
    }
    const found = opening < 0 ? numbersAt(one, other, at, shift) : stringsAt(one, other, opening, shift);
    if (found === undefined || literals.length === HOLES_MAX) return undefined;
    literals.push(one.subarray(literalStart, found.start));
    starts.push(literalStart);
    literalStart = found.end;
    shift = found.otherEnd - found.end;
    at = opening < 0 ? found.end : found.end + 1;
    opening = -1;
  }
  if (literals.length === 0 || one.length + shift !== other.length) return undefined;
  literals.push(one.subarray(literalStart));
  starts.push(literalStart);
  return new EventShape(literals, starts);
}

function stringsAt(one: Buffer, other: Buffer, opening: number, shift: number): Difference | undefined {
  const end = stringEnd(one, opening, one.length);
  const otherEnd = stringEnd(other, opening + shift, other.length);
  if (end < 0 || otherEnd < 0 || isKey(one, end)) return undefined;
  return { start: opening + 1, end, otherEnd };
}

/** The events differ at `at`, where the number of one of them may already have ended. */
function numbersAt(one: Buffer, other: Buffer, at: number, shift: number): Difference | undefined {
  let start = at;
  while (isDigit(one[start - 1])) start--;
  const before = one[start - 1];
  // A sign or a decimal point before it would make it part of a number.
  if (before !== COLON && before !== COMMA && before !== OPEN_BRACKET && before !== SPACE) return undefined;
  const end = numberEnd(one, start, one.length);
  const otherEnd = numberEnd(other, start + shift, other.length);
  return end < 0 || otherEnd < 0 ? undefined : { start, end, otherEnd };
}

/** The end of the whole number that starts here, or -1 if readers might read it differently. */
function numberEnd(bytes: LentBytes, start: number, end: number): number {
  let at = start;
  while (at < end && isDigit(bytes[at])) at++;
  const digits = at - start;
  if (digits === 0 || digits > DIGITS_MAX || (digits > 1 && bytes[start] === ZERO)) return -1;
  // The bytes after it belong to the next literal, which is compared; a point or an exponent is excluded
  // here.
  const after = bytes[at];
  return after === COMMA || after === SPACE || after === CLOSE_BRACE || after === CLOSE_BRACKET ? at : -1;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isKey(bytes: LentBytes, close: number): boolean {
  return bytes[skipSpace(bytes, close + 1, bytes.length)] === COLON;
}
