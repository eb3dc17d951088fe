import type { MediaSource } from '../hub/part.ts';

/** Characters before the comma of a data URL; a longer head is no data URL of this world. */
const HEAD_CHARS_MAX = 256;
/** How the base64 of well-known files begins: what is in the bytes counts, not what was declared. */
const SIGNS: readonly (readonly [string, string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi0', 'application/pdf'],
];

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/html', 'html'],
  ['text/csv', 'csv'],
  ['text/xml', 'xml'],
  ['application/json', 'json'],
  ['application/rtf', 'rtf'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
]);

/** The bytes of a `data:` URL, with their true type; nothing when it is none. */
export function readDataUrl(url: string): Extract<MediaSource, { kind: 'bytes' }> | undefined {
  const comma = url.slice(0, HEAD_CHARS_MAX).indexOf(',');
  if (!url.startsWith('data:') || comma < 0) return undefined;
  const [declared = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const payload = url.slice(comma + 1);
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64');
  const base64 = isBase64 ? standardBase64(payload) : percentToBase64(payload);
  if (base64 === undefined) return undefined;
  return { kind: 'bytes', mime: trueMime(base64, declared.trim().toLowerCase() || 'text/plain'), base64 };
}

/** Bare base64 in `file_data`, which the vendor takes as well: its type is in its bytes or its name. */
export function readBareBase64(
  text: string,
  filename: string | undefined,
): Extract<MediaSource, { kind: 'bytes' }> {
  const base64 = standardBase64(text);
  return {
    kind: 'bytes',
    mime: trueMime(base64, mimeOfName(filename) ?? 'application/octet-stream'),
    base64,
  };
}

export function toDataUrl(source: { readonly mime: string; readonly base64: string }): string {
  return `data:${source.mime};base64,${source.base64}`;
}

/** A name with an ending that fits: the vendor refuses files without one (conversion.md 5.1). */
export function fileName(mime: string, given: string | undefined): string {
  const extension = EXTENSIONS.get(mime);
  const name = given ?? 'document';
  if (extension === undefined || mimeOfName(name) !== undefined) return name;
  return `${name}.${extension}`;
}

function mimeOfName(name: string | undefined): string | undefined {
  const ending = name?.slice(name.lastIndexOf('.') + 1).toLowerCase();
  for (const [mime, extension] of EXTENSIONS) if (extension === ending) return mime;
  return undefined;
}

function trueMime(base64: string, declared: string): string {
  return SIGNS.find(([sign]) => base64.startsWith(sign))?.[1] ?? declared;
}

/** Padded and in the standard alphabet. Nearly every client sends it so already. */
function standardBase64(text: string): string {
  if (text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text)) return text;
  return Buffer.from(text, 'base64').toString('base64');
}

function percentToBase64(text: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(text)).toString('base64');
  } catch {
    return undefined;
  }
}
