import { Inexpressible } from './notes.ts';
import type { MediaSource } from './part.ts';

/** The bytes of a `data:` address, or the address itself. */
export function decodeAddress(address: string, path: string): MediaSource {
  if (!/^data:/i.test(address)) return { kind: 'url', url: address };
  const comma = address.indexOf(',');
  if (comma === -1) throw new Inexpressible(path, 'is a data address without data');
  const head = address.slice('data:'.length, comma);
  // The type may carry parameters of its own (`;charset=…`), which say nothing here.
  const mime = (head.split(';', 1)[0] ?? '').trim().toLowerCase() || 'text/plain';
  const data = address.slice(comma + 1);
  return {
    kind: 'bytes',
    mime,
    base64: /;\s*base64\s*$/i.test(head) ? standardBase64(data) : encoded(data, path),
  };
}

/** Base64 with the standard alphabet and padding, whatever a client wrote. */
export function standardBase64(base64: string): string {
  const plain = /[-_\s]/.test(base64)
    ? base64.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
    : base64;
  const rest = plain.length % 4;
  return rest === 0 ? plain : plain + '='.repeat(4 - rest);
}

/** A `data:` address without base64 is percent-encoded text. */
function encoded(data: string, path: string): string {
  try {
    return Buffer.from(decodeURIComponent(data)).toString('base64');
  } catch {
    throw new Inexpressible(path, 'is a data address that cannot be read');
  }
}
