import { ESTIMATE_PENDING_BYTES_MAX, TOKENIZE_BYTES_MAX } from '../../bounds.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { BACKSLASH, LETTER_U } from '../bytes/ascii.ts';
import { isBase64Run } from '../bytes/base64-run.ts';
import { NOTHING } from '../bytes/splitter.ts';
import { decodeText } from '../bytes/text.ts';
import { countTokens } from './tokens.ts';
import { collectWords, type WordSink, type Words } from './words.ts';

/**
 * A token of prose is shorter, even if all of its letters are escapes. A sample of only blanks or dashes has
 * longer tokens, and says nothing about the text after it.
 */
const TOKEN_BYTES_MAX = 24;

/**
 * A bounded sample of text for the tokenizer. The first TOKENIZE_BYTES_MAX bytes are counted, each once. The
 * rest is scaled by their result. Strings are collected as they are written in JSON and decoded together,
 * because most of them are one token long.
 */
export class TextSample implements WordSink {
  pictures = 0;
  readonly #strings = new CollectedBytes();
  readonly #raws = new CollectedBytes();
  #sampledBytes = 0;
  #beyondBytes = 0;
  #sampledTokens = 0;

  text(bytes: LentBytes, start: number, end: number): void {
    this.#add(this.#strings, bytes, start, end);
  }

  raw(bytes: LentBytes, start: number, end: number): void {
    this.#add(this.#raws, bytes, start, end);
  }

  picture(): void {
    this.pictures++;
  }

  tokens(): number {
    this.#sampledTokens += this.#strings.tokens() + this.#raws.tokens();
    if (this.#beyondBytes === 0) return this.#sampledTokens;
    const rate = Math.max(this.#sampledTokens / this.#sampledBytes, 1 / TOKEN_BYTES_MAX);
    return this.#sampledTokens + Math.ceil(this.#beyondBytes * rate);
  }

  #add(collected: CollectedBytes, bytes: LentBytes, start: number, end: number): void {
    const length = end - start;
    const room = TOKENIZE_BYTES_MAX - this.#sampledBytes;
    const taken = length <= room ? length : beforeEscape(bytes, start, start + room) - start;
    this.#beyondBytes += length - taken;
    this.#sampledBytes += taken;
    collected.add(bytes, start, start + taken);
  }
}

const ESCAPE_BYTES_MAX = 6;

/**
 * The end of a sample, or the start of an escape that the sample would cut: half an escape cannot be decoded.
 */
function beforeEscape(bytes: LentBytes, start: number, end: number): number {
  for (let at = end - 1; at >= start && at > end - ESCAPE_BYTES_MAX; at--) {
    if (bytes[at] !== BACKSLASH) continue;
    let run = at;
    while (run > start && bytes[run - 1] === BACKSLASH) run--;
    // After an odd number of backslashes this one is the second half of a pair.
    if (((at - run) & 1) === 1) return end;
    const length = bytes[at + 1] === LETTER_U ? ESCAPE_BYTES_MAX : 2;
    return at + length > end ? at : end;
  }
  return end;
}

/** Some vendors put a generated image into the text field. Its base64 is not counted as text. */
export class GeneratedSample extends TextSample {
  override text(bytes: LentBytes, start: number, end: number): void {
    if (!isBase64Run(bytes, start, end)) super.text(bytes, start, end);
  }
}

/** Below this size a loop copies faster than a call into the runtime. */
const COPY_IN_PLACE = 32;

/** Bytes that are collected until they are counted. The sample limits them. */
class CollectedBytes {
  length = 0;
  bytes = NOTHING;

  add(bytes: LentBytes, start: number, end: number): void {
    const needed = this.length + end - start;
    if (needed > this.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(1024, needed, this.bytes.length * 2));
      this.bytes.copy(grown, 0, 0, this.length);
      this.bytes = grown;
    }
    if (end - start > COPY_IN_PLACE) {
      bytes.copy(this.bytes, this.length, start, end);
    } else {
      let to = this.length;
      for (let at = start; at < end; at++) this.bytes[to++] = bytes[at] as number;
    }
    this.length = needed;
  }

  tokens(): number {
    const text = decodeText(this.bytes, 0, this.length);
    this.length = 0;
    return countTokens(text);
  }
}

/**
 * Counts what a stream generated, if needed. The generated part of each event is copied. It is parsed when
 * the count is needed or too much has been collected, and tokenized only when the count is needed.
 */
export class Estimate {
  readonly #words: Words;
  readonly #unread = new CollectedBytes();
  /** Where the parts end in the collected bytes. */
  #ends: number[] = [];
  #sample: TextSample | undefined;

  constructor(words: Words) {
    this.#words = words;
  }

  /**
   * Generated content is at this range of a chunk. It is copied, because keeping a chunk would keep its
   * neighbours.
   */
  note(chunk: LentBytes, start: number, end: number): void {
    if (this.#unread.length + end - start > ESTIMATE_PENDING_BYTES_MAX) this.#read();
    if (end - start > ESTIMATE_PENDING_BYTES_MAX) {
      this.#collect(chunk, start, end);
      return;
    }
    this.#unread.add(chunk, start, end);
    this.#ends.push(this.#unread.length);
  }

  /** A generated string is at this range. */
  noteText(chunk: LentBytes, start: number, end: number): void {
    if (this.#ends.length > 0) this.#read();
    this.#sample ??= new GeneratedSample();
    this.#sample.text(chunk, start, end);
  }

  /** The vendor's own figures cover everything generated so far. */
  clear(): void {
    this.#forget();
    this.#sample = undefined;
  }

  /** Nothing was collected since the last figures. */
  get isEmpty(): boolean {
    return this.#unread.length === 0 && this.#sample === undefined;
  }

  tokens(): number {
    this.#read();
    return this.#sample?.tokens() ?? 0;
  }

  #read(): void {
    let start = 0;
    for (const end of this.#ends) {
      this.#collect(this.#unread.bytes, start, end);
      start = end;
    }
    this.#forget();
  }

  #collect(bytes: LentBytes, start: number, end: number): void {
    this.#sample ??= new GeneratedSample();
    collectWords({ bytes, start, end }, this.#words, this.#sample);
  }

  #forget(): void {
    this.#unread.length = 0;
    if (this.#ends.length > 0) this.#ends = [];
  }
}
