import { inflateSync } from 'node:zlib';

/** The content of a zlib stream at the start of `bytes`; undefined if there is none, or it is too large. */
export function inflateWithin(bytes: Buffer, maxOutputLength: number): Buffer | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength });
  } catch {
    return undefined;
  }
}
