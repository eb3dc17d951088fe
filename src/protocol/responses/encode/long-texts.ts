import { RawJson } from '../../hub/content/json.ts';

/** Shorter texts cost less than the bookkeeping. */
const LONG_CHARACTERS = 2048;
/** No JSON text holds this character, so what stands between two of them is a number of ours. */
const MARK = '\u0000';

/**
 * The end of a stream tells its whole text four times. A long one is made into bytes once; in the text that
 * is being written a mark stands for it.
 */
export class LongTexts {
  readonly #texts: Buffer[] = [];

  /** Takes a text in its quotes, and gives what is to be written in its place. */
  keep(quoted: string): RawJson {
    if (quoted.length < LONG_CHARACTERS) return new RawJson(quoted);
    this.#texts.push(Buffer.from(quoted));
    return new RawJson(`${MARK}${this.#texts.length - 1}${MARK}`);
  }

  /** What was written, with the texts in their places. */
  bytesOf(written: string): Buffer {
    if (this.#texts.length === 0 || !written.includes(MARK)) return Buffer.from(written);
    // Every second piece is the number of a text.
    const pieces = written.split(MARK).map((piece, index) => {
      const text = index % 2 === 1 ? this.#texts[Number(piece)] : undefined;
      return text ?? Buffer.from(piece);
    });
    return Buffer.concat(pieces);
  }
}
