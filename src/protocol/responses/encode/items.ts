import { type JsonObject, type JsonValue, RawJson } from '../../hub/content/json.ts';
import { Inexpressible } from '../../hub/notes.ts';
import type { Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from '../../hub/part.ts';
import type { Turn } from '../../hub/request.ts';
import { annotation } from './output-item.ts';
import { encodeInputParts, type PartScope } from './parts.ts';

/** Prefix of a failed tool's result, because the protocol has no flag for it (rule C-31). */
const ERROR_PREFIX = '[tool error] ';
const PICTURE_NOTE = '[the picture follows]';

export function encodeTurns(turns: readonly Turn[], scope: PartScope): readonly JsonValue[] {
  return turns.flatMap((turn) => {
    if (turn.role === 'assistant') return encodeAssistant(turn.parts, scope);
    return turn.role === 'user' ? encodeUser(turn.parts, scope) : message('developer', turn.parts, scope);
  });
}

function message(
  role: 'user' | 'developer',
  parts: readonly Part[],
  scope: PartScope,
): readonly JsonObject[] {
  const content = encodeInputParts(parts, scope);
  return content.length === 0 ? [] : [{ type: 'message', role, content }];
}

/** Results are items of their own. Everything between two of them is one message. */
function encodeUser(parts: readonly Part[], scope: PartScope): readonly JsonValue[] {
  const items: JsonValue[] = [];
  let messageParts: Part[] = [];
  let pictures: Part[] = [];
  const flush = (): void => {
    items.push(...message('user', messageParts, scope));
    messageParts = [];
  };
  for (const part of parts) {
    if (part.kind === 'tool-result') {
      flush();
      items.push(encodeResult(part, scope));
      if (!scope.target.capabilities.toolResultImages) pictures.push(...part.parts.filter(isMedia));
    } else if (part.kind === 'opaque' && part.protocol === 'responses') {
      flush();
      items.push(new RawJson(part.raw));
    } else {
      // Images of results come after all results of the turn.
      messageParts.push(...pictures, part);
      pictures = [];
    }
  }
  messageParts.push(...pictures);
  flush();
  return items;
}

function isMedia(part: Part): boolean {
  return part.kind === 'image' || part.kind === 'file';
}

function encodeResult(part: ToolResultPart, scope: PartScope): JsonObject {
  const type = part.custom ? 'custom_tool_call_output' : 'function_call_output';
  if (part.cache !== undefined) scope.notes.lose('cacheMarks');
  return { type, call_id: part.callId, output: encodeOutput(part, scope) };
}

/** A string if possible: some vendors of this protocol accept nothing else. Never an empty list. */
function encodeOutput(part: ToolResultPart, scope: PartScope): JsonValue {
  const prefix = part.isError ? ERROR_PREFIX : '';
  const keepsMedia = scope.target.capabilities.toolResultImages;
  const parts = keepsMedia ? part.parts : part.parts.map((one) => (isMedia(one) ? NOTE_PART : one));
  const content = encodeInputParts(parts, scope);
  if (content.every((one) => one.type === 'input_text')) {
    return prefix + content.map((one) => String(one.text)).join('\n');
  }
  return prefix === '' ? content : [{ type: 'input_text', text: prefix.trim() }, ...content];
}

const NOTE_PART: Part = { kind: 'text', text: PICTURE_NOTE };

function encodeAssistant(parts: readonly Part[], scope: PartScope): readonly JsonValue[] {
  const items: JsonValue[] = [];
  let content: JsonObject[] = [];
  const flush = (): void => {
    if (content.length > 0) items.push({ type: 'message', role: 'assistant', content: content });
    content = [];
  };
  const lastContent = parts.findLastIndex(({ kind }) => kind !== 'reasoning');
  for (const [index, part] of parts.entries()) {
    const words = encodeWords(part, scope);
    if (words !== undefined) {
      content.push(...words);
      continue;
    }
    flush();
    // The vendor refuses reasoning without a following item, and it means nothing to the model.
    if (part.kind === 'reasoning' && index > lastContent) continue;
    items.push(...encodeAssistantItem(part, scope));
  }
  flush();
  return items;
}

/** The content of a message; `undefined` for a part that is an item of its own. */
function encodeWords(part: Part, scope: PartScope): readonly JsonObject[] | undefined {
  switch (part.kind) {
    case 'text':
      if (part.cache !== undefined) scope.notes.lose('cacheMarks');
      return part.text === '' ? [] : [outputText(part)];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }];
    case 'server-tool':
      if (part.protocol === 'responses') return undefined;
      return part.text === '' ? [] : [{ type: 'output_text', text: part.text }];
    default:
      return undefined;
  }
}

function outputText({ text, citations = [] }: TextPart): JsonObject {
  if (citations.length === 0) return { type: 'output_text', text };
  const annotations = citations.map((citation) => annotation(citation, text.length));
  return { type: 'output_text', text, annotations };
}

function encodeAssistantItem(part: Part, scope: PartScope): readonly JsonValue[] {
  switch (part.kind) {
    case 'reasoning':
      return encodeReasoning(part, scope);
    case 'tool-call':
      if (part.cache !== undefined) scope.notes.lose('cacheMarks');
      return [encodeCall(part)];
    case 'server-tool':
      return [new RawJson(part.raw)];
    case 'opaque':
      if (part.protocol === 'responses') return [new RawJson(part.raw)];
      throw new Inexpressible(part.path, `'${part.type}' is known to its own vendor only`);
    default:
      throw new Inexpressible(`${part.kind} of the assistant`, 'the Responses protocol has no place for it');
  }
}

export function encodeCall(part: ToolCallPart): JsonObject {
  const head = {
    call_id: part.id,
    name: part.name,
    ...(part.namespace === undefined ? {} : { namespace: part.namespace }),
  };
  return part.custom
    ? { type: 'custom_tool_call', ...head, input: part.arguments }
    : { type: 'function_call', ...head, arguments: part.arguments };
}

/** Only the ciphertext is sent back. Vendors with visible reasoning get that back instead. */
function encodeReasoning(part: ReasoningPart, scope: PartScope): readonly JsonObject[] {
  const { signature, text } = part;
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  if (signature?.form === 'encrypted') {
    const id = signature.itemId === undefined ? {} : { id: signature.itemId };
    return [{ type: 'reasoning', ...id, summary, encrypted_content: signature.value }];
  }
  if (!scope.target.capabilities.reasoningContent || text === '') return [];
  return [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }];
}
