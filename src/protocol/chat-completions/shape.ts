import { BACKSLASH, COLON, QUOTE } from '../ascii.ts';
import { skipSpace, stringEnd } from '../skim.ts';

/** Longer events are few, and are walked. */
export const SHAPED_BYTES_MAX = 4096;
/** Events of one shape differ in the text and perhaps in padding; more differences are not worth learning. */
const HOLES_MAX = 4;
const WORD_BYTES = 4;
/**
 * The event at hand, copied to where a view stands already: making a view costs several times the copy, and
 * comparing single bytes twice as much. Matching is synchronous, so one place serves all streams.
 */
const copied = Buffer.alloc(SHAPED_BYTES_MAX);
const view = new DataView(copied.buffer, copied.byteOffset, copied.length);

/**
 * A place in an event's structure: in which literal of its shape, and how far from that one's start. Both are
 * in one number, because a stream that was away for a while finds each object of its own in slow memory.
 */
export type Place = number;
const OFFSETS = 2 * SHAPED_BYTES_MAX;

/**
 * What two events of a stream have in common when they differ inside of string values only: the literal bytes
 * before, between and after those strings. An event with these literals has the same keys and the same
 * nesting at the same places, so what a walk found in one holds for all of them.
 */
export class EventShape {
  /** The literals, one behind the other. */
  readonly #literals: DataView;
  readonly #lengths: readonly number[];
  /** Where the literals stand in the event that matched last. */
  readonly #starts: number[];

  constructor(literals: readonly Buffer[], starts: number[]) {
    const joined = Buffer.concat(literals);
    this.#literals = new DataView(joined.buffer, joined.byteOffset, joined.length);
    this.#lengths = literals.map((literal) => literal.length);
    this.#starts = starts;
  }

  /** Whether the event from `start` to `end` is of this shape, byte for byte. */
  match(bytes: Buffer, start: number, end: number): boolean {
    if (end - start > SHAPED_BYTES_MAX) return false;
    bytes.copy(copied, 0, start, end);
    const literals = this.#literals;
    const lengths = this.#lengths;
    let literal = 0;
    let at = start;
    for (let index = 0; index < lengths.length; index++) {
      // Each literal but the last ends with the opening quote of a string, and the next starts by closing it.
      if (index > 0) at = stringEnd(bytes, at - 1, end);
      const length = lengths[index] as number;
      if (at < 0 || at + length > end || !holds(at - start, literals, literal, length)) return false;
      this.#starts[index] = at;
      at += length;
      literal += length;
    }
    return at === end;
  }

  /** Where a place is in the event that matched last. */
  position(place: Place): number {
    return (this.#starts[(place / OFFSETS) | 0] as number) + (place % OFFSETS);
  }

  /** The place of a position in the event that matched last, which is not inside of a differing string. */
  place(position: number): Place {
    const literal = this.#starts.findLastIndex((start) => start <= position);
    return literal * OFFSETS + position - (this.#starts[literal] as number);
  }
}

/** Four bytes at a time: that is several times faster than singly or by the runtime. */
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

/**
 * The shape of both events, or undefined when they are equal or differ in more than string values. The one
 * must be valid JSON: only then do all readers agree on where its strings are.
 */
export function commonShape(one: Buffer, other: Buffer): EventShape | undefined {
  const literals: Buffer[] = [];
  const starts: number[] = [];
  let literalStart = 0;
  let opening = -1;
  let at = 0;
  // How far the other's bytes stand behind the same bytes of the one.
  let shift = 0;
  while (at < one.length) {
    const byte = one[at];
    if (byte === other[at + shift]) {
      if (byte === QUOTE) opening = opening < 0 ? at : -1;
      // What a backslash escapes is passed over, so that it closes nothing, unless it is where they differ.
      const isEscape = byte === BACKSLASH && opening >= 0 && one[at + 1] === other[at + 1 + shift];
      at += isEscape ? 2 : 1;
      continue;
    }
    if (opening < 0 || literals.length === HOLES_MAX) return undefined;
    const close = stringEnd(one, opening, one.length);
    const otherClose = stringEnd(other, opening + shift, other.length);
    if (close < 0 || otherClose < 0 || isKey(one, close)) return undefined;
    literals.push(one.subarray(literalStart, opening + 1));
    starts.push(literalStart);
    literalStart = close;
    shift = otherClose - close;
    at = close + 1;
    opening = -1;
  }
  if (literals.length === 0 || one.length + shift !== other.length) return undefined;
  literals.push(one.subarray(literalStart));
  starts.push(literalStart);
  return new EventShape(literals, starts);
}

function isKey(bytes: Buffer, close: number): boolean {
  return bytes[skipSpace(bytes, close + 1, bytes.length)] === COLON;
}
