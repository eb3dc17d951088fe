import type { HubAnswer } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import { type JsonObject, type JsonValue, readJson } from '../../hub/content/json.ts';
import {
  type Part,
  type ServerToolPart,
  type TextPart,
  type ToolCallPart,
  visibleText,
} from '../../hub/part.ts';
import { encodeCitation } from '../citations.ts';
import { encodeFinish } from '../finish.ts';
import { searchBlocks } from '../search-blocks.ts';
import { encodeUsage, NO_HUB_USAGE } from '../usage.ts';
import { MESSAGES_RAW_KEYS, type WireUsage } from '../wire.ts';
import { encodeInput } from './parts.ts';
import { encodeReasoningValue } from './reasoning.ts';

/** A placeholder for images, which an answer in this protocol cannot contain. */
export const PICTURE_NOTE = '[image]';

export function encodeAnswer(answer: HubAnswer, session: Session): JsonObject {
  const [choice] = answer.choices;
  const parts = choice?.parts ?? [];
  const refusal = parts.flatMap((part) => (part.kind === 'refusal' ? [part.text] : [])).join('');
  // Only this vendor's own tiers mean something to its clients.
  const tier = session.target.protocol === 'messages' ? answer.serviceTier : undefined;
  const usage: WireUsage = encodeUsage(answer.usage ?? NO_HUB_USAGE, tier);
  return {
    id: messageId(session),
    type: 'message',
    role: 'assistant',
    model: session.modelId,
    content: parts.flatMap((part, index) => encodeBlock(part, session, index)),
    ...encodeFinish(choice?.finish ?? { reason: 'stop' }, refusal),
    usage: { ...usage },
  };
}

export function messageId({ callId }: Session): string {
  return `msg_${callId}`;
}

function encodeBlock(part: Part, session: Session, index: number): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return citedBlock(part);
    case 'refusal':
      return textBlock(part.text);
    case 'reasoning':
      return encodeThinkingBlock(part.text, encodeReasoningValue(part.text, part.signature, session));
    case 'tool-call':
      return [{ type: 'tool_use', id: part.id, name: part.name, input: toInput(part) }];
    case 'image':
      return textBlock(PICTURE_NOTE);
    case 'server-tool':
      return ownBlock(part.protocol, part.raw) ?? foreignBlocks(part, `${session.callId}_${index}`);
    default:
      // No vendor answers with anything else.
      return [];
  }
}

/** Free text is wrapped in an object, because a client of this protocol declared no custom tool. */
function toInput(call: ToolCallPart): JsonValue {
  return call.custom ? { input: call.arguments } : encodeInput(call.arguments);
}

/** An empty text would be refused when the client sends it back. */
function textBlock(text: string): readonly JsonObject[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function citedBlock({ text, citations = [] }: TextPart): readonly JsonObject[] {
  const cited = citations.map((citation) => encodeCitation(citation, text));
  return textBlock(text).map((block) => (cited.length === 0 ? block : { ...block, citations: cited }));
}

function encodeThinkingBlock(
  text: string,
  value: ReturnType<typeof encodeReasoningValue>,
): readonly JsonObject[] {
  switch (value.kind) {
    case 'nothing':
      return [];
    case 'redacted':
      return [{ type: 'redacted_thinking', data: value.data }];
    case 'thinking':
      return [{ type: 'thinking', thinking: text, signature: value.signature }];
  }
}

function foreignBlocks(part: ServerToolPart, callId: string): readonly JsonObject[] {
  const search = part.search && searchBlocks(part.search, callId);
  return search === undefined ? textBlock(visibleText(part)) : [search.use, search.result];
}

function ownBlock(protocol: string, raw: string): readonly JsonObject[] | undefined {
  if (protocol !== 'messages') return undefined;
  const block = readJson(raw, MESSAGES_RAW_KEYS);
  return block === undefined ? undefined : [block];
}
