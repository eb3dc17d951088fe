/**
 * HTTP/1.1 framing for the benchmark's own two ends. The upstream and the load generator share two cores
 * with the gateway under test, so they speak on bare sockets: node:http on both ends would cost as much as
 * the bare proxy itself and the figures would show the harness.
 */

/** A head or a chunk-size line longer than this is not something our targets send. */
const LINE_BYTES_MAX = 64 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

export interface MessageListener {
  /** The start line and the headers as they came, without the empty line. */
  onHead(head: string): void;
  onBody(piece: Buffer): void;
  onEnd(): void;
}

type State = 'head' | 'length' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailer';

/** Reads one message after the other from a connection, requests and responses alike. */
export class MessageReader {
  readonly #listener: MessageListener;
  #state: State = 'head';
  #remaining = 0;
  #rest: Buffer | undefined;

  constructor(listener: MessageListener) {
    this.#listener = listener;
  }

  push(data: Buffer): void {
    const bytes = this.#rest === undefined ? data : Buffer.concat([this.#rest, data]);
    this.#rest = undefined;
    let offset = 0;
    while (offset < bytes.length) {
      const next = this.#step(bytes, offset);
      if (next < 0) {
        if (bytes.length - offset > LINE_BYTES_MAX) throw new Error('a head or chunk line without end');
        this.#rest = bytes.subarray(offset);
        return;
      }
      offset = next;
    }
  }

  /** Handles what starts at `offset` and answers where the next part starts, or -1 when more is needed. */
  #step(bytes: Buffer, offset: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, offset);
      case 'length':
      case 'chunk-data':
        return this.#readBody(bytes, offset);
      case 'chunk-size':
        return this.#readChunkSize(bytes, offset);
      case 'chunk-end':
        if (bytes.length - offset < 2) return -1;
        this.#state = 'chunk-size';
        return offset + 2;
      case 'trailer':
        return this.#readTrailer(bytes, offset);
    }
  }

  #readHead(bytes: Buffer, offset: number): number {
    const end = bytes.indexOf(HEAD_END, offset);
    if (end < 0) return -1;
    const head = bytes.toString('latin1', offset, end);
    this.#listener.onHead(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#remaining = Number(length);
      this.#state = 'length';
      if (this.#remaining === 0) this.#finish();
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.#state = 'chunk-size';
    } else {
      this.#finish();
    }
    return end + HEAD_END.length;
  }

  #readBody(bytes: Buffer, offset: number): number {
    const end = Math.min(bytes.length, offset + this.#remaining);
    this.#remaining -= end - offset;
    this.#listener.onBody(bytes.subarray(offset, end));
    if (this.#remaining === 0) {
      if (this.#state === 'length') this.#finish();
      else this.#state = 'chunk-end';
    }
    return end;
  }

  #readChunkSize(bytes: Buffer, offset: number): number {
    const end = bytes.indexOf(LINE_END, offset);
    if (end < 0) return -1;
    this.#remaining = Number.parseInt(bytes.toString('latin1', offset, end), 16);
    if (Number.isNaN(this.#remaining)) throw new Error('a chunk without a size');
    this.#state = this.#remaining === 0 ? 'trailer' : 'chunk-data';
    return end + LINE_END.length;
  }

  #readTrailer(bytes: Buffer, offset: number): number {
    const end = bytes.indexOf(LINE_END, offset);
    if (end < 0) return -1;
    if (end === offset) this.#finish();
    return end + LINE_END.length;
  }

  #finish(): void {
    this.#state = 'head';
    this.#listener.onEnd();
  }
}

/** One chunk of a chunked body, ready for the socket. */
export function chunkOf(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}
