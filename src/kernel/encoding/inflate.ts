import { inflateSync } from 'node:zlib';

/** What a zlib stream at the beginning of `bytes` holds; nothing when it is none, or holds more than that. */
export function inflateWithin(bytes: Buffer, maxOutputLength: number): Buffer | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength });
  } catch {
    return undefined;
  }
}
