import { isUtf8 } from 'node:buffer';
import { sniffMedia } from '../../kernel/encoding/sniff.ts';

/** Types without a signature: the declared type counts if the bytes are text. */
const TEXTS = /^(?:text\/(?:plain|markdown|csv|html|xml)|application\/(?:json|xml))$/;
/** The type that servers send for unknown files. */
const UNKNOWN = /^(?:|application\/octet-stream|binary\/octet-stream)$/;
const MEDIA = /^(?:image\/(?:png|jpe?g|gif|webp|heic|heif)|application\/pdf)$/;

/** Whether a declared type is worth the download. */
export function mayBeMedia(contentType: string): boolean {
  const mime = bare(contentType);
  return MEDIA.test(mime) || TEXTS.test(mime) || UNKNOWN.test(mime);
}

/** The true type of the bytes; undefined if no model reads it, or if it contradicts the declared one. */
export function mediaType(contentType: string, bytes: Buffer): string | undefined {
  const mime = bare(contentType);
  if (MEDIA.test(mime) || UNKNOWN.test(mime)) return sniffMedia(bytes);
  return TEXTS.test(mime) && isUtf8(bytes) && !bytes.includes(0) ? mime : undefined;
}

function bare(contentType: string): string {
  return (contentType.slice(0, 256).split(';', 1)[0] ?? '').trim().toLowerCase();
}
