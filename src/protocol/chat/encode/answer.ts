import type { Choice, HubAnswer } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { wrapSignatures } from '../../hub/envelope.ts';
import { type Citation, type Part, type ToolCallPart, visibleText } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';
import { moveCitation } from '../decode/assistant.ts';
import { encodeFinish } from '../finish.ts';
import { encodeLogprobs } from '../logprobs.ts';
import { encodeDetails } from '../reasoning-details.ts';
import { encodeUsage } from '../usage.ts';
import { signatureSlot } from '../wire.ts';
import { TIERS } from './options.ts';

export function encodeChatAnswer(answer: HubAnswer, session: Session): JsonObject {
  return {
    id: `chatcmpl-${session.callId}`,
    object: 'chat.completion',
    created: session.createdAtS,
    model: session.modelId,
    choices: answer.choices.map((choice, index) => encodeChoice(choice, index, session)),
    usage: answer.usage === undefined ? undefined : encodeUsage(answer.usage),
    service_tier: findTier(answer, session),
  };
}

/** A vendor of this protocol may have any tier names. Of other protocols only OpenAI's mean the same. */
function findTier({ serviceTier }: HubAnswer, session: Session): string | undefined {
  const isKnown = session.target.protocol === 'responses' && TIERS.includes(serviceTier ?? '');
  return isNative(session) || isKnown ? serviceTier : undefined;
}

function encodeChoice(choice: Choice, index: number, session: Session): JsonObject {
  const { parts, finish } = choice;
  const calls = parts.filter((part) => part.kind === 'tool-call');
  const texts = parts.filter((part) => part.kind === 'refusal').map((part) => part.text);
  const words = texts.join('');
  const held = { calls: calls.length > 0, refusal: words !== '' };
  // If the model refused without text, the vendor's explanation is used.
  const refusal = words === '' ? toRefusalText(choice) : words;
  const content = joinTexts(parts);
  const isNull = content === '' && (held.calls || refusal !== null);
  return {
    index,
    message: {
      role: 'assistant',
      content: isNull ? null : content,
      refusal,
      ...encodeExtras(parts, session),
      ...encodeCalls(calls, session),
    },
    logprobs: encodeLogprobs(choice.logprobs),
    finish_reason: encodeFinish(finish, held, session),
  };
}

export function toRefusalText({ finish }: Pick<Choice, 'finish'>): string | null {
  const isRefused = finish.reason === 'filter' || finish.reason === 'refusal';
  return isRefused ? (finish.message ?? null) : null;
}

/** Sibling texts are joined without a separator, because clients expect one text (rule C-21). */
function joinTexts(parts: readonly Part[]): string {
  return parts.map(toText).join('');
}

function toText(part: Part): string {
  if (part.kind === 'server-tool') return visibleText(part);
  return part.kind === 'text' ? part.text : '';
}

/** Fields of other vendors that clients may know. OpenAI itself does not have them. */
function encodeExtras(parts: readonly Part[], session: Session): JsonObject {
  const reasoning = parts.filter((part) => part.kind === 'reasoning');
  const thoughts = showsThinking(session) ? reasoning.map((part) => part.text).join('') : '';
  const details = isNative(session) ? reasoning.flatMap(encodeDetails) : [];
  const annotations = toAnnotations(parts);
  const images = parts.filter((part) => part.kind === 'image');
  const signatures = parts.flatMap((part) => (part.kind === 'text' ? (part.signatures ?? []) : []));
  return {
    ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(images.length === 0
      ? {}
      : { images: images.flatMap(({ source }, index) => encodeImage(source, index)) }),
    ...(signatures.length === 0 ? {} : { extra_content: encodeSignatures(signatures, session) }),
  };
}

function toAnnotations(parts: readonly Part[]): readonly JsonObject[] {
  const annotations: JsonObject[] = [];
  let offset = 0;
  for (const part of parts) {
    if (part.kind !== 'text' && part.kind !== 'server-tool') continue;
    const { length } = toText(part);
    const citations = part.kind === 'text' ? (part.citations ?? []) : [];
    for (const one of citations) annotations.push(encodeCitation(one, { offset, length }));
    offset += length;
  }
  return annotations;
}

/** A citation without a range covers its whole part (rule C-67). */
export function encodeCitation(
  citation: Citation,
  part: { readonly offset: number; readonly length: number },
): JsonObject {
  const { url, title, start = 0, end = part.length } = citation;
  const placed = moveCitation({ url, start, end }, part.offset);
  return {
    type: 'url_citation',
    url_citation: { start_index: placed.start, end_index: placed.end, title: title ?? url, url },
  };
}

/** In OpenRouter's form. The protocol itself has no field for images in an answer. */
export function encodeImage(source: Extract<Part, { kind: 'image' }>['source'], index: number): JsonObject[] {
  if (source.kind === 'file') return [];
  const url = source.kind === 'url' ? source.url : `data:${source.mime};base64,${source.base64}`;
  return [{ type: 'image_url', image_url: { url }, index }];
}

/** Thinking is included unless the client does not want it. */
export function showsThinking({ request }: Session): boolean {
  return request.thinking.show !== false;
}

export function isNative(session: Session): boolean {
  return session.target.protocol === 'chat';
}

/** A vendor of this protocol gets its own signature back unchanged. All others are in an envelope. */
export function encodeSignatures(signatures: readonly Signature[], session: Session): JsonObject {
  const own = isNative(session) ? signatures.find((signature) => signature.form === 'thought') : undefined;
  return signatureSlot(own === undefined ? wrapSignatures(signatures) : own.value);
}

function encodeCalls(calls: readonly ToolCallPart[], session: Session): JsonObject {
  const [first] = calls;
  if (first === undefined) return {};
  if (session.request.legacyFunctions !== true) {
    return { tool_calls: calls.map((call) => encodeCall(call, session)) };
  }
  // The old form holds one call only. Its signature is on the message.
  const { name, arguments: input, signatures = [] } = first;
  return {
    function_call: { name, arguments: input },
    ...(signatures.length === 0 ? {} : { extra_content: encodeSignatures(signatures, session) }),
  };
}

function encodeCall(call: ToolCallPart, session: Session): JsonObject {
  const { id, name, custom, signatures } = call;
  const body: JsonValue = custom ? { name, input: call.arguments } : { name, arguments: call.arguments };
  return {
    id,
    type: custom ? 'custom' : 'function',
    [custom ? 'custom' : 'function']: body,
    ...(signatures === undefined || signatures.length === 0
      ? {}
      : { extra_content: encodeSignatures(signatures, session) }),
  };
}
