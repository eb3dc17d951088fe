import type { Target } from '../../hub/codec.ts';
import { type JsonObject, type JsonValue, RawJson, readJson } from '../../hub/content/json.ts';
import { Inexpressible } from '../../hub/notes.ts';
import type { CacheMark, Part, ReasoningPart, ToolCallPart, ToolResultPart } from '../../hub/part.ts';
import { MESSAGES_RAW_KEYS } from '../wire.ts';
import { encodeFile, encodePicture, type PartContext } from './media.ts';

const NO_KEYS: ReadonlySet<string> = new Set();

export type Role = 'user' | 'assistant';

/**
 * Blocks have the client's cache marks. Which of them stay is decided for the whole body (cache-marks.ts).
 */
export function encodeParts(parts: readonly Part[], role: Role, context: PartContext): readonly JsonObject[] {
  return parts.flatMap((part) => {
    const cache = findCacheMark(part);
    const blocks = encodePart(part, role, context);
    return cache === undefined ? blocks : blocks.map((block) => ({ ...block, ...encodeMark(cache) }));
  });
}

function encodePart(part: Part, role: Role, context: PartContext): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return textBlocks(part.text);
    case 'image':
      return [encodePicture(part, context)];
    case 'file':
      return [encodeFile(part, context)];
    case 'reasoning':
      return role === 'assistant' ? encodeReasoning(part, context.target) : [];
    case 'tool-call':
      return [encodeCall(part)];
    case 'tool-result':
      return [encodeResult(part, context)];
    case 'server-tool':
      return part.protocol === 'messages' ? ownBlock(part.raw) : textBlocks(part.text);
    case 'opaque':
      if (part.protocol === 'messages') return ownBlock(part.raw);
      throw new Inexpressible(part.path, 'only its own vendor can read it');
    case 'audio':
    case 'video':
      throw new Inexpressible(part.kind, 'the vendor has no place for it');
  }
}

/** Whether nothing would be left of a part. Turns are arranged without such parts. */
export function isDropped(part: Part, role: Role, target: Target): boolean {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '';
    case 'reasoning':
      return role !== 'assistant' || encodeReasoning(part, target).length === 0;
    case 'server-tool':
      return part.protocol !== 'messages' && part.text.trim() === '';
    default:
      return false;
  }
}

/** Blank text is refused in every role. */
function textBlocks(text: string): readonly JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function ownBlock(raw: string): readonly JsonObject[] {
  const block = readJson(raw, MESSAGES_RAW_KEYS);
  return block === undefined ? [] : [block];
}

/** Thinking is sent back with its vendor's signature, or not at all. */
function encodeReasoning(part: ReasoningPart, target: Target): readonly JsonObject[] {
  const { text, signature } = part;
  if (signature?.form === 'redacted') return [{ type: 'redacted_thinking', data: signature.value }];
  if (signature?.form === 'signature')
    return [{ type: 'thinking', thinking: text, signature: signature.value }];
  const isWanted = signature === undefined && text !== '' && target.capabilities.reasoningContent;
  return isWanted ? [{ type: 'thinking', thinking: text, signature: '' }] : [];
}

function encodeCall({ id, name, arguments: input }: ToolCallPart): JsonObject {
  return { type: 'tool_use', id, name, input: encodeInput(input) };
}

/** The input must be an object. Any other value is sent as its raw text (rule C-30). */
export function encodeInput(text: string): JsonValue {
  if (text.trim() === '') return {};
  return readJson(text, NO_KEYS) === undefined ? { _raw: text } : new RawJson(text);
}

function encodeResult(part: ToolResultPart, context: PartContext): JsonObject {
  const blocks = part.parts.flatMap((inner) => encodePart(inner, 'user', context));
  const [first] = blocks;
  const isOneText = blocks.length === 1 && first?.type === 'text';
  return {
    type: 'tool_result',
    tool_use_id: part.callId,
    ...(blocks.length === 0 ? {} : { content: isOneText ? first.text : blocks }),
    ...(part.isError ? { is_error: true } : {}),
  };
}

/** A mark inside a result is refused, so it moves to the result itself. */
function findCacheMark(part: Part): CacheMark | undefined {
  if (part.kind !== 'tool-result') return 'cache' in part ? part.cache : undefined;
  return part.cache ?? part.parts.map(findCacheMark).findLast((mark) => mark !== undefined);
}

/** The vendor has two lifetimes. Longer ones become the longer of the two. */
export function encodeMark({ ttl }: CacheMark): JsonObject {
  const isLong = ttl !== undefined && /^(1h|\d+h)$/.test(ttl);
  return { cache_control: isLong ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } };
}
