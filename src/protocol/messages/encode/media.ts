import type { Target } from '../../hub/codec.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import { Inexpressible } from '../../hub/notes.ts';
import type { FilePart, ImagePart, MediaSource } from '../../hub/part.ts';
import type { HubRequest } from '../../hub/request.ts';
import { PICTURE_TYPES } from '../wire.ts';

/** What the encoding of a part depends on. */
export interface PartContext {
  readonly request: HubRequest;
  readonly target: Target;
}

export function encodePicture(part: ImagePart, context: PartContext): JsonObject {
  const { source } = part;
  if (source.kind !== 'bytes') return { type: 'image', source: encodeReference(source, 'image', context) };
  const { mime, base64 } = source;
  if (!PICTURE_TYPES.includes(mime)) {
    throw new Inexpressible(
      'image',
      `${mime} is not read by this vendor, which takes JPEG, PNG, GIF and WebP`,
    );
  }
  return { type: 'image', source: { type: 'base64', media_type: mime, data: base64 } };
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
  if (!isText(source.mime)) {
    throw new Inexpressible(
      'file',
      `${source.mime} is not read by this vendor, which takes PDF and plain text`,
    );
  }
  return plainText(Buffer.from(source.base64, 'base64').toString('utf8'));
}

function plainText(text: string): JsonObject {
  return { type: 'text', media_type: 'text/plain', data: text };
}

/** Texts of any type are sent as plain text. */
function isText(mime: string): boolean {
  return /^text\/|^application\/([\w.+-]+\+)?(json|xml|yaml|x-yaml|javascript|toml)$/.test(mime);
}

/** The vendor fetches addresses. File ids of other vendors mean nothing to it. */
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
