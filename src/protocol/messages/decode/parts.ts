import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  RawJson,
  writeJson,
} from '../../hub/content/json.ts';
import { Inexpressible } from '../../hub/notes.ts';
import type { Part, TextPart, ToolResultPart } from '../../hub/part.ts';
import { decodeCitations } from '../citations.ts';
import { findText, flagField, objectField, objectsField, requireText, textField } from '../fields.ts';
import { isServerBlock } from '../wire.ts';
import { decodeDocument, decodePicture } from './media.ts';
import { type BlockPlace, decodeMark } from './place.ts';
import { clientReasoning } from './reasoning.ts';
import { serverTool } from './server-text.ts';

type BlockReader = (block: JsonObject, place: BlockPlace) => readonly Part[];

const READERS: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ['text', (block, place) => [decodeText(block, place)]],
  ['image', (block, { path }) => [decodePicture(block, path)]],
  ['document', (block, place) => decodeDocument(block, place, decodeContent)],
  ['search_result', (block, place) => [decodeSearchResult(block, place)]],
  ['thinking', clientReasoning],
  ['redacted_thinking', clientReasoning],
  ['tool_use', (block, { path }) => [decodeCall(block, path)]],
  ['tool_result', (block, place) => [decodeResult(block, place)]],
  // In other protocols all tools are declared from the start, so only a remark is left of these.
  ['tool_reference', (block, { path }) => [remark('tool', requireText(block, 'tool_name', path))]],
  ['tool_addition', (block, { path }) => [remark('tool added', nameOfTool(block, path))]],
  ['tool_removal', (block, { path }) => [remark('tool removed', nameOfTool(block, path))]],
  ['fallback', dropped],
  ['container_upload', opaque],
  ['compaction', opaque],
]);

/** Known fields of content blocks. Other fields are reported as lost. */
const KNOWN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    'text text citations cache_control',
    'image source cache_control',
    'document source title context citations cache_control',
    'search_result source title content citations cache_control',
    'tool_use id name input cache_control',
    'tool_result tool_use_id content is_error cache_control',
  ].map((line) => {
    const [type = '', ...names] = line.split(' ');
    return [type, new Set(['type', ...names])];
  }),
);

/** The content of a message or a tool result: a string, or blocks. */
export function decodeContent(content: JsonValue | undefined, place: BlockPlace): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!isArray(content)) throw new Inexpressible(place.path, 'is neither a string nor a list of blocks');
  return content.flatMap((block, index) =>
    decodeBlock(block, { path: `${place.path}[${index}]`, notes: place.notes }),
  );
}

export function decodeBlock(block: JsonValue, place: BlockPlace): readonly Part[] {
  if (!isObject(block)) throw new Inexpressible(place.path, 'is not a block');
  const type = requireText(block, 'type', place.path);
  const reader = READERS.get(type);
  const known = KNOWN.get(type);
  if (known !== undefined) place.notes.dropOthers(block, known, place.path);
  if (reader !== undefined) return reader(block, place);
  if (isServerBlock(type)) return [serverTool(block)];
  throw new Inexpressible(place.path, 'is a block of a type that is not known here');
}

function decodeText(block: JsonObject, { path, notes }: BlockPlace): TextPart {
  const text = requireText(block, 'text', path);
  const citations = decodeCitations(block.citations, text);
  // Positions in documents mean nothing without the vendor's copy of them.
  if (isArray(block.citations) && citations.length < block.citations.length) notes.drop(`${path}.citations`);
  const cache = decodeMark(block, path);
  return {
    kind: 'text',
    text,
    ...(citations.length === 0 ? {} : { citations }),
    ...(cache === undefined ? {} : { cache }),
  };
}

function decodeSearchResult(block: JsonObject, { path, notes }: BlockPlace): TextPart {
  if (isObject(block.citations) && block.citations.enabled === true) notes.drop(`${path}.citations`);
  const lines = [textField(block, 'title', path) ?? '', textField(block, 'source', path) ?? ''];
  for (const [index, inner] of objectsField(block, 'content', path).entries()) {
    lines.push(requireText(inner, 'text', `${path}.content[${index}]`));
  }
  const cache = decodeMark(block, path);
  const text = lines.filter((line) => line !== '').join('\n');
  return { kind: 'text', text, ...(cache === undefined ? {} : { cache }) };
}

function decodeCall(block: JsonObject, path: string): Part {
  const { input } = block;
  const isRaw = input instanceof RawJson && input.text.startsWith('{');
  if (input !== undefined && input !== null && !isRaw) {
    throw new Inexpressible(`${path}.input`, 'is not an object');
  }
  const cache = decodeMark(block, path);
  return {
    kind: 'tool-call',
    id: requireText(block, 'id', path),
    name: requireText(block, 'name', path),
    arguments: isRaw ? input.text : '{}',
    custom: false,
    ...(cache === undefined ? {} : { cache }),
  };
}

function decodeResult(block: JsonObject, { path, notes }: BlockPlace): ToolResultPart {
  const { content } = block;
  const isEmpty = content === undefined || content === null;
  const cache = decodeMark(block, path);
  return {
    kind: 'tool-result',
    callId: requireText(block, 'tool_use_id', path),
    parts: isEmpty ? [] : decodeContent(content, { path: `${path}.content`, notes }),
    isError: flagField(block, 'is_error', path) ?? false,
    custom: false,
    ...(cache === undefined ? {} : { cache }),
  };
}

function nameOfTool(block: JsonObject, path: string): string {
  const tool = objectField(block, 'tool', path) ?? {};
  return findText(tool.name) ?? findText(tool.tool_name) ?? '';
}

function remark(what: string, name: string): TextPart {
  return { kind: 'text', text: `[${what}: ${name}]` };
}

/** A mark where another model of the vendor took over. It holds nothing that was said. */
function dropped(_block: JsonObject, { path, notes }: BlockPlace): readonly Part[] {
  notes.drop(path);
  return [];
}

/** Only the vendor itself understands this block. */
function opaque(block: JsonObject, { path }: BlockPlace): readonly Part[] {
  const type = findText(block.type) ?? '';
  return [{ kind: 'opaque', protocol: 'messages', type, raw: writeJson(block), path }];
}
