import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { endsWithPrefill, inlineSystemTurns, withoutPrefill } from '../../hub/fit/turns.ts';
import {
  type CacheMark,
  isCited,
  isMarked,
  type Part,
  type PartOf,
  type ToolCallPart,
  type ToolResultPart,
} from '../../hub/part.ts';
import type { HubRequest, Turn } from '../../hub/request.ts';
import { encodeDetails } from '../reasoning-details.ts';
import { SIGNATURE_LOST, signatureSlot, type WireMessage, type WirePart } from '../wire.ts';
import { cacheMark, encodeContent, encodeUserPart, type PartContext } from './parts.ts';

/** Claude Code's first block changes with every request and would defeat every other vendor's cache. */
const BILLING_HEADER = 'x-anthropic-billing-header:';

/** `instruction` is our text for a vendor that lacks the option it stands for. */
export function encodeMessages(
  request: HubRequest,
  context: PartContext,
  instruction: string | undefined,
): readonly WireMessage[] {
  if (request.turns.some(({ parts }) => parts.some(isCited))) context.notes.lose('citations');
  const system = request.system.filter((part) => !part.text.startsWith(BILLING_HEADER));
  const turns = fitTurns(request.turns, context);
  const messages: WireMessage[] = system.map((part) => systemMessage(part, context));
  if (instruction !== undefined) messages.push({ role: 'system', content: instruction });
  /** Images and files that only a user message can hold: they go into the next one. */
  let pending: readonly WirePart[] = [];
  for (const turn of turns) {
    const encoded = encodeTurn(turn, pending, context);
    messages.push(...encoded.messages);
    pending = encoded.pending;
  }
  if (pending.length > 0) messages.push({ role: 'user', content: encodeContent(pending) });
  // A client may send no message, but the vendor requires one.
  return messages.length === 0 ? [{ role: 'user', content: '' }] : messages;
}

function fitTurns(turns: readonly Turn[], { capabilities, notes }: PartContext): readonly Turn[] {
  const inlined = capabilities.systemTurns ? turns : inlineSystemTurns(turns);
  if (capabilities.prefill) return inlined;
  if (endsWithPrefill(inlined)) notes.lose('prefill');
  return withoutPrefill(inlined);
}

interface EncodedTurn {
  readonly messages: readonly WireMessage[];
  readonly pending: readonly WirePart[];
}

function encodeTurn(turn: Turn, pending: readonly WirePart[], context: PartContext): EncodedTurn {
  if (turn.role === 'assistant') {
    return {
      messages: [encodeAssistant(turn.parts, context)],
      pending: [...pending, ...attachments(turn.parts, context)],
    };
  }
  if (turn.role === 'system')
    return { messages: turn.parts.map((part) => systemMessage(part, context)), pending };
  const results = turn.parts.filter((part) => part.kind === 'tool-result');
  const rest = turn.parts.filter((part) => part.kind !== 'tool-result');
  // Every result must directly follow its call, so attachments come after all results.
  const attached = results.flatMap((result) => attachments(result.parts, context));
  const content = [...pending, ...attached, ...rest.flatMap((part) => encodeUserPart(part, context))];
  const messages: WireMessage[] = results.map((result) => encodeResult(result, context));
  // An empty turn is still a user turn.
  const hasMessage = content.length > 0 || results.length === 0;
  if (hasMessage) messages.push({ role: 'user', content: encodeContent(content) });
  return { messages, pending: [] };
}

function systemMessage(part: Part, context: PartContext): WireMessage {
  return { role: 'system', content: encodeContent(encodeUserPart(part, context)) };
}

function isAttachment(part: Part): boolean {
  return part.kind === 'image' || part.kind === 'audio' || part.kind === 'video' || part.kind === 'file';
}

/** A text file can be anywhere; other media only in a user message. */
function attachments(parts: readonly Part[], context: PartContext): readonly WirePart[] {
  return parts
    .filter((part) => isAttachment(part) && !isTextFile(part))
    .flatMap((part) => encodeUserPart(part, context));
}

function isTextFile(part: Part): boolean {
  return part.kind === 'file' && part.source.kind === 'text';
}

/** The result of a tool as one text, with a placeholder for each attachment in the user message after it. */
function encodeResult(result: ToolResultPart, context: PartContext): WireMessage {
  const text = result.parts.map((part) => resultText(part, context)).join('\n');
  const content = result.isError && !/^error\b/i.test(text) ? `Error: ${text}` : text;
  const mark = cacheMark(result.cache ?? lastMark(result.parts), context);
  const isMarked = mark.prompt_cache_breakpoint !== undefined && content !== '';
  return {
    role: 'tool',
    tool_call_id: result.callId,
    content: isMarked ? [{ type: 'text', text: content, ...mark }] : content,
  };
}

/** A result is one text here, so a cache mark on any part of it applies to all of it. */
function lastMark(parts: readonly Part[]): CacheMark | undefined {
  return parts
    .map((part) => ('cache' in part ? part.cache : undefined))
    .findLast((mark) => mark !== undefined);
}

function resultText(part: Part, context: PartContext): string {
  if (isAttachment(part) && !isTextFile(part)) return `[${part.kind}]`;
  return encodeUserPart(part, context)
    .map((one) => (one.type === 'text' ? one.text : ''))
    .join('');
}

/** Text and calls of a turn become one message. Their order among each other is lost. */
function encodeAssistant(parts: readonly Part[], context: PartContext): WireMessage {
  const calls = parts.filter((part) => part.kind === 'tool-call');
  if (calls.some(isMarked)) context.notes.lose('cacheMarks');
  const reasoning = parts.filter((part) => part.kind === 'reasoning');
  const thoughts = reasoning.map((part) => part.text).join('');
  const details = reasoning.flatMap(encodeDetails);
  const content = encodeAssistantContent(parts, context);
  return {
    role: 'assistant',
    content: content ?? (calls.length === 0 ? '' : null),
    ...(context.capabilities.reasoningContent && thoughts !== '' ? { reasoning_content: thoughts } : {}),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: encodeCalls(calls, context) }),
    ...textSignature(parts),
  };
}

/** Sibling texts are one text; only a refusal needs parts. */
function encodeAssistantContent(
  parts: readonly Part[],
  context: PartContext,
): string | readonly WirePart[] | undefined {
  const refusals = parts.filter((part): part is PartOf<'refusal'> => part.kind === 'refusal');
  const others = parts.filter((part) => part.kind !== 'refusal' && (!isAttachment(part) || isTextFile(part)));
  const texts = others
    .flatMap((part) => encodeUserPart(part, context))
    .filter((part) => part.type === 'text');
  const isMarked = texts.some((part) => part.prompt_cache_breakpoint !== undefined);
  if (refusals.length > 0) {
    return [...texts, ...refusals.map(({ text }) => ({ type: 'refusal', refusal: text }) as const)];
  }
  if (isMarked) return texts.filter((part) => part.text !== '');
  const text = texts.map((part) => part.text).join('');
  return text === '' ? undefined : text;
}

/** The hub has removed all signatures that may not be sent to this vendor. */
function encodeCalls(calls: readonly ToolCallPart[], { capabilities }: PartContext): readonly JsonObject[] {
  const signatures = calls.map(
    ({ signatures }) => signatures?.find((signature) => signature.form === 'thought')?.value,
  );
  const isSigned = signatures.some((signature) => signature !== undefined);
  // Google signs only the first of parallel calls, and requires that signature.
  if (capabilities.signaturesRequired && !isSigned) signatures[0] = SIGNATURE_LOST;
  return calls.map((call, index) => encodeCall(call, signatures[index]));
}

function encodeCall(call: ToolCallPart, signature: string | undefined): JsonObject {
  const extra = signature === undefined ? {} : { extra_content: signatureSlot(signature) };
  if (call.custom) {
    return { id: call.id, type: 'custom', custom: { name: call.name, input: call.arguments }, ...extra };
  }
  const definition = { name: call.name, arguments: call.arguments };
  return { id: call.id, type: 'function', function: definition, ...extra };
}

function textSignature(parts: readonly Part[]): { readonly extra_content?: JsonObject } {
  const signatures = parts.flatMap((part) => (part.kind === 'text' ? (part.signatures ?? []) : []));
  const signature: JsonValue | undefined = signatures.at(-1)?.value;
  return signature === undefined ? {} : { extra_content: signatureSlot(signature) };
}
