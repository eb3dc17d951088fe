/** Copies lent bytes into memory of exactly their size, so that memory is counted correctly. */
export function ownCopy(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
