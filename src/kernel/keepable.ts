/** A view that shows less than one part in so many of the memory behind it is copied. */
export const VIEWED_SHARE_MIN = 4;

/** For whoever keeps bytes and counts what they show: they keep no more than a few times that in memory. */
export function keepable(bytes: Buffer): Buffer {
  if (bytes.length * VIEWED_SHARE_MIN >= bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
