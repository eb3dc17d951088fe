import type { ServerResponse } from 'node:http';

/** Copying more than this into a frame costs more than the pieces do in which Node writes one. */
const COPIED_BYTES_MAX = 8 * 1024;
/** What is held back for the rest of a tick; one read from a vendor is no longer. */
const HELD_BYTES_MAX = 64 * 1024;
const FRAME_BYTES = 4;
const CR = 0x0d;
const LF = 0x0a;

/** Who writes learns when the client does not read so fast, and when it has read. */
export interface ChunkSource {
  onFull(): void;
  onDrained(): void;
}

/**
 * `response.write` for the many small chunks of a stream. Node writes a chunk as four pieces (size, line end,
 * bytes, line end) and corks the connection for each, which is a good part of what a chunk costs. Here it is
 * one piece, and only those that came in one read from the vendor are corked together; all have left before
 * anything else is read. The first one, which takes the head along, waiting behind an earlier answer on the
 * connection, and clients without chunks stay with Node. Whoever ends the answer flushes first.
 */
export class ChunkWriter {
  readonly #response: ServerResponse;
  readonly #source: ChunkSource;
  /** Framed. Most chunks come alone, and need no list. */
  #first: Buffer | undefined;
  #others: Buffer[] = [];
  #heldBytes = 0;
  #isBegun = false;
  #isFull = false;

  constructor(response: ServerResponse, source: ChunkSource) {
    this.#response = response;
    this.#source = source;
  }

  write(bytes: Buffer): void {
    // A frame around nothing would be the end.
    if (bytes.length === 0) return;
    const response = this.#response;
    const isOwn = this.#isBegun && bytes.length <= COPIED_BYTES_MAX;
    this.#isBegun = true;
    if (isOwn && response.chunkedEncoding && response.socket !== null) this.#hold(framed(bytes));
    else {
      this.flush();
      if (!response.write(bytes)) this.#becameFull();
    }
  }

  flush(): void {
    const first = this.#first;
    if (first === undefined) return;
    const others = this.#others;
    this.#first = undefined;
    this.#heldBytes = 0;
    const { socket } = this.#response;
    if (socket === null || socket.destroyed) return;
    if (others.length === 0) {
      if (!socket.write(first)) this.#becameFull();
      return;
    }
    this.#others = [];
    socket.cork();
    let isReady = socket.write(first);
    for (const each of others) isReady = socket.write(each);
    socket.uncork();
    if (!isReady) this.#becameFull();
  }

  #hold(frame: Buffer): void {
    if (this.#first === undefined) {
      this.#first = frame;
      process.nextTick(flush, this);
    } else this.#others.push(frame);
    this.#heldBytes += frame.length;
    if (this.#heldBytes >= HELD_BYTES_MAX) this.flush();
  }

  #becameFull(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    (this.#response.socket ?? this.#response).once('drain', () => {
      this.#isFull = false;
      this.#source.onDrained();
    });
    this.#source.onFull();
  }
}

function flush(writer: ChunkWriter): void {
  writer.flush();
}

function framed(bytes: Buffer): Buffer {
  const size = bytes.length.toString(16);
  const frame = Buffer.allocUnsafe(size.length + bytes.length + FRAME_BYTES);
  let at = 0;
  while (at < size.length) frame[at] = size.charCodeAt(at++);
  frame[at++] = CR;
  frame[at++] = LF;
  at += bytes.copy(frame, at);
  frame[at++] = CR;
  frame[at] = LF;
  return frame;
}
