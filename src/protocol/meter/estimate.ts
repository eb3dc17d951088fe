import { ESTIMATE_PENDING_BYTES_MAX, TOKENIZE_BYTES_MAX } from '../../bounds.ts';
import { BACKSLASH, LETTER_U } from '../bytes/ascii.ts';
import { isBlob } from '../bytes/base64-run.ts';
import { NOTHING } from '../bytes/splitter.ts';
import { decodeText } from '../bytes/text.ts';
import { countTokens } from './tokens.ts';
import { collectWords, type WordSink, type Words } from './words.ts';

/**
 * A token of prose is shorter, be all of its letters escapes. A sample of blanks or dashes alone has more in
 * a token, and says nothing about what comes after it.
 */
const TOKEN_BYTES_MAX = 24;

/**
 * A bounded sample of text on its way to the tokenizer. The first TOKENIZE_BYTES_MAX bytes are really
 * counted, each once; what comes after is scaled by what they gave. Strings are gathered as they are written
 * in JSON and decoded together, because most of them are one token long.
 */
export class TextSample implements WordSink {
  pictures = 0;
  readonly #strings = new Pile();
  readonly #raws = new Pile();
  #sampledBytes = 0;
  #beyondBytes = 0;
  #sampledTokens = 0;

  text(bytes: Buffer, start: number, end: number): void {
    this.#add(this.#strings, bytes, start, end);
  }

  raw(bytes: Buffer, start: number, end: number): void {
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

  #add(pile: Pile, bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    const room = TOKENIZE_BYTES_MAX - this.#sampledBytes;
    const taken = length <= room ? length : beforeEscape(bytes, start, start + room) - start;
    this.#beyondBytes += length - taken;
    this.#sampledBytes += taken;
    pile.add(bytes, start, start + taken);
  }
}

const ESCAPE_BYTES_MAX = 6;

/** The end of a sample, or the start of the escape it would cut: with half an escape nothing is decoded. */
function beforeEscape(bytes: Buffer, start: number, end: number): number {
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

/** Some vendors put a picture they made where the text stands; no model wrote its letters one by one. */
export class GeneratedSample extends TextSample {
  override text(bytes: Buffer, start: number, end: number): void {
    if (!isBlob(bytes, start, end)) super.text(bytes, start, end);
  }
}

/** Below this a loop copies faster than a call into the runtime. */
const COPY_IN_PLACE = 32;

/** Bytes gathered until somebody counts them. The sample above bounds them. */
class Pile {
  length = 0;
  bytes = NOTHING;

  add(bytes: Buffer, start: number, end: number): void {
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
 * Counts what a stream generated, if it must. Of each event the generated part is put aside; it is read when
 * somebody asks, or when too much has gathered, and tokenized only when somebody asks.
 */
export class Estimate {
  readonly #words: Words;
  readonly #unread = new Pile();
  /** Where in the pile the parts end. */
  #ends: number[] = [];
  #sample: TextSample | undefined;

  constructor(words: Words) {
    this.#words = words;
  }

  /** Something generated stands at this range of a chunk. It is copied: a kept chunk keeps its neighbours. */
  note(chunk: Buffer, start: number, end: number): void {
    if (this.#unread.length + end - start > ESTIMATE_PENDING_BYTES_MAX) this.#read();
    if (end - start > ESTIMATE_PENDING_BYTES_MAX) {
      this.#collect(chunk, start, end);
      return;
    }
    this.#unread.add(chunk, start, end);
    this.#ends.push(this.#unread.length);
  }

  /** A generated string stands here. */
  noteText(chunk: Buffer, start: number, end: number): void {
    if (this.#ends.length > 0) this.#read();
    this.#sample ??= new GeneratedSample();
    this.#sample.text(chunk, start, end);
  }

  /** What was generated so far is in the vendor's own figures. */
  clear(): void {
    this.#forget();
    this.#sample = undefined;
  }

  /** Nothing was put aside since the last figures. */
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

  #collect(bytes: Buffer, start: number, end: number): void {
    this.#sample ??= new GeneratedSample();
    collectWords({ bytes, start, end }, this.#words, this.#sample);
  }

  #forget(): void {
    this.#unread.length = 0;
    if (this.#ends.length > 0) this.#ends = [];
  }
}
