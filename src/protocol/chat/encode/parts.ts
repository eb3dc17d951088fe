import type { Capabilities } from '../../../kernel/capability.ts';
import { endingOfType } from '../../hub/content/media-type.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { AudioPart, CacheMark, FilePart, ImagePart, Part } from '../../hub/part.ts';
import type { TextProtocol } from '../../hub/protocol.ts';
import type { WirePart } from '../wire.ts';

/** What the encoding of a request's parts needs to know. */
export interface PartContext {
  readonly client: TextProtocol;
  readonly capabilities: Capabilities;
  readonly notes: Notes;
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
  'audio/mpeg3': 'mp3',
};

/** Cache lifetimes that OpenAI has values for. Others are left to the vendor. */
const CACHE_LIFETIMES: readonly string[] = ['30m', '12h'];

/** A user's part. Empty if there is nothing to send (a server tool without text). */
export function encodeUserPart(part: Part, context: PartContext): readonly WirePart[] {
  switch (part.kind) {
    case 'text':
      return [{ type: 'text', text: part.text, ...cacheMark(part.cache, context) }];
    case 'image':
      return [encodeImage(part, context)];
    case 'audio':
      return [encodeAudio(part)];
    case 'file':
      return [encodeFile(part, context)];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'server-tool':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'video':
      throw new Inexpressible('video', 'cannot be sent in Chat Completions');
    case 'opaque':
      throw new Inexpressible(part.path, `${part.type} is known to its own protocol only`);
    default:
      // Reasoning, calls and results are not in user messages: the hub has moved them.
      return [];
  }
}

/** The simplest form of a message's content: one text as a string, which every compatible vendor accepts. */
export function encodeContent(parts: readonly WirePart[]): string | readonly WirePart[] {
  const [first] = parts;
  if (first === undefined) return '';
  const isPlain = parts.length === 1 && first.type === 'text' && first.prompt_cache_breakpoint === undefined;
  return isPlain ? first.text : parts;
}

export function cacheMark(
  cache: CacheMark | undefined,
  { capabilities, notes }: PartContext,
): { readonly prompt_cache_breakpoint?: { readonly mode: string; readonly ttl?: string } } {
  if (cache === undefined) return {};
  if (!capabilities.cacheMarks) {
    notes.lose('cacheMarks');
    return {};
  }
  const { ttl } = cache;
  const hasLifetime = ttl !== undefined && CACHE_LIFETIMES.includes(ttl);
  return { prompt_cache_breakpoint: hasLifetime ? { mode: 'explicit', ttl } : { mode: 'explicit' } };
}

function encodeImage(part: ImagePart, context: PartContext): WirePart {
  const { source, detail } = part;
  if (source.kind === 'file') throw new Inexpressible('image', 'cannot be named by a file id here');
  if (source.kind === 'url' && !context.capabilities.mediaUrls) {
    throw new Inexpressible('image', 'cannot be named by an address: the vendor fetches none');
  }
  const url = source.kind === 'url' ? source.url : `data:${source.mime};base64,${source.base64}`;
  return {
    type: 'image_url',
    image_url: detail === undefined ? { url } : { url, detail },
    ...cacheMark(part.cache, context),
  };
}

function encodeAudio({ source }: AudioPart): WirePart {
  if (source.kind !== 'bytes') throw new Inexpressible('audio', 'must be sent as bytes here');
  const format = Object.hasOwn(AUDIO_FORMATS, source.mime) ? AUDIO_FORMATS[source.mime] : undefined;
  if (format === undefined)
    throw new Inexpressible('audio', `${source.mime} cannot be sent here, only WAV and MP3`);
  return { type: 'input_audio', input_audio: { data: source.base64, format } };
}

function encodeFile(part: FilePart, context: PartContext): WirePart {
  const { source } = part;
  const mark = cacheMark(part.cache, context);
  if (source.kind === 'text') {
    const title = part.title ?? part.filename;
    return { type: 'text', text: title === undefined ? source.text : `${title}\n\n${source.text}`, ...mark };
  }
  if (source.kind === 'url') throw new Inexpressible('file', 'cannot be named by an address here');
  if (source.kind === 'bytes') {
    const { mime, base64 } = source;
    const filename = fittingName(part.filename ?? part.title, mime);
    return { type: 'file', file: { filename, file_data: `data:${mime};base64,${base64}` }, ...mark };
  }
  // OpenAI's file ids mean the same in both of its protocols. Other vendors' ids mean nothing to it.
  const isKnown = context.client === 'chat' || context.client === 'responses';
  if (!isKnown) throw new Inexpressible('file', 'has an id that is known to its own vendor only');
  return { type: 'file', file: { file_id: source.id }, ...mark };
}

/** OpenAI refuses data without a name, and a name whose extension is that of another type. */
function fittingName(name: string | undefined, mime: string): string {
  const ending = endingOfType(mime);
  const stem = name === undefined || name === '' ? 'document' : name;
  if (ending !== undefined && !stem.toLowerCase().endsWith(`.${ending}`)) return `${stem}.${ending}`;
  const isFalsePdf = ending === undefined && stem.toLowerCase().endsWith('.pdf');
  return isFalsePdf ? `${stem}.bin` : stem;
}
