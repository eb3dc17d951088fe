import type { ServerResponse } from 'node:http';

/** Copying more than this into a frame costs more than the pieces do in which Node writes one. */
const COPIED_BYTES_MAX = 8 * 1024;
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
 * one piece, written at once: what one read from the vendor brought comes as one chunk. The first one, which
 * takes the head along, waiting behind an earlier answer on the connection, and clients without chunks stay
 * with Node.
 */
export class ChunkWriter {
  readonly #response: ServerResponse;
  readonly #source: ChunkSource;
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
    const { socket } = response;
    const isOwn = this.#isBegun && bytes.length <= COPIED_BYTES_MAX;
    this.#isBegun = true;
    const isReady =
      isOwn && response.chunkedEncoding && socket !== null
        ? socket.destroyed || socket.write(framed(bytes))
        : response.write(bytes);
    if (!isReady) this.#becameFull();
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
