import { nextTurn } from '../../kernel/async/next-turn.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { BLANK_RUN_BYTES_MAX, OUTLINED_BYTES_MIN } from '../bounds.ts';
import { BACKSLASH, BRACE_BIT, CLOSE_BRACE, COLON, COMMA, MINUS, OPEN_BRACE, QUOTE } from './ascii.ts';
import { skipNumbers } from './skim.ts';

/** Larger values are noted, so that a walk can skip them. */
const LARGE_BYTES = 4 * 1024;
/** The values that we look for are not deeper. Strings are noted at any depth. */
const DEPTH_NOTED = 8;
const NO_STRING = -1;

/**
 * Where the large values of a JSON text end, by where they begin. It is built while the text arrives. With
 * it, a search for a few values in a long text skips the rest at once (`withOutline`). Like the walks that
 * use it, it checks structure and not grammar.
 */
export class Outline {
  readonly ends = new Map<number, number>();
  /** A very long run of blanks or letters where values are expected. No vendor writes such a text. */
  absurd = false;
  readonly #starts = new Float64Array(DEPTH_NOTED);
  #depth = 0;
  /** Bytes before the current chunk. */
  #before = 0;
  /** The position of the opening quote while inside a string. */
  #string = NO_STRING;
  /** An odd number of backslashes is right before the place where the string continues. */
  #isEscaped = false;
  /** The position of the last structural character. */
  #lastSign = 0;

  push(chunk: LentBytes): void {
    let at = 0;
    while (at < chunk.length)
      at = this.#string === NO_STRING ? this.#outside(chunk, at) : this.#inside(chunk, at);
    this.#before += chunk.length;
    if (this.#string === NO_STRING) this.#checkRun(this.#before);
  }

  /** Continues up to and including the next opening quote. */
  #outside(chunk: LentBytes, from: number): number {
    const { length } = chunk;
    for (let at = from; at < length; at++) {
      at = skipNumbers(chunk, at, length, MINUS);
      if (at === length) break;
      const byte = chunk[at] as number;
      const brace = byte | BRACE_BIT;
      if (byte === QUOTE) {
        this.#sign(at);
        this.#string = this.#before + at;
        this.#isEscaped = false;
        return at + 1;
      }
      if (brace === OPEN_BRACE) this.#open(at);
      else if (brace === CLOSE_BRACE) this.#close(at);
      else if (byte === COMMA || byte === COLON) this.#sign(at);
    }
    return length;
  }

  #sign(at: number): void {
    this.#checkRun(this.#before + at);
    this.#lastSign = this.#before + at;
  }

  #checkRun(position: number): void {
    if (position - this.#lastSign > BLANK_RUN_BYTES_MAX) this.absurd = true;
  }

  #open(at: number): void {
    this.#sign(at);
    if (this.#depth < DEPTH_NOTED) this.#starts[this.#depth] = this.#before + at;
    this.#depth++;
  }

  #close(at: number): void {
    this.#sign(at);
    if (this.#depth > 0) this.#depth--;
    if (this.#depth < DEPTH_NOTED) this.#note(this.#starts[this.#depth] as number, this.#before + at + 1);
  }

  /** Continues up to and including the next quote, which closes the string or is part of it. */
  #inside(chunk: LentBytes, from: number): number {
    const found = chunk.indexOf(QUOTE, from);
    const at = found < 0 ? chunk.length : found;
    let run = at;
    while (run > from && chunk[run - 1] === BACKSLASH) run--;
    const isOdd = ((at - run) & 1) === 1;
    const isEscaped = run === from ? isOdd !== this.#isEscaped : isOdd;
    this.#isEscaped = found < 0 && isEscaped;
    if (found < 0) return at;
    if (isEscaped) return at + 1;
    this.#note(this.#string, this.#before + at + 1);
    this.#string = NO_STRING;
    this.#lastSign = this.#before + at;
    return at + 1;
  }

  #note(start: number, end: number): void {
    if (end - start >= LARGE_BYTES) this.ends.set(start, end);
  }
}

const NO_ENDS: ReadonlyMap<number, number> = new Map();

/** The same for a text that is already complete, over several turns. A small text has no large values. */
export async function outlineLargeEnds(text: Buffer): Promise<ReadonlyMap<number, number>> {
  if (text.length <= OUTLINED_BYTES_MIN) return NO_ENDS;
  const outline = new Outline();
  for (let at = 0; at < text.length; at += OUTLINED_BYTES_MIN) {
    outline.push(text.subarray(at, at + OUTLINED_BYTES_MIN));
    await nextTurn();
  }
  return outline.ends;
}
