import type { HubEvent } from '../hub/event.ts';
import type { JsonObject, JsonValue } from '../hub/json.ts';
import { decodeLogprobs } from './convert-logprobs.ts';
import { callArguments } from './decode-answer.ts';
import { decodeCitation } from './decode-parts.ts';
import { encryptedBlob, reasoningText } from './decode-reasoning.ts';
import { closePart, type DecoderState, type ItemState, openPart } from './decoder-state.ts';
import { decodeHosted } from './hosted.ts';
import { numberOf, objectOf, objectsOf, textOf } from './read.ts';

type ItemHandler = (state: DecoderState, item: ItemState, event: JsonObject) => void;

export const ITEM_HANDLERS: ReadonlyMap<string, ItemHandler> = new Map<string, ItemHandler>([
  ['response.output_text.delta', onWords('text')],
  ['response.refusal.delta', onWords('refusal')],
  ['response.output_text.annotation.added', onAnnotation],
  ['response.content_part.done', onContentDone],
  ['response.function_call_arguments.delta', onCallDelta],
  ['response.custom_tool_call_input.delta', onCallDelta],
  ['response.function_call_arguments.done', (state, item, event) => endCall(state, item, event.arguments)],
  ['response.custom_tool_call_input.done', (state, item, event) => endCall(state, item, event.input)],
  ['response.reasoning_summary_text.delta', onReasoning('summary')],
  ['response.reasoning_text.delta', onReasoning('content')],
]);

/** Calls open at once; words and thoughts with their first character, so that empty ones never do. */
export function startItem(state: DecoderState, item: ItemState): void {
  const { type } = item.announced;
  const isCall = type === 'function_call' || type === 'custom_tool_call';
  if (isCall && textOf(item.announced.name) !== '') openCall(state, item, item.announced);
}

function openCall(state: DecoderState, item: ItemState, call: JsonObject): void {
  const namespace = textOf(call.namespace);
  item.isCallOpen = true;
  openPart(state, item, {
    kind: 'tool-call',
    id: textOf(call.call_id),
    name: textOf(call.name),
    ...(namespace === '' ? {} : { namespace }),
    custom: call.type === 'custom_tool_call',
  });
}

function onCallDelta(state: DecoderState, item: ItemState, event: JsonObject): void {
  const text = textOf(event.delta);
  if (text === '' || !item.isCallOpen) return;
  item.chars += text.length;
  state.emit({ kind: 'delta', choice: 0, text });
}

/** Some vendors send the arguments only whole. */
function endCall(state: DecoderState, item: ItemState, whole: JsonValue | undefined): void {
  if (item.chars === 0) onCallDelta(state, item, { delta: whole });
}

function onWords(kind: 'text' | 'refusal'): ItemHandler {
  return (state, item, event) => {
    const text = textOf(event.delta);
    if (text === '') return;
    const sent = openWords(state, item, { kind, index: numberOf(event.content_index) ?? 0 });
    sent.chars += text.length;
    const logprobs = decodeLogprobs(event.logprobs);
    const delta: HubEvent = { kind: 'delta', choice: 0, text };
    state.emit(logprobs.length > 0 ? { ...delta, logprobs } : delta);
  };
}

function openWords(
  state: DecoderState,
  item: ItemState,
  part: { readonly kind: 'text' | 'refusal'; readonly index: number },
): { chars: number; citations: number } {
  let sent = item.sent.get(part.index);
  if (sent === undefined) {
    sent = { chars: 0, citations: 0 };
    item.sent.set(part.index, sent);
  }
  if (item.partIndex !== part.index || !item.isPartOpen) {
    item.partIndex = part.index;
    openPart(state, item, { kind: part.kind });
  }
  return sent;
}

function onAnnotation(state: DecoderState, item: ItemState, event: JsonObject): void {
  cite(state, item, { index: numberOf(event.content_index) ?? 0, annotations: [objectOf(event.annotation)] });
}

/** Citations of the open part; those of a part that said nothing rest on nothing. */
function cite(
  state: DecoderState,
  item: ItemState,
  part: { readonly index: number; readonly annotations: readonly JsonObject[] },
): void {
  const sent = item.sent.get(part.index);
  if (sent === undefined || item.partIndex !== part.index || !item.isPartOpen) return;
  for (const annotation of part.annotations) {
    sent.citations++;
    const citation = decodeCitation(annotation);
    if (citation !== undefined) state.emit({ kind: 'citation', choice: 0, citation });
  }
}

function onContentDone(state: DecoderState, item: ItemState, event: JsonObject): void {
  endWords(state, item, { index: numberOf(event.content_index) ?? 0, part: objectOf(event.part) });
}

/** What the deltas left out: all of it where there were none, and the citations nobody announced. */
function endWords(
  state: DecoderState,
  item: ItemState,
  done: { readonly index: number; readonly part: JsonObject },
): void {
  const { index, part } = done;
  const kind = part.type === 'refusal' ? 'refusal' : 'text';
  if (part.type === 'reasoning_text') return;
  if (item.sent.get(index) === undefined) {
    const delta = textOf(kind === 'refusal' ? part.refusal : part.text);
    onWords(kind)(state, item, { content_index: index, delta, logprobs: part.logprobs });
  }
  const unsaid = objectsOf(part.annotations).slice(item.sent.get(index)?.citations ?? 0);
  cite(state, item, { index, annotations: unsaid });
  if (item.partIndex === index) closePart(state, item);
}

function onReasoning(kind: 'summary' | 'content'): ItemHandler {
  return (state, item, event) => {
    const text = textOf(event.delta);
    item.reasoning ??= kind;
    if (text === '' || item.reasoning !== kind) return;
    const index = numberOf(kind === 'summary' ? event.summary_index : event.content_index) ?? 0;
    if (!item.isPartOpen) openPart(state, item, { kind: 'reasoning' });
    // Parts of a summary are paragraphs.
    const isNext = item.chars > 0 && index !== item.partIndex;
    item.partIndex = index;
    item.chars += text.length;
    state.emit({ kind: 'delta', choice: 0, text: isNext ? `\n\n${text}` : text });
  };
}

/** The item as it is in the end: whatever was not streamed of it follows now. */
export function finishItem(state: DecoderState, item: ItemState, final: JsonObject): void {
  const whole = final.type === undefined ? item.announced : final;
  switch (whole.type) {
    case 'message':
      for (const [index, part] of objectsOf(whole.content).entries()) endWords(state, item, { index, part });
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
      finishHosted(state, item, whole);
  }
  closePart(state, item);
}

function finishReasoning(state: DecoderState, item: ItemState, whole: JsonObject): void {
  const text = item.chars === 0 ? reasoningText(whole) : '';
  const sealed = textOf(whole.encrypted_content);
  if (text === '' && sealed === '' && !item.isPartOpen) return;
  if (!item.isPartOpen) openPart(state, item, { kind: 'reasoning' });
  if (text !== '') state.emit({ kind: 'delta', choice: 0, text });
  if (sealed === '') return;
  const blob = encryptedBlob(state.session.target.issuer, sealed, textOf(whole.id));
  state.emit({ kind: 'blob', choice: 0, blob });
}

function finishHosted(state: DecoderState, item: ItemState, whole: JsonObject): void {
  const part = decodeHosted(whole);
  if (part.kind === 'server-tool') openPart(state, item, part);
  else if (part.kind === 'image' && part.source.kind === 'bytes') {
    openPart(state, item, { kind: 'image', mime: part.source.mime, base64: part.source.base64 });
  }
}
