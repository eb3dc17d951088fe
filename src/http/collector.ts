import { joinPieces } from '../kernel/async/next-turn.ts';

/** Below this size pieces are simply kept and put together at the end. */
const PREALLOCATE_BYTES_MIN = 1024 * 1024;
/** A declared length is believed when this share of it has really come: the rest may be a lie. */
const BELIEVED_SHARE = 8;

/**
 * The pieces of one body. A single piece is handed out as it is. A large body of declared length is copied
 * into its place piece by piece, so that no moment needs it twice and no single copy stops the event loop.
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
      piece.copy(this.#whole, this.#bytes);
      this.#bytes += piece.length;
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const large = declared >= PREALLOCATE_BYTES_MIN && this.#bytes <= declared;
    if (this.#whole === undefined && large && this.#bytes * BELIEVED_SHARE >= declared)
      this.#settle(declared);
  }

  /** The whole body, or a promise when many pieces are joined; the collector holds nothing afterwards. */
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
    for (const piece of this.#pieces) offset += piece.copy(whole, offset);
    this.#pieces = [];
    this.#whole = whole;
  }
}
