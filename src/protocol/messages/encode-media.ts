import type { JsonObject } from '../hub/json.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { FilePart, ImagePart, MediaSource } from '../hub/part.ts';
import type { HubRequest } from '../hub/request.ts';
import type { Target } from '../hub/spoke.ts';
import { PICTURE_TYPES } from './wire.ts';

/** What the encoding of one part depends on. */
export interface PartContext {
  readonly request: HubRequest;
  readonly target: Target;
}

/** The beginnings of the four kinds of pictures, in hexadecimal. */
const BEGINNINGS: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
];
const BEGINNING_CHARS = 32;

export function encodePicture(part: ImagePart, context: PartContext): JsonObject {
  const { source } = part;
  if (source.kind !== 'bytes') return { type: 'image', source: encodeReference(source, 'image', context) };
  const mime = pictureType(source.base64, source.mime);
  if (!PICTURE_TYPES.includes(mime)) {
    throw new Inexpressible('image', 'the vendor takes JPEG, PNG, GIF and WebP only');
  }
  return { type: 'image', source: { type: 'base64', media_type: mime, data: source.base64 } };
}

/** The vendor refuses a picture whose declared type is not that of its bytes (conversion.md 5.1, 1). */
function pictureType(base64: string, declared: string): string {
  const beginning = Buffer.from(base64.slice(0, BEGINNING_CHARS), 'base64').toString('hex');
  const mime = BEGINNINGS.find(([, pattern]) => pattern.test(beginning))?.[0] ?? declared;
  return mime === 'image/jpg' ? 'image/jpeg' : mime;
}

export function encodeFile(part: FilePart, context: PartContext): JsonObject {
  const { source } = part;
  const title = part.title ?? part.filename;
  if (source.kind === 'bytes' && source.mime.startsWith('image/')) {
    return encodePicture({ kind: 'image', source }, context);
  }
  const named = title === undefined || title === '' ? {} : { title };
  return { type: 'document', source: encodeFileSource(source, context), ...named };
}

function encodeFileSource(source: FilePart['source'], context: PartContext): JsonObject {
  if (source.kind === 'text') return plainText(source.text);
  if (source.kind !== 'bytes') return encodeReference(source, 'file', context);
  if (source.mime === 'application/pdf') {
    return { type: 'base64', media_type: source.mime, data: source.base64 };
  }
  if (!isText(source.mime)) throw new Inexpressible('file', 'the vendor takes PDF and plain text only');
  return plainText(Buffer.from(source.base64, 'base64').toString('utf8'));
}

function plainText(text: string): JsonObject {
  return { type: 'text', media_type: 'text/plain', data: text };
}

/** Texts of any kind are read as plain ones. */
function isText(mime: string): boolean {
  return /^text\/|^application\/([\w.+-]+\+)?(json|xml|yaml|x-yaml|javascript|toml)$/.test(mime);
}

/** Something that is elsewhere: the vendor fetches addresses; ids of another vendor mean nothing to it. */
function encodeReference(
  source: Exclude<MediaSource, { kind: 'bytes' }>,
  what: 'image' | 'file',
  { request, target }: PartContext,
): JsonObject {
  if (source.kind === 'file') {
    if (request.client === 'messages') return { type: 'file', file_id: source.id };
    throw new Inexpressible(what, 'an uploaded file is known to its own vendor only');
  }
  if (!target.capabilities.mediaUrls || !/^https?:/i.test(source.url)) {
    throw new Inexpressible(what, 'the vendor does not fetch this address');
  }
  if (what === 'file' && source.mime !== undefined && source.mime !== 'application/pdf') {
    throw new Inexpressible(what, 'the vendor fetches PDF only');
  }
  return { type: 'url', url: source.url };
}
