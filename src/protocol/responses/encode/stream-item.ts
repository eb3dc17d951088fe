import { type JsonObject, type JsonValue, RawJson, writeJson } from '../../hub/content/json.ts';
import type { HubEvent, PartHead } from '../../hub/event.ts';
import { visibleText } from '../../hub/part.ts';
import { encodeLogprob } from '../logprobs.ts';
import {
  annotation,
  callItem,
  callPrefix,
  type ItemStatus,
  imageItem,
  isNative,
  itemId,
  messageItem,
  reasoningItem,
  refusalContent,
  sealSignature,
  searchItem,
  textContent,
} from './output-item.ts';
import {
  type EncoderState,
  type OpenCall,
  type OpenMessage,
  type OpenReasoning,
  type OpenWords,
  write,
} from './stream-state.ts';

/** A part opens: text joins the open message, everything else is an item of its own. */
export function openPart(state: EncoderState, head: PartHead): void {
  switch (head.kind) {
    case 'text':
    case 'refusal':
      openWords(state, head.kind);
      return;
    case 'reasoning':
      closeItem(state, 'completed');
      state.item = { kind: 'reasoning', id: '', place: '', text: '', signature: undefined };
      return;
    case 'tool-call':
      openCall(state, head);
      return;
    case 'image':
      closeItem(state, 'completed');
      writeWhole(state, imageItem(itemId('ig', state.session, state.items.length), head.mime, head.base64));
      return;
    case 'server-tool':
      if (head.protocol === 'responses') {
        closeItem(state, 'completed');
        writeWhole(state, new RawJson(head.raw));
      } else if (head.search !== undefined && head.search.queries.length > 0) {
        closeItem(state, 'completed');
        writeWhole(state, searchItem(itemId('ws', state.session, state.items.length), head.search));
      } else if (visibleText(head) !== '') {
        openWords(state, 'text');
        pushDelta(state, { kind: 'delta', choice: 0, text: head.text });
        closePart(state);
      }
  }
}

function openWords(state: EncoderState, kind: OpenWords['kind']): void {
  if (state.item?.kind !== 'message') {
    closeItem(state, 'completed');
    const index = state.items.length;
    const id = itemId('msg', state.session, index);
    writeAdded(state, messageItem(id, [], 'in_progress'));
    state.item = { kind: 'message', id, place: writeItemFields(id, index), content: [], part: undefined };
  }
  const message = state.item;
  closeWords(state, message);
  if (kind === 'refusal') state.hasRefusal = true;
  const place = `${message.place},"content_index":${message.content.length}`;
  message.part = { kind, place, text: '', quoted: '', logprobs: [], citations: [] };
  const part = kind === 'text' ? textContent({ text: '' }) : refusalContent('');
  write(state, 'response.content_part.added', `${place},"part":${writeJson(part)}`);
}

function openCall(state: EncoderState, head: Extract<PartHead, { kind: 'tool-call' }>): void {
  closeItem(state, 'completed');
  const typed = state.typed.get(head.name);
  const index = state.items.length;
  const id = itemId(callPrefix(head, typed), state.session, index);
  const call: OpenCall = { kind: 'call', id, place: writeItemFields(id, index), head, typed, text: '' };
  state.item = call;
  // What a typed call asks for is known only when its arguments are complete.
  if (typed === undefined) writeAdded(state, callItem(call, 'in_progress'));
}

function writeItemFields(id: string, index: number): string {
  return `,"item_id":"${id}","output_index":${index}`;
}

export function pushDelta(state: EncoderState, event: Extract<HubEvent, { kind: 'delta' }>): void {
  const { item } = state;
  if (item === undefined || event.text === '') return;
  if (item.kind === 'message') pushWords(state, item, event);
  else if (item.kind === 'reasoning') pushReasoning(state, item, event.text);
  else pushArguments(state, item, event.text);
}

function pushWords(
  state: EncoderState,
  item: OpenMessage,
  event: Extract<HubEvent, { kind: 'delta' }>,
): void {
  const { part } = item;
  if (part === undefined) return;
  const quoted = JSON.stringify(event.text);
  part.text += event.text;
  part.quoted += quoted.slice(1, -1);
  const delta = `${part.place},"delta":${quoted}`;
  if (part.kind === 'refusal') {
    write(state, 'response.refusal.delta', delta);
    return;
  }
  const { logprobs } = event;
  if (logprobs !== undefined) part.logprobs.push(...logprobs);
  const logprobsText = logprobs === undefined ? '[]' : writeJson(logprobs.map(encodeLogprob));
  write(state, 'response.output_text.delta', `${delta},"logprobs":${logprobsText}`);
}

function pushReasoning(state: EncoderState, item: OpenReasoning, text: string): void {
  if (item.text === '') {
    announceReasoning(state, item, undefined);
    const part = ',"summary_index":0,"part":{"type":"summary_text","text":""}';
    write(state, 'response.reasoning_summary_part.added', item.place + part);
  }
  item.text += text;
  const delta = `${item.place},"summary_index":0,"delta":${JSON.stringify(text)}`;
  write(state, 'response.reasoning_summary_text.delta', delta);
}

/** With its vendor's own id if that is known in time: the ciphertext is bound to it. */
function announceReasoning(state: EncoderState, item: OpenReasoning, nativeId: string | undefined): void {
  const index = state.items.length;
  item.id = nativeId ?? itemId('rs', state.session, index);
  item.place = writeItemFields(item.id, index);
  writeAdded(state, reasoningItem(item.id, '', undefined));
}

function pushArguments(state: EncoderState, item: OpenCall, text: string): void {
  item.text += text;
  if (item.typed !== undefined) return;
  const type = item.head.custom
    ? 'response.custom_tool_call_input.delta'
    : 'response.function_call_arguments.delta';
  write(state, type, `${item.place},"delta":${JSON.stringify(text)}`);
}

/** The open part ends. A message stays open, because more text may follow. */
export function closePart(state: EncoderState): void {
  if (state.item?.kind === 'message') closeWords(state, state.item);
  else closeItem(state, 'completed');
}

export function closeItem(state: EncoderState, status: ItemStatus): void {
  const { item } = state;
  if (item === undefined) return;
  state.item = undefined;
  if (item.kind === 'message') {
    closeWords(state, item);
    writeDone(state, messageItem(item.id, item.content, status));
  } else if (item.kind === 'call') closeCall(state, item, status);
  else closeReasoning(state, item);
}

function closeWords(state: EncoderState, message: OpenMessage): void {
  const { part } = message;
  if (part === undefined) return;
  message.part = undefined;
  const { place, text } = part;
  const quoted = state.longTexts.keep(`"${part.quoted}"`);
  const content = toContent(part, quoted);
  for (const [index, citation] of part.citations.entries()) {
    const annotationText = writeJson(annotation(citation, text.length));
    const fields = `${place},"annotation_index":${index},"annotation":${annotationText}`;
    write(state, 'response.output_text.annotation.added', fields);
  }
  if (part.kind === 'text') {
    const logprobs = writeJson(part.logprobs.map(encodeLogprob));
    const fields = `${place},"text":${quoted.text},"logprobs":${logprobs}`;
    write(state, 'response.output_text.done', fields);
  } else write(state, 'response.refusal.done', `${place},"refusal":${quoted.text}`);
  write(state, 'response.content_part.done', `${place},"part":${content.text}`);
  message.content.push(content);
}

function toContent(part: OpenWords, text: RawJson): RawJson {
  const content = part.kind === 'text' ? textContent(part) : refusalContent(part.text);
  return new RawJson(writeJson({ ...content, [part.kind]: text }));
}

function closeCall(state: EncoderState, call: OpenCall, status: ItemStatus): void {
  const { head, typed } = call;
  if (call.text === '' && !head.custom) pushArguments(state, call, '{}');
  if (typed !== undefined) {
    writeAdded(state, callItem(call, 'in_progress'));
  } else if (head.custom) {
    const fields = `${call.place},"input":${JSON.stringify(call.text)}`;
    write(state, 'response.custom_tool_call_input.done', fields);
  } else {
    const fields = `${call.place},"name":${JSON.stringify(head.name)},"arguments":${JSON.stringify(call.text)}`;
    write(state, 'response.function_call_arguments.done', fields);
  }
  writeDone(state, callItem(call, status));
}

function closeReasoning(state: EncoderState, item: OpenReasoning): void {
  const { signature, text } = item;
  if (text === '' && signature === undefined) return;
  const native = signature !== undefined && isNative(signature, state.session) ? signature.itemId : undefined;
  if (text === '') announceReasoning(state, item, native);
  else {
    const quoted = JSON.stringify(text);
    const fields = `${item.place},"summary_index":0`;
    write(state, 'response.reasoning_summary_text.done', `${fields},"text":${quoted}`);
    const part = `{"type":"summary_text","text":${quoted}}`;
    write(state, 'response.reasoning_summary_part.done', `${fields},"part":${part}`);
  }
  const encrypted = signature === undefined ? undefined : sealSignature(signature, state.session, item.id);
  writeDone(state, reasoningItem(item.id, text, encrypted));
}

function writeAdded(state: EncoderState, item: JsonObject): void {
  write(
    state,
    'response.output_item.added',
    `,"output_index":${state.items.length},"item":${writeJson(item)}`,
  );
}

function writeDone(state: EncoderState, item: JsonValue): void {
  const written = new RawJson(writeJson(item));
  write(state, 'response.output_item.done', `,"output_index":${state.items.length},"item":${written.text}`);
  state.items.push(written);
}

function writeWhole(state: EncoderState, item: JsonValue): void {
  const fields = `,"output_index":${state.items.length},"item":${writeJson(item)}`;
  write(state, 'response.output_item.added', fields);
  writeDone(state, item);
}
