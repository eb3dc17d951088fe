import { decodeAddress, standardBase64 } from '../hub/data-address.ts';
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

/** A file's data: an address, or bare base64 whose type only the file's name tells. */
export function decodeFileData(data: string, filename: string | undefined, path: string): MediaSource {
  if (/^(data:|https?:)/i.test(data)) return decodeAddress(data, path);
  return { kind: 'bytes', mime: mimeOfName(filename) ?? 'application/pdf', base64: standardBase64(data) };
}

/** What a MIME type's files end with; nothing for a type we do not know. */
export function endingOfMime(mime: string): string | undefined {
  return Object.entries(MIME_OF_ENDING).find(([, one]) => one === mime)?.[0];
}

function mimeOfName(filename: string | undefined): string | undefined {
  return MIME_OF_ENDING[filename?.split('.').at(-1)?.toLowerCase() ?? ''];
}
