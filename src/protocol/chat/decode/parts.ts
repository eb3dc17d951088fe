import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { isArray, isObject } from '../../hub/content/json.ts';
import { decodeAddress, decodeBytes, decodeUntyped, mediaPart } from '../../hub/content/media.ts';
import { plainType } from '../../hub/content/media-type.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { CacheMark, MediaSource, Part, TextPart } from '../../hub/part.ts';
import { joinPath, objectField, requireObject, requireText, textField } from '../fields.ts';

type PartReader = (part: JsonObject, path: string) => Part;

/** The fields that are read of a part, and of the object under the name of its type. */
const KNOWN: ReadonlySet<string> = new Set(['type', 'prompt_cache_breakpoint', 'cache_control']);
const KNOWN_INSIDE: ReadonlySet<string> = new Set(
  'url detail format data file_data file_id filename'.split(' '),
);

function noteOthers(part: JsonObject, type: string, { path, notes }: BodyPosition): void {
  notes.dropOthers(part, new Set([...KNOWN, type]), path);
  const inside = part[type];
  if (isObject(inside)) notes.dropOthers(inside, KNOWN_INSIDE, `${path}.${type}`);
}

/** A path in the body, and the loss report. */
export interface BodyPosition {
  readonly path: string;
  readonly notes: Notes;
}

/** The parts of a user's message. Two of them are other vendors' additions that the hub supports. */
const READERS: Readonly<Record<string, PartReader>> = {
  text: decodeText,
  image_url: decodeImage,
  input_audio: decodeAudio,
  file: decodeFile,
  video_url: (part, path) => mediaPart('video', decodeLink(part, 'video_url', path), {}),
  document_url: (part, path) => mediaPart('file', decodeLink(part, 'document_url', path), {}),
};

/** The content of a user's or a tool's message: a text, or parts of any kind. */
export function decodeContent(
  content: JsonValue | undefined,
  { path, notes }: BodyPosition,
): readonly Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (content === null || content === undefined) return [];
  if (!isArray(content)) throw new Inexpressible(path, 'is neither a text nor a list');
  return content.map((value, index) => {
    const at = `${path}[${index}]`;
    const part = requireObject(value, at);
    const type = requireText(part, 'type', at);
    const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
    if (read === undefined) throw new Inexpressible(at, 'is of a type that is not known');
    noteOthers(part, type, { path: at, notes });
    return read(part, at);
  });
}

/** The content of a system message: texts only. */
export function decodeTexts(content: JsonValue | undefined, place: BodyPosition): readonly TextPart[] {
  return decodeContent(content, place).map((part, index) => {
    if (part.kind === 'text') return part;
    throw new Inexpressible(`${place.path}[${index}]`, 'is not a text');
  });
}

export function decodeText(part: JsonObject, path: string): TextPart {
  const cache = findCacheMark(part, path);
  return { kind: 'text', text: requireText(part, 'text', path), ...(cache === undefined ? {} : { cache }) };
}

function decodeImage(part: JsonObject, path: string): Part {
  const image = mediaPart('image', decodeLink(part, 'image_url', path), { cache: findCacheMark(part, path) });
  const detail = isObject(part.image_url) ? part.image_url.detail : undefined;
  const isKnown = detail === 'auto' || detail === 'low' || detail === 'high' || detail === 'original';
  return image.kind === 'image' && isKnown ? { ...image, detail } : image;
}

/** `{url}` as in OpenAI's protocol, or the bare text that some compatible vendors accept. */
function decodeLink(part: JsonObject, key: string, path: string): MediaSource {
  const at = joinPath(path, key);
  const link = part[key];
  if (typeof link === 'string') return decodeAddress(link, at);
  const object = requireObject(link, at);
  return typed(decodeAddress(requireText(object, 'url', at), at), object, at);
}

/** LiteLLM's clients send the media type of an address. */
function typed(source: MediaSource, holder: JsonObject, path: string): MediaSource {
  const format = textField(holder, 'format', path);
  if (format === undefined || source.kind !== 'url') return source;
  const mime = plainType(format);
  if (mime === undefined) throw new Inexpressible(joinPath(path, 'format'), 'is not a media type');
  return { ...source, mime };
}

/** The protocol's own formats, and those that other vendors read. */
const AUDIO_FORMATS: ReadonlySet<string> = new Set(
  'wav mp3 flac ogg opus aac aiff m4a mp4 mpeg mpga pcm pcm16 webm'.split(' '),
);

function decodeAudio(part: JsonObject, path: string): Part {
  const at = joinPath(path, 'input_audio');
  const audio = requireObject(part.input_audio, at);
  const data = requireText(audio, 'data', at);
  if (/^data:/i.test(data)) return mediaPart('file', decodeAddress(data, `${at}.data`), {});
  const format = requireText(audio, 'format', at).toLowerCase();
  if (!AUDIO_FORMATS.has(format))
    throw new Inexpressible(`${at}.format`, `'${format.slice(0, 32)}' is not known`);
  return { kind: 'audio', source: decodeBytes(`audio/${format}`, data, `${at}.data`) };
}

function decodeFile(part: JsonObject, path: string): Part {
  const at = joinPath(path, 'file');
  const file = requireObject(part.file, at);
  const filename = textField(file, 'filename', at);
  return mediaPart('file', decodeFileSource(file, filename, at), {
    filename,
    cache: findCacheMark(part, path),
  });
}

/** A file's data is a data address or bare base64. Either field may contain an address. */
function decodeFileSource(file: JsonObject, filename: string | undefined, path: string): MediaSource {
  const id = textField(file, 'file_id', path);
  if (id !== undefined && !/^[a-z]+:\/\//i.test(id)) return { kind: 'file', id };
  const field = id === undefined ? 'file_data' : 'file_id';
  const data = requireText(file, field, path);
  const at = joinPath(path, field);
  if (/^(data:|[a-z][a-z0-9+.-]*:\/\/)/i.test(data)) return typed(decodeAddress(data, at), file, path);
  return decodeUntyped(data, filename, at);
}

/** OpenAI's breakpoint, or Anthropic's mark as OpenRouter forwards it. */
function findCacheMark(part: JsonObject, path: string): CacheMark | undefined {
  const mark = objectField(part, 'prompt_cache_breakpoint', path) ?? objectField(part, 'cache_control', path);
  if (mark === undefined) return undefined;
  const ttl = textField(mark, 'ttl', joinPath(path, 'cache'));
  return ttl === undefined ? {} : { ttl };
}
