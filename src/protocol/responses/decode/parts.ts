import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { decodeAddress, decodeUntyped, mediaPart } from '../../hub/content/media.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { CacheMark, Citation, ImagePart, MediaSource, Part } from '../../hub/part.ts';
import {
  findNumber,
  listObjects,
  optionalList,
  optionalObject,
  optionalText,
  requireObject,
  requireText,
  textOrEmpty,
} from '../fields.ts';

type PartReader = (part: JsonObject, path: string) => Part;

/**
 * Assistants use `output_text`, users `input_text`. Either is accepted from both, because the meaning is
 * clear.
 */
const READERS: ReadonlyMap<string, PartReader> = new Map<string, PartReader>([
  ['input_text', readTextPart],
  ['output_text', readTextPart],
  ['text', readTextPart],
  ['refusal', (part, path) => ({ kind: 'refusal', text: requireText(part.refusal, `${path}.refusal`) })],
  ['input_image', readImage],
  ['input_file', readFile],
]);

/** Known fields of a part. Others are reported as lost. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'type text annotations logprobs refusal image_url file_id file_url file_data filename detail ' +
    'prompt_cache_breakpoint'
  ).split(' '),
);

/** The content of a message or the output of a tool: a text, or a list of parts. */
export function decodeContent(content: JsonValue | undefined, path: string, notes: Notes): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return optionalList(content, path).map((part, index) => decodePart(part, `${path}[${index}]`, notes));
}

function decodePart(value: JsonValue, path: string, notes: Notes): Part {
  const part = requireObject(value, path);
  const type = requireText(part.type, `${path}.type`);
  const read = READERS.get(type);
  if (read === undefined) throw new Inexpressible(path, `content of type '${type}' is not known`);
  notes.dropOthers(part, KNOWN, path);
  const others = listObjects(part.annotations).some(({ type: kind }) => kind !== 'url_citation');
  // Files and containers are the vendor's own.
  if (others) notes.drop(`${path}.annotations`);
  return read(part, path);
}

function readTextPart(part: JsonObject, path: string): Part {
  const citations = decodeCitations(part.annotations);
  const cache = readCacheMark(part, path);
  return {
    kind: 'text',
    text: requireText(part.text, `${path}.text`),
    ...(citations.length > 0 ? { citations } : {}),
    ...(cache === undefined ? {} : { cache }),
  };
}

/** Only web pages can be cited elsewhere. Files and containers are the vendor's own. */
export function decodeCitations(annotations: JsonValue | undefined): readonly Citation[] {
  return listObjects(annotations).flatMap((annotation) => decodeCitation(annotation) ?? []);
}

export function decodeCitation(annotation: JsonObject): Citation | undefined {
  if (annotation.type !== 'url_citation') return undefined;
  const title = textOrEmpty(annotation.title);
  return {
    url: textOrEmpty(annotation.url),
    ...(title === '' ? {} : { title }),
    start: findNumber(annotation.start_index),
    end: findNumber(annotation.end_index),
  };
}

function readCacheMark(part: JsonObject, path: string): CacheMark | undefined {
  const mark = optionalObject(part.prompt_cache_breakpoint, `${path}.prompt_cache_breakpoint`);
  if (mark === undefined) return undefined;
  const ttl = optionalText(mark.ttl, `${path}.prompt_cache_breakpoint.ttl`);
  return ttl === undefined ? {} : { ttl };
}

const DETAILS: readonly string[] = ['auto', 'low', 'high', 'original'];

function readImage(part: JsonObject, path: string): Part {
  const detail = optionalText(part.detail, `${path}.detail`);
  const image = mediaPart('image', readImageSource(part, path), { cache: readCacheMark(part, path) });
  if (image.kind !== 'image' || detail === undefined || !DETAILS.includes(detail)) return image;
  return { ...image, detail: detail as ImagePart['detail'] };
}

function readImageSource(part: JsonObject, path: string): MediaSource {
  const url = optionalText(part.image_url, `${path}.image_url`);
  if (url !== undefined) return decodeAddress(url, `${path}.image_url`);
  const id = optionalText(part.file_id, `${path}.file_id`);
  if (id === undefined) throw new Inexpressible(path, 'has neither image_url nor file_id');
  return { kind: 'file', id };
}

function readFile(part: JsonObject, path: string): Part {
  const filename = optionalText(part.filename, `${path}.filename`);
  const source = readFileSource(part, path, filename);
  return mediaPart('file', source, { filename, cache: readCacheMark(part, path) });
}

function readFileSource(part: JsonObject, path: string, filename: string | undefined): MediaSource {
  const data = optionalText(part.file_data, `${path}.file_data`);
  if (data !== undefined && /^data:/i.test(data)) return decodeAddress(data, `${path}.file_data`);
  if (data !== undefined) return decodeUntyped(data, filename, `${path}.file_data`);
  const url = optionalText(part.file_url, `${path}.file_url`);
  if (url !== undefined) return decodeAddress(url, `${path}.file_url`);
  const id = optionalText(part.file_id, `${path}.file_id`);
  if (id === undefined) throw new Inexpressible(path, 'has neither file_data, file_url nor file_id');
  return { kind: 'file', id };
}
