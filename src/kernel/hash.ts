import { createHash } from 'node:crypto';

/** A fingerprint of a text in 64 hexadecimal digits: the same text, the same fingerprint. Not for secrets. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
