import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';

/** Up to this size Node hands a string to the system from its own stack; above it, bytes are cheaper. */
const TEXT_BYTES_MAX = 16 * 1024;
/** The size line of a chunk, and two line ends. */
const FRAME_BYTES_MAX = 12;
const END_OF_LINE = '\r\n';

/** Is notified when the client reads too slowly, and when it has read. */
export interface ChunkSource {
  onFull(): void;
  onDrained(): void;
}

/**
 * `response.write` for the many small chunks of a stream. Node writes a chunk as four pieces (size, line end,
 * bytes, line end) and corks the connection for each, which is a large part of the cost of a chunk. This
 * class writes one piece at once: the bytes of one read from the vendor are one chunk. Node still writes the
 * first chunk, which takes the head along, chunks that wait behind an earlier answer on the connection, and
 * answers to clients without chunked encoding.
 *
 * The bytes are lent, so they are copied here. The copy is a string, because its memory is collected at
 * almost no cost. As latin1, each byte is one character and is sent unchanged.
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

  write(bytes: LentBytes): void {
    // An empty chunk would end the answer.
    if (bytes.length === 0) return;
    const response = this.#response;
    const { socket } = response;
    const isOwn = this.#isBegun && response.chunkedEncoding && socket !== null;
    this.#isBegun = true;
    const isReady = isOwn ? writeFramed(socket, bytes) : writeByNode(response, bytes);
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

function writeByNode(response: ServerResponse, bytes: LentBytes): boolean {
  // A waiting chunk is kept as bytes: a long string would need a second copy.
  if (bytes.length > TEXT_BYTES_MAX) return response.write(ownCopy(bytes));
  return response.write(bytes.toString('latin1'), 'latin1');
}

function writeFramed(socket: Socket, bytes: LentBytes): boolean {
  if (socket.destroyed) return true;
  const size = bytes.length.toString(16);
  if (bytes.length + FRAME_BYTES_MAX <= TEXT_BYTES_MAX) {
    return socket.write(`${size}\r\n${bytes.toString('latin1')}\r\n`, 'latin1');
  }
  const frame = Buffer.allocUnsafeSlow(size.length + bytes.length + 2 * END_OF_LINE.length);
  const start = frame.write(size + END_OF_LINE, 'latin1');
  bytes.copy(frame, start);
  frame.write(END_OF_LINE, start + bytes.length, 'latin1');
  return socket.write(frame);
}
