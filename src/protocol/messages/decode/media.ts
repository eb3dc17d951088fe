import { isArray, isObject, type JsonObject, type JsonValue } from '../../hub/content/json.ts';
import { decodeAddress, decodeBytes, mediaPart } from '../../hub/content/media.ts';
import { Inexpressible } from '../../hub/notes.ts';
import type { CacheMark, FilePart, MediaSource, Part } from '../../hub/part.ts';
import { objectField, requireText, textField } from '../fields.ts';
import { type BlockPlace, decodeMark } from './place.ts';

type ContentReader = (content: JsonValue | undefined, place: BlockPlace) => readonly Part[];

export function decodePicture(block: JsonObject, path: string): Part {
  const source = decodeSource(neededSource(block, path), `${path}.source`, undefined);
  return mediaPart('image', source, { cache: decodeMark(block, path) });
}

/** A document's own remarks are content too: they become a text before it. */
export function decodeDocument(
  block: JsonObject,
  place: BlockPlace,
  decodeContent: ContentReader,
): readonly Part[] {
  const { path, notes } = place;
  const citations = isObject(block.citations) ? block.citations : undefined;
  if (citations?.enabled === true) notes.drop(`${path}.citations`);
  const context = textField(block, 'context', path);
  const before: readonly Part[] = context === undefined ? [] : [{ kind: 'text', text: context }];
  return [...before, ...decodeFile(block, place, decodeContent)];
}

function decodeFile(
  block: JsonObject,
  { path, notes }: BlockPlace,
  decodeContent: ContentReader,
): readonly Part[] {
  const source = neededSource(block, path);
  const title = textField(block, 'title', path);
  const cache = decodeMark(block, path);
  const titled = title === undefined ? {} : { title };
  const textFile = (text: string): FilePart => ({
    kind: 'file',
    source: { kind: 'text', text },
    ...titled,
    ...(cache === undefined ? {} : { cache }),
  });
  if (source.type === 'text') return [textFile(requireText(source, 'data', `${path}.source`))];
  if (source.type !== 'content') {
    const part = mediaPart('file', decodeSource(source, `${path}.source`, 'application/pdf'), { cache });
    return [part.kind === 'file' ? { ...part, ...titled } : part];
  }
  const parts = decodeContent(source.content, { path: `${path}.source.content`, notes });
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  if (texts.length === parts.length) return [textFile(texts.join('\n\n'))];
  return markLast(parts, cache);
}

/** Images between texts stay in place. The cache mark of the document moves to its last piece. */
function markLast(parts: readonly Part[], cache: CacheMark | undefined): readonly Part[] {
  const last = parts.at(-1);
  if (cache === undefined || last === undefined) return parts;
  return last.kind === 'text' || last.kind === 'image' ? [...parts.slice(0, -1), { ...last, cache }] : parts;
}

function neededSource(block: JsonObject, path: string): JsonObject {
  const source = objectField(block, 'source', path);
  if (source === undefined || isArray(source)) throw new Inexpressible(`${path}.source`, 'is missing');
  return source;
}

function decodeSource(source: JsonObject, path: string, urlMime: string | undefined): MediaSource {
  switch (source.type) {
    case 'base64': {
      const data = requireText(source, 'data', path);
      return decodeBytes(requireText(source, 'media_type', path), data, `${path}.data`);
    }
    case 'url': {
      const address = decodeAddress(requireText(source, 'url', path), `${path}.url`);
      return address.kind === 'url' && urlMime !== undefined ? { ...address, mime: urlMime } : address;
    }
    case 'file':
      return { kind: 'file', id: requireText(source, 'file_id', path) };
    default:
      throw new Inexpressible(path, 'is a source of a type that is not known here');
  }
}
