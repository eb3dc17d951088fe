/**
 * Bytes that the caller may overwrite as soon as the callee returns, such as one read from a vendor's socket.
 * At run time they are a buffer. The type has what reading them in place needs, and is not a buffer for the
 * compiler: whoever keeps bytes copies them. Every buffer may be lent.
 *
 * Callbacks that take them are declared as properties (`readonly push: (chunk: LentBytes) => …`), because the
 * compiler lets a method demand a buffer where its interface lends one.
 */
export interface LentBytes {
  readonly length: number;
  readonly [at: number]: number;
  /** Lent like the whole. */
  subarray(start?: number, end?: number): LentBytes;
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  indexOf(wanted: number | Uint8Array, start?: number): number;
  includes(wanted: number, start?: number): boolean;
  compare(other: Uint8Array, ...ranges: number[]): number;
  /** Moves bytes within; only who lends them does that. */
  copyWithin(at: number, start: number, end?: number): unknown;
  copy(target: Uint8Array, at?: number, start?: number, end?: number): number;
}

/** Copies lent bytes into memory of exactly their size, so that memory is counted correctly. */
export function ownCopy(lent: LentBytes): Buffer {
  const own = Buffer.allocUnsafeSlow(lent.length);
  lent.copy(own);
  return own;
}

/** Copies lent bytes behind kept ones. */
export function joinLent(kept: LentBytes, lent: LentBytes): Buffer {
  const joined = Buffer.allocUnsafe(kept.length + lent.length);
  lent.copy(joined, kept.copy(joined));
  return joined;
}
