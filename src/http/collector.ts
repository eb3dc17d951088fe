import { joinPieces } from '../kernel/async/next-turn.ts';

/** Below this size pieces are kept and joined at the end. */
const PREALLOCATE_BYTES_MIN = 256 * 1024;
/** A declared length is trusted when this share of it has arrived. */
const BELIEVED_SHARE = 8;

/**
 * The pieces of one body. A single piece is returned as it is. A large body of declared length is copied into
 * one buffer piece by piece, so that it is never in memory twice and no single copy blocks the event loop.
 * The pieces must be the collector's own: their memory is freed as soon as they are copied.
 */
export class Collector {
  readonly #declaredBytes: number | undefined;
  #pieces: Buffer[] = [];
  #whole: Buffer | undefined;
  #bytes = 0;

  constructor(declaredBytes: number | undefined) {
    this.#declaredBytes = declaredBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Buffer): void {
    const declared = this.#declaredBytes ?? 0;
    if (this.#whole !== undefined && this.#bytes + piece.length <= this.#whole.length) {
      this.#bytes += moveInto(this.#whole, this.#bytes, piece);
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const large = declared >= PREALLOCATE_BYTES_MIN && this.#bytes <= declared;
    if (this.#whole === undefined && large && this.#bytes * BELIEVED_SHARE >= declared)
      this.#settle(declared);
  }

  /** The whole body, or a promise if many pieces are joined. The collector is empty afterwards. */
  take(): Buffer | Promise<Buffer> {
    const whole = this.#whole?.subarray(0, this.#bytes) ?? joinPieces(this.#pieces, this.#bytes);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#pieces = [];
    this.#whole = undefined;
  }

  #settle(declaredBytes: number): void {
    const whole = Buffer.allocUnsafeSlow(declaredBytes);
    let offset = 0;
    for (const piece of this.#pieces) offset += moveInto(whole, offset, piece);
    this.#pieces = [];
    this.#whole = whole;
  }
}

/**
 * Copies a piece and frees its memory at once. Left to the collector of garbage, the pieces of large bodies
 * make V8 mark the whole heap for every 64 MiB of them: 53 times for 2 GB, 26 times if they are freed here.
 */
function moveInto(whole: Buffer, offset: number, piece: Buffer): number {
  const copied = piece.copy(whole, offset);
  const { buffer } = piece;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === copied) buffer.transfer(0);
  return copied;
}
