/** The first bytes of the files that models read, in hexadecimal. They count, not the declared type. */
const BEGINNINGS: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
  // ISO media files: `ftyp` and a brand. AVIF is one of them too, but no vendor reads it.
  ['image/heic', /^.{8}66747970(?:68656963|68656978|6865766[36]|68657678)/],
  ['image/heif', /^.{8}66747970(?:6d696631|6d736631)/],
  ['application/pdf', /^255044462d/],
];

/** Bytes from the start of a file that are enough to detect its type. */
export const SNIFF_BYTES = 16;

/** The type of an image or PDF by its first bytes; undefined for everything else. */
export function sniffMedia(bytes: Buffer): string | undefined {
  const beginning = bytes.toString('hex', 0, SNIFF_BYTES);
  return BEGINNINGS.find(([, pattern]) => pattern.test(beginning))?.[0];
}
