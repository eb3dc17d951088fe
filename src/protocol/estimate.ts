import { ESTIMATE_PENDING_BYTES_MAX, TOKENIZE_BYTES_MAX } from '../bounds.ts';
import { BLOB_BYTES_MIN, looksLikeBlob } from './blob.ts';
import { NOTHING } from './splitter.ts';
import { decodeText } from './text.ts';
import { countTokens } from './tokens.ts';
import { collectWords, type WordSink, type Words } from './words.ts';

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
    return this.#sampledTokens + Math.ceil((this.#beyondBytes * this.#sampledTokens) / this.#sampledBytes);
  }

  #add(pile: Pile, bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length >= BLOB_BYTES_MIN && looksLikeBlob(bytes, start, end)) return;
    const taken = Math.min(length, TOKENIZE_BYTES_MAX - this.#sampledBytes);
    this.#beyondBytes += length - taken;
    this.#sampledBytes += taken;
    pile.add(bytes, start, start + taken);
  }
}

/** Below this a loop copies faster than a call into the runtime. */
const COPY_IN_PLACE = 32;

/** Bytes gathered until somebody counts them. The sample above bounds them. */
class Pile {
  length = 0;
  #bytes = NOTHING;

  add(bytes: Buffer, start: number, end: number): void {
    const needed = this.length + end - start;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(1024, needed, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    if (end - start > COPY_IN_PLACE) {
      bytes.copy(this.#bytes, this.length, start, end);
    } else {
      let to = this.length;
      for (let at = start; at < end; at++) this.#bytes[to++] = bytes[at] as number;
    }
    this.length = needed;
  }

  tokens(): number {
    const text = decodeText(this.#bytes, 0, this.length);
    this.length = 0;
    return countTokens(text);
  }
}

/**
 * Counts what a stream generated, if it must. Of each event only its place is remembered; it is read when
 * somebody asks, or when too many have gathered, and tokenized only when somebody asks.
 */
export class Estimate {
  readonly #words: Words;
  #chunks: Buffer[] = [];
  /** Three numbers per event: which chunk, and where in it the generated part starts and ends. */
  #places: number[] = [];
  #pendingBytes = 0;
  #sample: TextSample | undefined;

  constructor(words: Words) {
    this.#words = words;
  }

  /** Something generated stands at this range of a chunk. The chunk is kept whole, so it counts whole. */
  note(chunk: Buffer, start: number, end: number): void {
    const chunks = this.#chunks;
    if (chunks.length === 0 || chunks[chunks.length - 1] !== chunk) {
      chunks.push(chunk);
      this.#pendingBytes += chunk.length;
    }
    this.#places.push(chunks.length - 1, start, end);
    if (this.#pendingBytes > ESTIMATE_PENDING_BYTES_MAX) this.#read();
  }

  /** A generated string stands here. It is copied at once: a kept chunk of a few words costs far more. */
  noteText(chunk: Buffer, start: number, end: number): void {
    if (this.#places.length > 0) this.#read();
    this.#sample ??= new TextSample();
    this.#sample.text(chunk, start, end);
  }

  /** What was generated so far is in the vendor's own figures. */
  clear(): void {
    this.#forget();
    this.#sample = undefined;
  }

  tokens(): number {
    this.#read();
    return this.#sample?.tokens() ?? 0;
  }

  #read(): void {
    const places = this.#places;
    if (places.length === 0) return;
    this.#sample ??= new TextSample();
    for (let index = 0; index < places.length; index += 3) {
      const bytes = this.#chunks[places[index] as number] as Buffer;
      const start = places[index + 1] as number;
      const end = places[index + 2] as number;
      collectWords({ bytes, start, end }, this.#words, this.#sample);
    }
    this.#forget();
  }

  #forget(): void {
    this.#chunks = [];
    this.#places = [];
    this.#pendingBytes = 0;
  }
}
