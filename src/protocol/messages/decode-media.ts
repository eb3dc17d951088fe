import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/json.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { CacheMark, FilePart, ImagePart, MediaSource, Part } from '../hub/part.ts';
import { type BlockPlace, decodeMark } from './decode-place.ts';
import { neededText, objectAt, textAt } from './fields.ts';

type ContentReader = (content: JsonValue | undefined, place: BlockPlace) => readonly Part[];

export function decodePicture(block: JsonObject, path: string): ImagePart {
  const cache = decodeMark(block, path);
  const source = decodeSource(neededSource(block, path), `${path}.source`, undefined);
  return { kind: 'image', source, ...(cache === undefined ? {} : { cache }) };
}

/** A document's own remarks are content too: they go before it as text. */
export function decodeDocument(
  block: JsonObject,
  place: BlockPlace,
  decodeContent: ContentReader,
): readonly Part[] {
  const { path, notes } = place;
  const citations = isObject(block.citations) ? block.citations : undefined;
  if (citations?.enabled === true) notes.drop(`${path}.citations`);
  const context = textAt(block, 'context', path);
  const before: readonly Part[] = context === undefined ? [] : [{ kind: 'text', text: context }];
  return [...before, ...decodeFile(block, place, decodeContent)];
}

function decodeFile(
  block: JsonObject,
  { path, notes }: BlockPlace,
  decodeContent: ContentReader,
): readonly Part[] {
  const source = neededSource(block, path);
  const title = textAt(block, 'title', path);
  const cache = decodeMark(block, path);
  const file = (from: FilePart['source']): FilePart => ({
    kind: 'file',
    source: from,
    ...(title === undefined ? {} : { title }),
    ...(cache === undefined ? {} : { cache }),
  });
  if (source.type === 'text') {
    return [file({ kind: 'text', text: neededText(source, 'data', `${path}.source`) })];
  }
  if (source.type !== 'content') return [file(decodeSource(source, `${path}.source`, 'application/pdf'))];
  const parts = decodeContent(source.content, { path: `${path}.source.content`, notes });
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  if (texts.length === parts.length) return [file({ kind: 'text', text: texts.join('\n\n') })];
  return markLast(parts, cache);
}

/** Pictures between texts stay where they are; the mark of the document ends up on its last piece. */
function markLast(parts: readonly Part[], cache: CacheMark | undefined): readonly Part[] {
  const last = parts.at(-1);
  if (cache === undefined || last === undefined) return parts;
  return last.kind === 'text' || last.kind === 'image' ? [...parts.slice(0, -1), { ...last, cache }] : parts;
}

function neededSource(block: JsonObject, path: string): JsonObject {
  const source = objectAt(block, 'source', path);
  if (source === undefined || isArray(source)) throw new Inexpressible(`${path}.source`, 'is missing');
  return source;
}

function decodeSource(source: JsonObject, path: string, urlMime: string | undefined): MediaSource {
  switch (source.type) {
    case 'base64':
      return {
        kind: 'bytes',
        mime: neededText(source, 'media_type', path),
        base64: neededText(source, 'data', path),
      };
    case 'url':
      return {
        kind: 'url',
        url: neededText(source, 'url', path),
        ...(urlMime === undefined ? {} : { mime: urlMime }),
      };
    case 'file':
      return { kind: 'file', id: neededText(source, 'file_id', path) };
    default:
      throw new Inexpressible(path, 'is a source of a type that is not known here');
  }
}
