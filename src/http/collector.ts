import { joinPieces } from '../kernel/async/next-turn.ts';

/** Below this size pieces are kept and joined at the end. */
const PREALLOCATE_BYTES_MIN = 1024 * 1024;
/** A declared length is trusted when this share of it has arrived. */
const BELIEVED_SHARE = 8;

/**
 * The pieces of one body. A single piece is returned as it is. A large body of declared length is copied into
 * one buffer piece by piece, so that it is never in memory twice and no single copy blocks the event loop.
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
    for (const piece of this.#pieces) offset += piece.copy(whole, offset);
    this.#pieces = [];
    this.#whole = whole;
  }
}
