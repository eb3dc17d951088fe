import type { JsonObject } from '../hub/json.ts';
import { writeJson } from '../hub/json.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { AudioPart, FilePart, ImagePart, MediaSource, OpaquePart, VideoPart } from '../hub/part.ts';
import { field, textOf } from './field.ts';

export type MediaPart = ImagePart | AudioPart | VideoPart | FilePart;

/** What Gemini reads inline (conversion.md 5.1): five kinds of picture, and these families. */
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
]);
const FAMILIES = /^(?:audio|video|text)\/|^application\/(?:pdf|json)$/;

/** Types that an address tells by its ending; nothing is invented for others (conversion.md 5.1 trap 3). */
const ENDINGS: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
};

/** Files that live at Google: its file store, its buckets. Nobody else can fetch them. */
const GOOGLE_FILES = /^(?:gs:|files\/|https:\/\/generativelanguage\.googleapis\.com\/)/;
const YOUTUBE = /^https?:\/\/(?:www\.|m\.)?(?:youtube\.com|youtu\.be)\//;

export function decodeInline(value: JsonObject, path: string): MediaPart {
  const mime = textOf(field(value, 'mimeType'), `${path}.mimeType`);
  const data = textOf(field(value, 'data'), `${path}.data`);
  if (mime === undefined || mime === '') throw new Inexpressible(path, 'a type is needed');
  if (data === undefined) throw new Inexpressible(path, 'data is needed');
  const filename = textOf(field(value, 'displayName'), `${path}.displayName`);
  return mediaPart({ kind: 'bytes', mime: bareMime(mime), base64: standardBase64(data) }, filename);
}

export function decodeFile(part: JsonObject, value: JsonObject, path: string): MediaPart | OpaquePart {
  const url = textOf(field(value, 'fileUri'), `${path}.fileUri`);
  if (url === undefined || url === '') throw new Inexpressible(path, 'an address is needed');
  if (GOOGLE_FILES.test(url)) {
    return { kind: 'opaque', protocol: 'gemini', type: 'fileData', raw: writeJson(part), path };
  }
  const given = textOf(field(value, 'mimeType'), `${path}.mimeType`);
  const mime = given === undefined || given === '' ? mimeOfUrl(url) : bareMime(given);
  const filename = textOf(field(value, 'displayName'), `${path}.displayName`);
  if (mime === undefined && YOUTUBE.test(url)) return { kind: 'video', source: { kind: 'url', url } };
  return mediaPart({ kind: 'url', url, ...(mime === undefined ? {} : { mime }) }, filename);
}

function mediaPart(source: MediaSource, filename: string | undefined): MediaPart {
  const family = source.mime?.split('/', 1)[0];
  if (family === 'image' || family === 'audio' || family === 'video') return { kind: family, source };
  return { kind: 'file', source, ...(filename === undefined ? {} : { filename }) };
}

/** A picture or file for Google. Addresses only where the model fetches them itself. */
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
      const mimeType = source.mime ?? mimeOfUrl(source.url);
      return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: source.url } };
    }
    case 'file':
      throw new Inexpressible(kind, 'a file kept at another vendor cannot be sent');
  }
}

function isReadable(mime: string): boolean {
  return PICTURES.has(mime) || FAMILIES.test(mime);
}

/** Parameters (`;charset=`) belong to a header, not here. */
export function bareMime(mime: string): string {
  return (mime.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function mimeOfUrl(url: string): string | undefined {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  return ENDINGS[/\.([a-z0-9]{1,5})$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
}

/** Google takes both alphabets, padded or not; the hub holds the standard one, padded. */
export function standardBase64(data: string): string {
  const plain = /[-_\s=]/.test(data)
    ? data
        .replace(/[\s=]+/g, '')
        .replaceAll('-', '+')
        .replaceAll('_', '/')
    : data;
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
}
