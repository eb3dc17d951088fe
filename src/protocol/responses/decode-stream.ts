import { INTERLEAVED_EVENTS_MAX } from '../../bounds.ts';
import type { Emit } from '../hub/event.ts';
import { isObject, type JsonObject } from '../hub/json.ts';
import type { Session, StreamDecoder } from '../hub/spoke.ts';
import { decodeUsage } from './convert-usage.ts';
import { finishOf, toAnswerError } from './decode-answer.ts';
import { finishItem, ITEM_HANDLERS, startItem } from './decode-stream-item.ts';
import { createItem, type DecoderState, type ItemState } from './decoder-state.ts';
import { objectOf, objectsOf, textOf } from './read.ts';

type Handler = (state: DecoderState, event: JsonObject) => void;

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['response.completed', conclude],
  ['response.incomplete', conclude],
  ['response.failed', fail],
  ['error', fail],
  ['keepalive', (state) => state.emit({ kind: 'ping' })],
  ['response.output_item.added', onItemAdded],
  ['response.output_item.done', onItemDone],
]);

export function createDecoder(session: Session, emit: Emit): StreamDecoder {
  const state: DecoderState = {
    session,
    emit,
    isStarted: false,
    isOver: false,
    item: undefined,
    doneIndexes: new Set(),
    held: new Map(),
    heldCount: 0,
    isReplaying: false,
    hasCall: false,
    hasRefusal: false,
  };
  return {
    push: (event) => push(state, event),
    finish: () => {
      if (!state.isOver) conclude(state, {});
    },
  };
}

function push(state: DecoderState, event: JsonObject): void {
  if (state.isOver) return;
  const type = textOf(event.type);
  if (!state.isStarted) start(state, event);
  const handleItem = ITEM_HANDLERS.get(type);
  if (handleItem !== undefined) {
    if (!isHeld(state, event)) handleItem(state, itemOf(state, event), event);
    return;
  }
  const handle = HANDLERS.get(type);
  if (handle !== undefined) handle(state, event);
  // Some vendors put an error where an event should be.
  else if (isObject(event.error)) fail(state, event);
}

function start(state: DecoderState, event: JsonObject): void {
  state.isStarted = true;
  const id = textOf(objectOf(event.response).id);
  state.emit({ kind: 'start', id: id === '' ? undefined : id, usage: undefined });
}

/** Keyed by the place in the output: one vendor gives every event of an item another id. */
function indexOf(event: JsonObject): number | undefined {
  return typeof event.output_index === 'number' ? event.output_index : undefined;
}

/** True: the event waits for its item's turn, or belongs to one that is done. */
function isHeld(state: DecoderState, event: JsonObject): boolean {
  const index = indexOf(event);
  if (index === undefined || state.item?.index === index) return false;
  if (state.doneIndexes.has(index)) return true;
  if (state.item === undefined) return false;
  if (state.heldCount >= INTERLEAVED_EVENTS_MAX) {
    fail(state, { error: { message: 'the vendor mixes the items of its answer' } });
    return true;
  }
  const waiting = state.held.get(index);
  if (waiting === undefined) state.held.set(index, [event]);
  else waiting.push(event);
  state.heldCount++;
  return true;
}

/** The open item; one that was never announced opens with its first event. */
function itemOf(state: DecoderState, event: JsonObject): ItemState {
  state.item ??= createItem(indexOf(event) ?? state.doneIndexes.size, {});
  return state.item;
}

function onItemAdded(state: DecoderState, event: JsonObject): void {
  if (isHeld(state, event) || state.item !== undefined) return;
  state.item = createItem(indexOf(event) ?? state.doneIndexes.size, objectOf(event.item));
  startItem(state, state.item);
}

function onItemDone(state: DecoderState, event: JsonObject): void {
  if (isHeld(state, event)) return;
  finishItem(state, itemOf(state, event), objectOf(event.item));
  closeItem(state);
}

/** The item is done; what came for others meanwhile has its turn. */
function closeItem(state: DecoderState): void {
  if (state.item === undefined) return;
  state.doneIndexes.add(state.item.index);
  state.item = undefined;
  if (!state.isReplaying) replay(state);
}

/** Item by item in the order in which they were announced, as long as each of them is complete. */
function replay(state: DecoderState): void {
  state.isReplaying = true;
  for (const [index, events] of state.held) {
    if (state.item !== undefined) break;
    state.held.delete(index);
    state.heldCount -= events.length;
    for (const event of events) push(state, event);
  }
  state.isReplaying = false;
}

/** The end. Items that were never closed, or that only the last event shows, are made good for. */
function conclude(state: DecoderState, event: JsonObject): void {
  if (!state.isStarted) start(state, event);
  const response = objectOf(event.response);
  const items = objectsOf(response.output);
  while (state.item !== undefined) {
    finishItem(state, state.item, items[state.item.index] ?? {});
    closeItem(state);
  }
  if (state.isOver) return;
  if (state.doneIndexes.size === 0) {
    for (const [index, item] of items.entries()) finishItem(state, createItem(index, {}), item);
  }
  const usage = decodeUsage(response.usage);
  if (usage !== undefined) state.emit({ kind: 'usage', usage });
  const status = event.type === 'response.incomplete' ? 'incomplete' : response.status;
  const seen = { tool: state.hasCall, refusal: state.hasRefusal };
  state.emit({ kind: 'finish', choice: 0, finish: finishOf({ ...response, status }, seen) });
  state.emit({ kind: 'end' });
  state.isOver = true;
}

/** `error` is flat or nested; a response that failed carries it inside. */
function fail(state: DecoderState, event: JsonObject): void {
  const inner = event.error ?? objectOf(event.response).error;
  const error = isObject(inner) ? inner : event;
  state.isOver = true;
  state.held.clear();
  // The type of a flat event is `error`, which says nothing.
  const told = error === event ? { ...event, type: undefined } : error;
  state.emit({ kind: 'error', error: toAnswerError(told) });
}
