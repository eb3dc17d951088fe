import { decodeAddress, standardBase64 } from '../hub/data-address.ts';
import type { JsonObject, JsonValue } from '../hub/json.ts';
import { isArray } from '../hub/json.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { CacheMark, ImagePart, MediaSource, Part, TextPart } from '../hub/part.ts';
import { decodeFileData } from './decode-media.ts';
import { objectField, pathOf, requireObject, requireText, textField } from './fields.ts';

type PartReader = (part: JsonObject, path: string) => Part;

/** What a user may say; two of them are other vendors' additions that the hub has a place for. */
const READERS: Readonly<Record<string, PartReader>> = {
  text: decodeText,
  image_url: decodeImage,
  input_audio: decodeAudio,
  file: decodeFile,
  video_url: (part, path) => ({ kind: 'video', source: decodeLink(part, 'video_url', path) }),
  document_url: (part, path) => ({ kind: 'file', source: decodeLink(part, 'document_url', path) }),
};

/** The content of a user's message or a tool's: a text, or parts of any kind. */
export function decodeContent(content: JsonValue | undefined, path: string): readonly Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (content === null || content === undefined) return [];
  if (!isArray(content)) throw new Inexpressible(path, 'is neither a text nor a list');
  return content.map((value, index) => {
    const at = `${path}[${index}]`;
    const part = requireObject(value, at);
    const type = requireText(part, 'type', at);
    const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
    if (read === undefined) throw new Inexpressible(at, 'is of a type that is not known');
    return read(part, at);
  });
}

/** The content of a system message: texts only. */
export function decodeTexts(content: JsonValue | undefined, path: string): readonly TextPart[] {
  return decodeContent(content, path).map((part, index) => {
    if (part.kind === 'text') return part;
    throw new Inexpressible(`${path}[${index}]`, 'is not a text');
  });
}

export function decodeText(part: JsonObject, path: string): TextPart {
  return { kind: 'text', text: requireText(part, 'text', path), ...cacheOf(part, path) };
}

function decodeImage(part: JsonObject, path: string): ImagePart {
  const source = decodeLink(part, 'image_url', path);
  const link = part.image_url;
  const detail = typeof link === 'string' ? undefined : requireObject(link, path).detail;
  return {
    kind: 'image',
    source,
    ...(detail === 'auto' || detail === 'low' || detail === 'high' || detail === 'original'
      ? { detail }
      : {}),
    ...cacheOf(part, path),
  };
}

/** `{url}` as OpenAI has it, or the bare text that some compatible vendors take. */
function decodeLink(part: JsonObject, key: string, path: string): MediaSource {
  const at = pathOf(path, key);
  const link = part[key];
  if (typeof link === 'string') return decodeAddress(link, at);
  return decodeAddress(requireText(requireObject(link, at), 'url', at), at);
}

function decodeAudio(part: JsonObject, path: string): Part {
  const at = pathOf(path, 'input_audio');
  const audio = requireObject(part.input_audio, at);
  const data = requireText(audio, 'data', at);
  if (data.startsWith('data:')) return { kind: 'audio', source: decodeAddress(data, at) };
  const format = requireText(audio, 'format', at).toLowerCase();
  return { kind: 'audio', source: { kind: 'bytes', mime: `audio/${format}`, base64: standardBase64(data) } };
}

function decodeFile(part: JsonObject, path: string): Part {
  const at = pathOf(path, 'file');
  const file = requireObject(part.file, at);
  const filename = textField(file, 'filename', at);
  const id = textField(file, 'file_id', at);
  const source: MediaSource =
    id === undefined
      ? decodeFileData(requireText(file, 'file_data', at), filename, at)
      : { kind: 'file', id };
  return { kind: 'file', source, ...(filename === undefined ? {} : { filename }), ...cacheOf(part, path) };
}

/** OpenAI's breakpoint, or Anthropic's mark as OpenRouter passes it on. */
function cacheOf(part: JsonObject, path: string): { readonly cache?: CacheMark } {
  const mark = objectField(part, 'prompt_cache_breakpoint', path) ?? objectField(part, 'cache_control', path);
  if (mark === undefined) return {};
  const ttl = textField(mark, 'ttl', pathOf(path, 'cache'));
  return { cache: ttl === undefined ? {} : { ttl } };
}
