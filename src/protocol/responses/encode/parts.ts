import type { Target } from '../../hub/codec.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { CacheMark, FilePart, ImagePart, Part, TextPart } from '../../hub/part.ts';
import type { HubRequest } from '../../hub/request.ts';
import { fileName, toDataUrl } from './media.ts';

/** What the encoding of a request's parts needs to know. */
export interface PartScope {
  readonly request: HubRequest;
  readonly target: Target;
  readonly notes: Notes;
}

/** Parts of a user's message or a tool's result. */
export function encodeInputParts(parts: readonly Part[], scope: PartScope): readonly JsonObject[] {
  return parts.map((part) => encodeInputPart(part, scope)).filter((part) => part !== undefined);
}

/** `undefined` for an empty text. */
function encodeInputPart(part: Part, scope: PartScope): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? undefined : inputText(part, scope);
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image':
      return encodeImage(part, scope);
    case 'file':
      return encodeFile(part, scope);
    case 'server-tool':
      return part.text === '' ? undefined : { type: 'input_text', text: part.text };
    case 'opaque':
      throw new Inexpressible(part.path, `'${part.type}' is known to its own vendor only`);
    default:
      throw new Inexpressible(part.kind, 'the Responses protocol has no place for it here');
  }
}

function inputText(part: TextPart, scope: PartScope): JsonObject {
  return { type: 'input_text', text: part.text, ...cacheMark(part.cache, scope) };
}

/** The vendor's lifetimes differ: an hour becomes the longer one. */
export function cacheMark(
  cache: CacheMark | undefined,
  scope: PartScope,
): { readonly prompt_cache_breakpoint?: JsonObject } {
  if (cache === undefined) return {};
  if (!scope.target.capabilities.cacheMarks) {
    scope.notes.lose('cacheMarks');
    return {};
  }
  const ttl = cache.ttl === '12h' || cache.ttl === '1h' ? '12h' : undefined;
  return { prompt_cache_breakpoint: ttl === undefined ? { mode: 'explicit' } : { mode: 'explicit', ttl } };
}

function encodeImage(part: ImagePart, scope: PartScope): JsonObject {
  const { source } = part;
  const detail = part.detail === undefined ? {} : { detail: part.detail };
  const mark = cacheMark(part.cache, scope);
  if (source.kind === 'file') {
    return { type: 'input_image', file_id: ownFileId(source.id, scope), ...detail, ...mark };
  }
  const url = source.kind === 'bytes' ? toDataUrl(source) : fetchable(source.url, scope);
  return { type: 'input_image', image_url: url, ...detail, ...mark };
}

/** File ids belong to the vendor. A Chat client has them from the same vendor. */
function ownFileId(id: string, scope: PartScope): string {
  const { client } = scope.request;
  if (client === 'chat' || client === 'responses') return id;
  throw new Inexpressible('a file by its id', 'the file is stored at another vendor');
}

function fetchable(url: string, scope: PartScope): string {
  if (scope.target.capabilities.mediaUrls) return url;
  throw new Inexpressible('a picture or file by its address', 'this vendor fetches none');
}

function encodeFile(part: FilePart, scope: PartScope): JsonObject {
  const { source } = part;
  const given = part.filename ?? part.title;
  if (part.cache !== undefined) scope.notes.lose('cacheMarks');
  switch (source.kind) {
    case 'bytes':
      return encodeFileBytes(source, given);
    case 'text': {
      const base64 = Buffer.from(source.text).toString('base64');
      return encodeFileBytes({ mime: 'text/plain', base64 }, given);
    }
    case 'url':
      return { type: 'input_file', file_url: fetchable(source.url, scope) };
    case 'file':
      return { type: 'input_file', file_id: ownFileId(source.id, scope) };
  }
}

function encodeFileBytes(
  source: { readonly mime: string; readonly base64: string },
  given: string | undefined,
): JsonObject {
  return { type: 'input_file', filename: fileName(source.mime, given), file_data: toDataUrl(source) };
}
