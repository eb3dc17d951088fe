import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A fingerprint of a text as 64 hexadecimal digits. Not for secrets. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Detects a damaged file: CRC-32, ten times as fast as a fingerprint. Not against forgery. */
export function checksum(bytes: Uint8Array): number {
  return crc32(bytes);
}
