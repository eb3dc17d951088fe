import { Inexpressible } from '../hub/notes.ts';
import type { MediaSource } from '../hub/part.ts';

const MIME_OF_ENDING: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  xml: 'text/xml',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** The bytes of a `data:` address, or the address itself. */
export function decodeAddress(address: string, path: string): MediaSource {
  if (!/^data:/i.test(address)) return { kind: 'url', url: address };
  const comma = address.indexOf(',');
  if (comma === -1) throw new Inexpressible(path, 'is a data address without data');
  const head = address.slice('data:'.length, comma);
  // The type may carry parameters of its own (`;charset=…`), which say nothing here.
  const mime = (head.split(';', 1)[0] ?? '').trim().toLowerCase() || 'text/plain';
  const data = address.slice(comma + 1);
  return { kind: 'bytes', mime, base64: /;\s*base64\s*$/i.test(head) ? standard(data) : encoded(data, path) };
}

/** A file's data: an address, or bare base64 whose type only the file's name tells. */
export function decodeFileData(data: string, filename: string | undefined, path: string): MediaSource {
  if (/^(data:|https?:)/i.test(data)) return decodeAddress(data, path);
  return { kind: 'bytes', mime: mimeOfName(filename) ?? 'application/pdf', base64: standard(data) };
}

/** Base64 with the standard alphabet and padding, whatever a client wrote. */
export function standard(base64: string): string {
  const plain = /[-_\s]/.test(base64)
    ? base64.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
    : base64;
  const rest = plain.length % 4;
  return rest === 0 ? plain : plain + '='.repeat(4 - rest);
}

/** What a MIME type's files end with; nothing for a type we do not know. */
export function endingOfMime(mime: string): string | undefined {
  return Object.entries(MIME_OF_ENDING).find(([, one]) => one === mime)?.[0];
}

function mimeOfName(filename: string | undefined): string | undefined {
  return MIME_OF_ENDING[filename?.split('.').at(-1)?.toLowerCase() ?? ''];
}

/** A `data:` address without base64 is percent-encoded text. */
function encoded(data: string, path: string): string {
  try {
    return Buffer.from(decodeURIComponent(data)).toString('base64');
  } catch {
    throw new Inexpressible(path, 'is a data address that cannot be read');
  }
}
