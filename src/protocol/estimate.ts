import { ESTIMATE_PENDING_BYTES_MAX, TOKENIZE_BYTES_MAX } from '../bounds.ts';
import { BLOB_BYTES_MIN, looksLikeBlob } from './blob.ts';
import { decodeText } from './text.ts';
import { countTokens } from './tokens.ts';
import { collectWords, type WordSink, type Words } from './words.ts';

/**
 * A bounded sample of text on its way to the tokenizer. The first TOKENIZE_BYTES_MAX bytes are really counted,
 * each once; what comes after is scaled by what they gave.
 */
export class TextSample implements WordSink {
  pictures = 0;
  #texts: string[] = [];
  #sampledBytes = 0;
  #beyondBytes = 0;
  #sampledTokens = 0;

  text(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length >= BLOB_BYTES_MIN && looksLikeBlob(bytes, start, end)) return;
    const taken = Math.min(length, TOKENIZE_BYTES_MAX - this.#sampledBytes);
    this.#beyondBytes += length - taken;
    if (taken === 0) return;
    this.#sampledBytes += taken;
    this.#texts.push(decodeText(bytes, start, start + taken));
  }

  picture(): void {
    this.pictures++;
  }

  tokens(): number {
    if (this.#texts.length > 0) {
      this.#sampledTokens += countTokens(this.#texts.join(''));
      this.#texts = [];
    }
    if (this.#beyondBytes === 0) return this.#sampledTokens;
    return this.#sampledTokens + Math.ceil((this.#beyondBytes * this.#sampledTokens) / this.#sampledBytes);
  }
}

/**
 * Counts what a stream delivered, if it must. Raw events are only remembered; they are read when somebody
 * asks, or when too many have gathered, and they are tokenized only when somebody asks.
 */
export class Estimate {
  readonly #words: Words;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #sample: TextSample | undefined;

  constructor(words: Words) {
    this.#words = words;
  }

  deliver(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > ESTIMATE_PENDING_BYTES_MAX) this.#read();
  }

  /** What was delivered so far is in the vendor's own figures. */
  clear(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#sample = undefined;
  }

  tokens(): number {
    this.#read();
    return this.#sample?.tokens() ?? 0;
  }

  #read(): void {
    if (this.#pendingBytes === 0) return;
    this.#sample ??= new TextSample();
    for (const bytes of this.#pending) collectWords(bytes, this.#words, this.#sample);
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
