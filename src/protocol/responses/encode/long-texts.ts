import { RawJson } from '../../hub/content/json.ts';

/** For shorter texts the bookkeeping costs more than it saves. */
const LONG_CHARACTERS = 2048;
/** No JSON text contains this character, so the text between two of them is a number of ours. */
const MARK = '\u0000';

/**
 * The end of a stream repeats its whole text four times. A long text is converted to bytes once. In the text
 * that is being written a mark stands for it.
 */
export class LongTexts {
  readonly #texts: Buffer[] = [];

  /** Takes a quoted text, and returns what is written in its place. */
  keep(quoted: string): RawJson {
    if (quoted.length < LONG_CHARACTERS) return new RawJson(quoted);
    this.#texts.push(Buffer.from(quoted));
    return new RawJson(`${MARK}${this.#texts.length - 1}${MARK}`);
  }

  /** The written text, with the long texts in their places. */
  toBytes(written: string): Buffer {
    if (this.#texts.length === 0 || !written.includes(MARK)) return Buffer.from(written);
    // Every second piece is the number of a text.
    const pieces = written.split(MARK).map((piece, index) => {
      const text = index % 2 === 1 ? this.#texts[Number(piece)] : undefined;
      return text ?? Buffer.from(piece);
    });
    return Buffer.concat(pieces);
  }
}
