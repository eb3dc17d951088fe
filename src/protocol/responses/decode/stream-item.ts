import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { findNumber, listObjects, objectOrEmpty, textOrEmpty } from '../fields.ts';
import { decodeLogprobs } from '../logprobs.ts';
import { callArguments } from './answer.ts';
import { decodeCitation } from './parts.ts';
import { encryptedSignature, reasoningText } from './reasoning.ts';
import { closePart, type DecoderState, type ItemState, openPart } from './stream-state.ts';
import { addPartText, endPartText, isOpen, type PartText } from './stream-text.ts';
import { findRest, isBeginningOf, note } from './text-so-far.ts';
import { decodeVendorTool } from './vendor-tools.ts';

type ItemHandler = (state: DecoderState, item: ItemState, event: JsonObject) => void;

/** Handlers by event type, with the type of the items that the event belongs to. */
export const ITEM_HANDLERS: ReadonlyMap<string, { readonly of: string; readonly handle: ItemHandler }> =
  new Map([
    ['response.output_text.delta', { of: 'message', handle: onWords('text') }],
    ['response.refusal.delta', { of: 'message', handle: onWords('refusal') }],
    ['response.output_text.done', { of: 'message', handle: onWordsDone('text') }],
    ['response.refusal.done', { of: 'message', handle: onWordsDone('refusal') }],
    ['response.output_text.annotation.added', { of: 'message', handle: onAnnotation }],
    ['response.content_part.added', { of: 'message', handle: onContentAdded }],
    ['response.content_part.done', { of: 'message', handle: onContentDone }],
    ['response.function_call_arguments.delta', { of: 'function_call', handle: onCallDelta }],
    ['response.custom_tool_call_input.delta', { of: 'custom_tool_call', handle: onCallDelta }],
    ['response.function_call_arguments.done', { of: 'function_call', handle: onCallDone('arguments') }],
    ['response.custom_tool_call_input.done', { of: 'custom_tool_call', handle: onCallDone('input') }],
    ['response.reasoning_summary_text.delta', { of: 'reasoning', handle: onReasoning('summary') }],
    ['response.reasoning_summary_text.done', { of: 'reasoning', handle: onReasoningDone('summary') }],
    ['response.reasoning_text.delta', { of: 'reasoning', handle: onReasoning('content') }],
    ['response.reasoning_text.done', { of: 'reasoning', handle: onReasoningDone('content') }],
  ]);

/** Calls open at once. Text and reasoning open with their first character, so that empty ones never do. */
export function startItem(state: DecoderState, item: ItemState): void {
  const { announced, type } = item;
  if (announced === undefined || item.isCallOpen) return;
  const isCall = type === 'function_call' || type === 'custom_tool_call';
  if (isCall && textOrEmpty(announced.name) !== '') openCall(state, item, announced);
}

function openCall(state: DecoderState, item: ItemState, call: JsonObject): void {
  const namespace = textOrEmpty(call.namespace);
  item.isCallOpen = true;
  item.callId = textOrEmpty(call.call_id);
  openPart(state, item, {
    kind: 'tool-call',
    id: item.callId,
    name: textOrEmpty(call.name),
    ...(namespace === '' ? {} : { namespace }),
    custom: call.type === 'custom_tool_call',
  });
}

function onCallDelta(state: DecoderState, item: ItemState, event: JsonObject): void {
  const text = textOrEmpty(event.delta);
  if (text === '' || !item.isCallOpen) return;
  note(item.text, text);
  state.emit({ kind: 'delta', choice: 0, text });
}

function onCallDone(field: 'arguments' | 'input'): ItemHandler {
  return (state, item, event) => endCall(state, item, event[field]);
}

/** Some vendors send the arguments only as a whole, or only their end. */
function endCall(state: DecoderState, item: ItemState, whole: JsonValue | undefined): void {
  const rest = findRest(item.text, textOrEmpty(whole));
  if (rest !== undefined) onCallDelta(state, item, { delta: rest });
}

function onWords(kind: 'text' | 'refusal'): ItemHandler {
  return (state, item, event) => {
    const text = textOrEmpty(event.delta);
    if (text === '') return;
    const place = findNumber(event.content_index);
    addPartText(state, item, { kind, place, text, logprobs: decodeLogprobs(event.logprobs) });
  };
}

function onWordsDone(kind: 'text' | 'refusal'): ItemHandler {
  return (state, item, event) => {
    const text = textOrEmpty(kind === 'text' ? event.text : event.refusal);
    const logprobs = decodeLogprobs(event.logprobs);
    endPartText(state, item, { kind, place: findNumber(event.content_index), text, logprobs });
  };
}

/** A new part begins, so the one before has ended, even at the same place. */
function onContentAdded(state: DecoderState, item: ItemState): void {
  if (item.part === undefined || item.part.kind === 'reasoning') return;
  item.part.isComplete = true;
  closePart(state, item);
}

function onContentDone(state: DecoderState, item: ItemState, event: JsonObject): void {
  const part = objectOrEmpty(event.part);
  const place = findNumber(event.content_index);
  if (part.type === 'reasoning_text') {
    onReasoningDone('content')(state, item, { content_index: place ?? null, text: textOrEmpty(part.text) });
    return;
  }
  const ended = endPartText(state, item, toPartText(part, place));
  if (ended === undefined || !isOpen(item, ended)) return;
  citeRest(state, item, part);
  closePart(state, item);
}

function toPartText(part: JsonObject, place: number | undefined): PartText {
  const kind = part.type === 'refusal' ? 'refusal' : 'text';
  const text = textOrEmpty(kind === 'refusal' ? part.refusal : part.text);
  return { kind, place, text, logprobs: decodeLogprobs(part.logprobs) };
}

/** A citation of the open part. Citations of an empty part are dropped. */
function onAnnotation(state: DecoderState, item: ItemState, event: JsonObject): void {
  const place = findNumber(event.content_index);
  const { part } = item;
  if (part === undefined || !isOpen(item, part)) return;
  if (place !== undefined && item.parts.has(place) && item.parts.get(place) !== part) return;
  cite(state, item, [objectOrEmpty(event.annotation)]);
}

function citeRest(state: DecoderState, item: ItemState, whole: JsonObject): void {
  cite(state, item, listObjects(whole.annotations).slice(item.part?.citations ?? 0));
}

function cite(state: DecoderState, { part }: ItemState, annotations: readonly JsonObject[]): void {
  if (part?.kind !== 'text') return;
  for (const annotation of annotations) {
    part.citations++;
    const citation = decodeCitation(annotation);
    if (citation !== undefined) state.emit({ kind: 'citation', choice: 0, citation });
  }
}

function onReasoning(flavour: 'summary' | 'content'): ItemHandler {
  return (state, item, event) => {
    const text = textOrEmpty(event.delta);
    item.reasoning ??= flavour;
    if (text === '' || item.reasoning !== flavour) return;
    addPartText(state, item, { kind: 'reasoning', place: thoughtPlace(event, flavour), text, logprobs: [] });
  };
}

function onReasoningDone(flavour: 'summary' | 'content'): ItemHandler {
  return (state, item, event) => {
    const text = textOrEmpty(event.text);
    if (text === '') return;
    item.reasoning ??= flavour;
    if (item.reasoning !== flavour) return;
    endPartText(state, item, { kind: 'reasoning', place: thoughtPlace(event, flavour), text, logprobs: [] });
  };
}

function thoughtPlace(event: JsonObject, flavour: 'summary' | 'content'): number | undefined {
  return findNumber(flavour === 'summary' ? event.summary_index : event.content_index);
}

/** The final form of the item: whatever was not streamed of it is emitted now. */
export function finishItem(state: DecoderState, item: ItemState, final: JsonObject): void {
  const whole = final.type === undefined ? (item.announced ?? final) : final;
  if (whole.type !== undefined) item.type = textOrEmpty(whole.type);
  switch (whole.type) {
    case 'message':
      finishMessage(state, item, whole);
      break;
    case 'reasoning':
      finishReasoning(state, item, whole);
      break;
    case 'function_call':
    case 'custom_tool_call':
      if (!item.isCallOpen) openCall(state, item, whole);
      if (final.type !== undefined) {
        endCall(state, item, final.type === 'custom_tool_call' ? final.input : callArguments(final));
      }
      break;
    case undefined:
      break;
    default:
      finishVendorTool(state, item, whole);
  }
  closePart(state, item);
}

/**
 * Parts are recognised by their text, because vendors do not always give the right places. If the text
 * differs, what was streamed first counts, and only parts beyond the number of streamed ones are new.
 */
function finishMessage(state: DecoderState, item: ItemState, whole: JsonObject): void {
  const contents = listObjects(whole.content).filter(({ type }) => type !== 'reasoning_text');
  const words = contents.map((content) => toPartText(content, undefined));
  const texts = words.map(({ text }) => text);
  const { partCount } = item;
  const isKnown = isBeginningOf(item.text, texts);
  let charsLeft = item.text.chars;
  for (const [index, content] of contents.entries()) {
    const one = words[index] as PartText;
    const { length } = one.text;
    if (length === 0) continue;
    const isLastKnown = isKnown ? charsLeft <= length : index >= partCount - 1;
    const knownChars = isKnown ? Math.min(charsLeft, length) : index < partCount ? length : 0;
    charsLeft -= knownChars;
    if (knownChars === 0) onContentAdded(state, item);
    const logprobs = knownChars === 0 ? one.logprobs : [];
    if (knownChars < length) addPartText(state, item, { ...one, text: one.text.slice(knownChars), logprobs });
    if (isLastKnown && item.isPartOpen) citeRest(state, item, content);
  }
}

function finishReasoning(state: DecoderState, item: ItemState, whole: JsonObject): void {
  const rest = findRest(item.text, reasoningText(whole)) ?? '';
  const encrypted = textOrEmpty(whole.encrypted_content);
  if (rest === '' && encrypted === '' && !item.isPartOpen) return;
  if (!item.isPartOpen) openPart(state, item, { kind: 'reasoning' });
  if (rest !== '') {
    note(item.text, rest);
    state.emit({ kind: 'delta', choice: 0, text: rest });
  }
  if (encrypted === '') return;
  const signature = encryptedSignature(state.session.target.issuer, encrypted, textOrEmpty(whole.id));
  state.emit({ kind: 'signature', choice: 0, signature });
}

function finishVendorTool(state: DecoderState, item: ItemState, whole: JsonObject): void {
  const part = decodeVendorTool(whole);
  if (part.kind === 'server-tool') openPart(state, item, part);
  else if (part.kind === 'image' && part.source.kind === 'bytes') {
    openPart(state, item, { kind: 'image', mime: part.source.mime, base64: part.source.base64 });
  }
}
