import type { JsonObject } from '../hub/content/json.ts';
import { writeJson } from '../hub/content/json.ts';
import { decodeAddress, decodeBytes, type MediaPart, mediaPart } from '../hub/content/media.ts';
import { plainType, typeOfAddress } from '../hub/content/media-type.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { OpaquePart } from '../hub/part.ts';
import { field, optionalText } from './fields.ts';

/** What Gemini reads inline (rule C-20): five image types, and these families. */
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
]);
const FAMILIES = /^(?:audio|video|text)\/|^application\/(?:pdf|json)$/;

/** Files at Google: its file store and its buckets. No other vendor can fetch them. */
const GOOGLE_FILES = /^(?:gs:|files\/|https:\/\/generativelanguage\.googleapis\.com\/)/;
const YOUTUBE = /^https?:\/\/(?:www\.|m\.)?(?:youtube\.com|youtu\.be)\//;

export function decodeInline(value: JsonObject, path: string): MediaPart {
  const mime = optionalText(field(value, 'mimeType'), `${path}.mimeType`);
  const data = optionalText(field(value, 'data'), `${path}.data`);
  if (mime === undefined || mime === '') throw new Inexpressible(path, 'a type is needed');
  if (data === undefined) throw new Inexpressible(path, 'data is needed');
  const filename = optionalText(field(value, 'displayName'), `${path}.displayName`);
  return mediaPart('file', decodeBytes(mime, data, path), { filename });
}

export function decodeFile(part: JsonObject, value: JsonObject, path: string): MediaPart | OpaquePart {
  const url = optionalText(field(value, 'fileUri'), `${path}.fileUri`);
  if (url === undefined || url === '') throw new Inexpressible(path, 'an address is needed');
  if (GOOGLE_FILES.test(url)) {
    return { kind: 'opaque', protocol: 'gemini', type: 'fileData', raw: writeJson(part), path };
  }
  const source = decodeAddress(url, `${path}.fileUri`);
  const given = optionalText(field(value, 'mimeType'), `${path}.mimeType`) ?? '';
  const filename = optionalText(field(value, 'displayName'), `${path}.displayName`);
  const mime = given === '' ? typeOfAddress(url) : plainType(given);
  if (mime === undefined && given !== '') {
    throw new Inexpressible(`${path}.mimeType`, `'${given.slice(0, 100)}' is not a media type`);
  }
  const kind = YOUTUBE.test(url) ? 'video' : 'file';
  const typed = source.kind === 'url' && mime !== undefined ? { ...source, mime } : source;
  return mediaPart(kind, typed, { filename });
}

/** An image or file for Google. An address only if the model fetches it itself. */
export function encodeMedia(part: MediaPart, mediaUrls: 'fetched' | 'refused'): JsonObject {
  const { source, kind } = part;
  switch (source.kind) {
    case 'text': {
      const data = Buffer.from(source.text).toString('base64');
      return { inlineData: { mimeType: 'text/plain', data } };
    }
    case 'bytes':
      if (!isReadable(source.mime))
        throw new Inexpressible(kind, `${source.mime} is not read by this vendor`);
      return { inlineData: { mimeType: source.mime, data: source.base64 } };
    case 'url': {
      if (mediaUrls === 'refused') throw new Inexpressible(kind, 'this vendor fetches no addresses');
      const mimeType = source.mime ?? typeOfAddress(source.url);
      return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: source.url } };
    }
    case 'file':
      throw new Inexpressible(kind, 'a file kept at another vendor cannot be sent');
  }
}

function isReadable(mime: string): boolean {
  return PICTURES.has(mime) || FAMILIES.test(mime);
}
