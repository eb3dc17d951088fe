import { SOUND_STEPS_MAX, SOUND_WINDOW_BYTES } from '../../bounds.ts';
import { BACKSLASH, LETTER_N, LETTER_T, SPACE } from '../../bytes/ascii.ts';
import type { Sliced } from '../../bytes/slices.ts';
import { decodeText } from '../../bytes/text.ts';

const CHARS_PER_GROUP = 4;
const BYTES_PER_GROUP = 3;
const PADDING = 0x3d;
const LETTER_R = 0x72;
const LETTER_U = 0x75;
/** A window costs as much as so many steps within it. */
const WINDOW_STEPS = SOUND_STEPS_MAX / 16;
/** The longest escape of a character, and one that is cut off. */
const ESCAPE_CHARS_MAX = 6;
const CUT_OFF = /(?:^|[^\\])(?:\\\\)*(\\(?:u[0-9a-f]{0,3})?)$/i;

/**
 * The bytes of a file, read forward through a window. A file in base64 is decoded window by window, and what
 * is jumped over is not decoded at all unless the text has escapes, which hide how far a jump goes.
 */
export class SoundBytes {
  /** The window. A new one may come with each `seek`. */
  bytes: Buffer;
  /** The size of the file. That of a text with escapes is known when they are counted. */
  length: number;
  /** Something is not base64, so that positions are unknown. */
  broken = false;
  readonly #body: Buffer | undefined;
  readonly #end: number;
  readonly #start: number;
  readonly #jumps: boolean;
  /** The position of the window in the file, and where its text ends. */
  #at = 0;
  #textAt: number;
  /** Characters without a whole group. */
  #rest = '';
  #steps = 0;

  private constructor(bytes: Buffer, body: Buffer | undefined, start: number, end: number) {
    this.bytes = bytes;
    this.#body = body;
    this.#start = start;
    this.#textAt = start;
    this.#end = end;
    const text = body?.subarray(start, end);
    this.#jumps = text === undefined || !(text.includes(BACKSLASH) || text.includes(SPACE));
    this.length = text === undefined ? bytes.length : decodedLength(text);
  }

  static of(file: Buffer): SoundBytes {
    return new SoundBytes(file, undefined, 0, 0);
  }

  static ofBase64(body: Buffer, start: number, end: number): SoundBytes {
    return new SoundBytes(Buffer.alloc(0), body, start, end);
  }

  /** Counts the escapes of a text: what they write is shorter, and blanks are not part of the file. */
  *countEscapes(): Sliced<void> {
    const body = this.#body;
    if (this.#jumps || body === undefined) return;
    let chars = this.#end - this.#start;
    for (let at = body.indexOf(BACKSLASH, this.#start); at >= 0 && at < this.#end; ) {
      const letter = body[at + 1] as number;
      const isBlank = letter === LETTER_N || letter === LETTER_R || letter === LETTER_T;
      const written = letter === LETTER_U ? ESCAPE_CHARS_MAX : 2;
      chars -= isBlank ? written : written - 1;
      at = body.indexOf(BACKSLASH, at + written);
      this.#steps++;
      if (this.isDue()) yield;
    }
    const padding = this.#end - this.#start - paddedEnd(body.subarray(this.#start, this.#end));
    this.length = toBytes(Math.max(0, chars - padding));
  }

  /**
   * Where `at` of the file is in the window, with `least` bytes behind it if the file has them. Beyond the
   * end of the file it is beyond the end of the window. No position lies before that of an earlier call.
   */
  seek(at: number, least: number): number {
    this.#steps++;
    if (this.#body === undefined) return at;
    if (at + least > this.#at + this.bytes.length) this.#load(this.#body, at, least);
    return at - this.#at;
  }

  /** The window ends where the file ends. */
  get isLast(): boolean {
    return this.#textAt === this.#end;
  }

  /** Other work than a seek: its steps. */
  worked(steps: number): void {
    this.#steps += steps;
  }

  /** A turn's work is done. */
  isDue(): boolean {
    if (this.#steps < SOUND_STEPS_MAX) return false;
    this.#steps = 0;
    return true;
  }

  #load(body: Buffer, at: number, least: number): void {
    if (this.#jumps) {
      if (at >= this.length || (this.isLast && this.bytes.length > 0)) return;
      const group = Math.floor(at / BYTES_PER_GROUP);
      const from = Math.min(this.#end, this.#start + group * CHARS_PER_GROUP);
      this.#textAt = from;
      this.#at = group * BYTES_PER_GROUP;
      this.bytes = this.#next(body, least + BYTES_PER_GROUP);
      return;
    }
    while (this.#textAt < this.#end && at + least > this.#at + this.bytes.length) {
      const kept = this.bytes.subarray(Math.min(this.bytes.length, Math.max(0, at - this.#at)));
      this.#at += this.bytes.length - kept.length;
      this.bytes = Buffer.concat([kept, this.#next(body, 0)]);
    }
  }

  /** Decodes the next piece of the text. */
  #next(body: Buffer, least: number): Buffer {
    this.#steps += WINDOW_STEPS;
    const groups = Math.ceil(Math.max(SOUND_WINDOW_BYTES, least) / BYTES_PER_GROUP);
    const to = Math.min(this.#end, this.#textAt + groups * CHARS_PER_GROUP);
    const start = this.#textAt;
    this.#textAt = to;
    if (this.#jumps) {
      const decoded = Buffer.from(body.toString('latin1', start, to), 'base64');
      const expected = to === this.#end ? this.length - this.#at : groups * BYTES_PER_GROUP;
      this.broken ||= decoded.length !== expected;
      return decoded;
    }
    // An escape that is cut off waits for the next piece.
    const tail = body.toString('latin1', Math.max(start, to - ESCAPE_CHARS_MAX), to);
    const cut = to === this.#end ? 0 : (CUT_OFF.exec(tail)?.[1]?.length ?? 0);
    this.#textAt = to - cut;
    const text = this.#rest + decodeText(body, start, to - cut).replaceAll(/\s/g, '');
    const whole = to === this.#end ? text.length : text.length - (text.length % CHARS_PER_GROUP);
    this.#rest = text.slice(whole);
    return Buffer.from(text.slice(0, whole), 'base64');
  }
}

function decodedLength(text: Buffer): number {
  return toBytes(paddedEnd(text));
}

/** Where a text ends before its padding. */
function paddedEnd(text: Buffer): number {
  let { length } = text;
  for (let padding = 0; padding < 2 && text[length - 1] === PADDING; padding++) length--;
  return length;
}

function toBytes(chars: number): number {
  return Math.floor((chars * BYTES_PER_GROUP) / CHARS_PER_GROUP);
}
