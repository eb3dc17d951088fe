import { isJsonObject, type JsonBounds, parseJson } from '../../kernel/encoding/json.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { JsonObject } from '../hub/content/json.ts';
import { BACKSLASH, QUOTE, SPACE, ZERO } from './ascii.ts';
import { commonShape, type EventShape, SHAPED_BYTES_MAX } from './event-shape.ts';

const TEMPLATE_BOUNDS: JsonBounds = { bytesMax: 2 * SHAPED_BYTES_MAX, depthMax: 32 };
/** Some vendors pad their events to hide lengths. No decoder reads the padding. */
const PADDING_KEY = 'obfuscation';
const ASCII_MAX = 0x7f;

/** A field that differs between events of a shape. */
interface Slot {
  readonly hole: number;
  readonly isText: boolean;
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/**
 * Nearly all events of a stream differ only in a text and some counts. Such an event is not parsed: its
 * values are put into the object of the previous event, which costs a fraction. It is always the same object,
 * so the caller must not keep it.
 */
export class EventTemplate {
  readonly #shape: EventShape;
  readonly #event: JsonObject;
  readonly #slots: readonly Slot[];

  constructor(shape: EventShape, event: JsonObject, slots: readonly Slot[]) {
    this.#shape = shape;
    this.#event = event;
    this.#slots = slots;
  }

  /** The event as parsing would return it, without padding. `undefined` if it has another shape. */
  read(bytes: LentBytes, start: number, end: number): JsonObject | undefined {
    const shape = this.#shape;
    const slots = this.#slots;
    if (!shape.match(bytes, start, end)) return undefined;
    for (let index = 0; index < slots.length; index++) {
      const { hole, isText, holder, key } = slots[index] as Slot;
      const from = shape.holeStart(hole);
      const to = shape.holeEnd(hole);
      const value = isText ? readText(bytes, from, to) : readNumber(bytes, from, to);
      if (value === undefined) return undefined;
      holder[key] = value;
    }
    return this.#event;
  }
}

/** The template of two events; `undefined` if they have too little in common. `one` must be valid JSON. */
export function learnTemplate(one: Buffer, other: Buffer): EventTemplate | undefined {
  const shape = commonShape(one, other);
  if (shape === undefined) return undefined;
  const parsed = parseJson(withMarks(one, shape), TEMPLATE_BOUNDS);
  if (parsed.kind === 'invalid' || !isJsonObject(parsed.value)) return undefined;
  const marks = Array.from({ length: shape.holes }, (_, hole) => toMark(hole));
  const slots: Slot[] = [];
  collectSlots(parsed.value, marks, (hole, place) => {
    slots.push({ ...place, hole, isText: one[shape.holeStart(hole) - 1] === QUOTE });
  });
  // A repeated key hides one of its values, and a value may look like a mark: the parser handles both cases.
  const isEachFound = marks.every((_, hole) => slots.filter((slot) => slot.hole === hole).length === 1);
  if (!isEachFound) return undefined;
  const read = slots.filter(({ key }) => key !== PADDING_KEY);
  return new EventTemplate(shape, parsed.value as JsonObject, read);
}

function toMark(hole: number): string {
  return `hole:${hole}`;
}

/** The event with a mark wherever events of its shape differ. */
function withMarks(event: LentBytes, shape: EventShape): string {
  let text = '';
  let at = 0;
  for (let hole = 0; hole < shape.holes; hole++) {
    const start = shape.holeStart(hole);
    const mark = event[start - 1] === QUOTE ? toMark(hole) : `"${toMark(hole)}"`;
    text += event.toString('utf8', at, start) + mark;
    at = shape.holeEnd(hole);
  }
  return text + event.toString('utf8', at);
}

/** The parser that made the value has limited its depth. */
function collectSlots(
  value: object,
  marks: readonly string[],
  found: (hole: number, place: Pick<Slot, 'holder' | 'key'>) => void,
): void {
  for (const [key, field] of Object.entries(value)) {
    if (typeof field === 'object' && field !== null) collectSlots(field, marks, found);
    const hole = marks.indexOf(field);
    if (hole >= 0) found(hole, { holder: value as Record<string, unknown>, key });
  }
}

/** The characters of a string. The parser handles strings with escapes or invalid characters. */
function readText(bytes: LentBytes, start: number, end: number): string | undefined {
  let highest = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH || byte < SPACE) return parseText(bytes, start, end);
    highest |= byte;
  }
  return highest <= ASCII_MAX ? bytes.toString('latin1', start, end) : bytes.toString('utf8', start, end);
}

function parseText(bytes: LentBytes, start: number, end: number): string | undefined {
  const parsed = parseJson(bytes.toString('utf8', start - 1, end + 1), TEMPLATE_BOUNDS);
  return parsed.kind === 'parsed' && typeof parsed.value === 'string' ? parsed.value : undefined;
}

function readNumber(bytes: LentBytes, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + (bytes[at] as number) - ZERO;
  return value;
}
