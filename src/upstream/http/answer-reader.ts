import { UPSTREAM_CHUNK_LINE_BYTES_MAX, UPSTREAM_HEADER_BYTES_MAX } from '../../bounds.ts';
import { joinLent, type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import { type AnswerHead, readAnswerHead } from './answer-head.ts';

/** Told of an answer while it is read. Whoever wants no more of it calls `stop`. */
export interface AnswerSink {
  /** Interim answers too; a body belongs to the last of them. */
  onAnswerHead(head: AnswerHead): void;
  /** The bytes are lent: whoever keeps them copies them. */
  readonly onAnswerBody: (bytes: LentBytes) => void;
  /** The answer is whole. `keepMs`: how long the connection may wait for its next call; 0: it has none. */
  onAnswerEnd(keepMs: number): void;
}

type State = 'silent' | 'head' | 'length' | 'size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close';

const NOTHING = Buffer.alloc(0);
const CR = 0x0d;
const LF = 0x0a;
const END_OF_LINE = Buffer.from('\r\n', 'latin1');
const END_OF_HEAD = Buffer.from('\r\n\r\n', 'latin1');
const BEGIN = Buffer.from('HTTP/1.', 'latin1');
/** More than any buffer holds, and exact in floating point. */
const SIZE_DIGITS_MAX = 8;
const NO_DIGIT = -1;
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? NO_DIGIT : digit;
});

/** What may come before the answer although nobody asked: the work goes on, early hints. */
const INTERIM: ReadonlySet<number> = new Set([102, 103]);

/**
 * Reads the answers of one HTTP/1.1 connection, one after the other, however their bytes are cut. Of a body,
 * what one read brought is handed on as one view of it: its chunks are moved together in place. Only a head
 * or a line that was cut is kept, within bounds.
 */
export class AnswerReader {
  readonly #sink: AnswerSink;
  #state: State = 'silent';
  /** Bytes that come to no decision yet. */
  #kept: Buffer = NOTHING;
  /** Of the body, or of the present chunk. */
  #left = 0;
  #keepMs = 0;
  #trailerBytes = 0;
  /** The part of the present read that is body and not handed on yet. */
  #bodyStart = 0;
  #bodyEnd = 0;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** A request is on its way: what comes next is its answer. */
  expect(): void {
    this.#state = 'head';
  }

  stop(): void {
    this.#state = 'silent';
    this.#kept = NOTHING;
    this.#bodyEnd = 0;
  }

  /**
   * Reads what the connection brought, and moves it about, but keeps none of it. Answers what is wrong with
   * it, if anything is.
   */
  push(bytes: LentBytes): string | undefined {
    const joined = this.#kept.length === 0 ? undefined : joinLent(this.#kept, bytes);
    const data = joined ?? bytes;
    this.#kept = NOTHING;
    let at = 0;
    while (at < data.length) {
      const next = this.#step(data, at);
      if (typeof next === 'string') {
        this.#handOn(data);
        return next;
      }
      if (this.#state === 'silent') return undefined;
      if (next < 0) {
        this.#kept = joined === undefined ? ownCopy(bytes.subarray(at)) : joined.subarray(at);
        break;
      }
      at = next;
    }
    this.#handOn(data);
    return undefined;
  }

  /** The other side sends no more. True when that is how the answer ends. */
  close(): boolean {
    if (this.#state !== 'until-close') return false;
    this.#state = 'silent';
    this.#sink.onAnswerEnd(0);
    return true;
  }

  /** Where to go on; below 0 when more bytes are needed; words when it is wrong. */
  #step(data: LentBytes, at: number): number | string {
    switch (this.#state) {
      case 'head':
        return this.#readHead(data, at);
      case 'size':
        return this.#readSize(data, at);
      case 'chunk':
      case 'length':
        return this.#readCounted(data, at);
      case 'chunk-end':
        return this.#readChunkEnd(data, at);
      case 'trailer':
        return this.#readTrailer(data, at);
      case 'until-close':
        this.#gather(data, at, data.length);
        return data.length;
      case 'silent':
        return 'bytes that nobody asked for';
    }
  }

  #readHead(data: LentBytes, at: number): number | string {
    const beginning = Math.min(data.length - at, BEGIN.length);
    if (data.compare(BEGIN, 0, beginning, at, at + beginning) !== 0) return 'not HTTP/1.1';
    const end = data.indexOf(END_OF_HEAD, at);
    if ((end < 0 ? data.length : end) - at > UPSTREAM_HEADER_BYTES_MAX) return 'a head without end';
    if (end < 0) return -1;
    const head = readAnswerHead(data.toString('latin1', at, end));
    if (typeof head === 'string') return head;
    const next = end + END_OF_HEAD.length;
    if (head.status < 200 && !INTERIM.has(head.status)) return `an unasked ${head.status}`;
    this.#sink.onAnswerHead(head);
    if (head.status < 200 || this.#state !== 'head') return next;
    this.#keepMs = head.keepMs;
    if (head.body === 0) this.#end(data, next);
    else this.#expectBody(head.body);
    return next;
  }

  #expectBody(body: AnswerHead['body']): void {
    if (typeof body === 'number') {
      this.#left = body;
      this.#state = 'length';
    } else {
      this.#state = body === 'chunked' ? 'size' : body;
    }
  }

  #readCounted(data: LentBytes, at: number): number {
    const end = Math.min(data.length, at + this.#left);
    this.#left -= end - at;
    this.#gather(data, at, end);
    if (this.#left > 0) return end;
    if (this.#state === 'chunk') this.#state = 'chunk-end';
    else this.#end(data, end);
    return end;
  }

  /** Between two chunks stand a few bytes; to move an event over them is cheaper than a call for it. */
  #gather(data: LentBytes, start: number, end: number): void {
    if (this.#bodyEnd === 0) {
      this.#bodyStart = start;
      this.#bodyEnd = end;
      return;
    }
    data.copyWithin(this.#bodyEnd, start, end);
    this.#bodyEnd += end - start;
  }

  #handOn(data: LentBytes): void {
    const end = this.#bodyEnd;
    if (end === 0) return;
    this.#bodyEnd = 0;
    this.#sink.onAnswerBody(data.subarray(this.#bodyStart, end));
  }

  /** `1a3\r\n`. What may stand behind a semicolon means nothing to anybody and is passed over. */
  #readSize(data: LentBytes, at: number): number | string {
    let size = 0;
    let end = at;
    for (; end < data.length; end++) {
      const digit = DIGITS[data[end] as number] as number;
      if (digit === NO_DIGIT) break;
      size = size * 16 + digit;
    }
    if (end - at > SIZE_DIGITS_MAX) return 'a chunk without end';
    if (data[end] !== CR || data[end + 1] !== LF) {
      end = data.indexOf(END_OF_LINE, at);
      if ((end < 0 ? data.length : end) - at > UPSTREAM_CHUNK_LINE_BYTES_MAX)
        return 'a chunk size without end';
      if (end < 0) return -1;
      if (!CHUNK_LINE.test(data.toString('latin1', at, end))) return 'a chunk size that is none';
    } else if (end === at) {
      return 'a chunk size that is none';
    }
    this.#left = size;
    this.#trailerBytes = 0;
    this.#state = size === 0 ? 'trailer' : 'chunk';
    return end + END_OF_LINE.length;
  }

  #readChunkEnd(data: LentBytes, at: number): number | string {
    if (data[at] !== CR) return 'a chunk longer than its size';
    if (at + 1 === data.length) return -1;
    if (data[at + 1] !== LF) return 'a chunk longer than its size';
    this.#state = 'size';
    return at + END_OF_LINE.length;
  }

  /** Nobody asked for trailers, and nobody gets them. */
  #readTrailer(data: LentBytes, at: number): number | string {
    const end = data.indexOf(END_OF_LINE, at);
    const bytes = (end < 0 ? data.length : end) - at;
    if (this.#trailerBytes + bytes > UPSTREAM_HEADER_BYTES_MAX) return 'trailers without end';
    if (end < 0) return -1;
    this.#trailerBytes += bytes + END_OF_LINE.length;
    const next = end + END_OF_LINE.length;
    if (bytes === 0) this.#end(data, next);
    return next;
  }

  /** Bytes behind the end are nobody's; whoever took the connection next would read them as its answer. */
  #end(data: LentBytes, next: number): void {
    this.#handOn(data);
    if (this.#state === 'silent') return;
    this.#state = 'silent';
    this.#sink.onAnswerEnd(next === data.length ? this.#keepMs : 0);
  }
}

const CHUNK_LINE = /^[0-9A-Fa-f]+[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
