import { INTERLEAVED_EVENTS_MAX } from '../../../bounds.ts';
import type { Session, StreamDecoder } from '../../hub/codec.ts';
import { isObject, type JsonObject } from '../../hub/content/json.ts';
import type { Emit } from '../../hub/event.ts';
import type { Figures } from '../../meter/usage-report.ts';
import { listObjects, objectOrEmpty, textOrEmpty } from '../fields.ts';
import { decodeUsage } from '../usage.ts';
import { toAnswerError, toFinish } from './answer.ts';
import { finishItem, ITEM_HANDLERS, startItem } from './stream-item.ts';
import { findOwner, ITEM_ADDED, ITEM_DONE, matchItems } from './stream-items.ts';
import { createItem, type DecoderState, endItem, type ItemState } from './stream-state.ts';

type Handler = (state: DecoderState, event: JsonObject, figures?: Figures) => void;

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['response.completed', conclude],
  ['response.incomplete', conclude],
  ['response.failed', fail],
  ['error', fail],
]);

export function createDecoder(session: Session, emit: Emit): StreamDecoder {
  const state: DecoderState = {
    session,
    emit,
    isStarted: false,
    isOver: false,
    items: [],
    turns: 0,
    open: undefined,
    byId: new Map(),
    byPlace: new Map(),
    heldCount: 0,
    isReplaying: false,
    hasCall: false,
    hasRefusal: false,
  };
  return {
    push: (event, figures) => push(state, event, figures),
    finish: () => {
      if (!state.isOver) conclude(state, {});
    },
  };
}

function push(state: DecoderState, event: JsonObject, figures?: Figures): void {
  if (state.isOver) return;
  const type = textOrEmpty(event.type);
  if (!state.isStarted) start(state, event);
  if (ITEM_HANDLERS.has(type) || type === ITEM_ADDED || type === ITEM_DONE) {
    take(state, event, type);
    return;
  }
  const handle = HANDLERS.get(type);
  if (handle !== undefined) handle(state, event, figures);
  // Some vendors send an error in place of an event.
  else if (isObject(event.error)) fail(state, event);
}

function start(state: DecoderState, event: JsonObject): void {
  state.isStarted = true;
  const id = textOrEmpty(objectOrEmpty(event.response).id);
  state.emit({ kind: 'start', id: id === '' ? undefined : id, usage: undefined });
}

/** Handles an event of an item, or keeps it until the item is open. */
function take(state: DecoderState, event: JsonObject, type: string): void {
  const item = findOwner(state, event, type);
  if (item === 'none') return;
  if (item === 'too-many' || (item.stage === 'waiting' && state.heldCount >= INTERLEAVED_EVENTS_MAX)) {
    fail(state, { error: { message: 'the vendor mixed up the items of its answer' } });
    return;
  }
  if (item.stage === 'waiting') {
    item.held.push(event);
    state.heldCount++;
  } else handleItem(state, item, event);
}

function handleItem(state: DecoderState, item: ItemState, event: JsonObject): void {
  const type = textOrEmpty(event.type);
  if (type === ITEM_ADDED) startItem(state, item);
  else if (type === ITEM_DONE) {
    finishItem(state, item, objectOrEmpty(event.item));
    closeItem(state, item);
  } else ITEM_HANDLERS.get(type)?.handle(state, item, event);
}

/** The item is done; the next waiting items are opened. */
function closeItem(state: DecoderState, item: ItemState): void {
  endItem(item);
  state.open = undefined;
  if (!state.isReplaying) replay(state);
}

/** Item by item in the order in which they began, as long as each of them is complete. */
function replay(state: DecoderState): void {
  state.isReplaying = true;
  while (state.open === undefined && state.turns < state.items.length) {
    const item = state.items[state.turns++] as ItemState;
    const events = item.held;
    item.stage = 'open';
    item.held = [];
    state.open = item;
    state.heldCount -= events.length;
    for (const event of events) if (state.open === item) handleItem(state, item, event);
  }
  state.isReplaying = false;
}

/** The end. Items that were never closed, or are only in the last event, are emitted. */
function conclude(state: DecoderState, event: JsonObject, figures?: Figures): void {
  if (!state.isStarted) start(state, event);
  const response = objectOrEmpty(event.response);
  const { known, added } = matchItems(state.items, listObjects(response.output));
  while (state.open !== undefined) {
    finishItem(state, state.open, known.get(state.open) ?? {});
    closeItem(state, state.open);
  }
  for (const item of added) finishItem(state, createItem({ id: '', place: undefined, type: '' }), item);
  const usage = decodeUsage(figures);
  if (usage !== undefined) state.emit({ kind: 'usage', usage });
  const status = event.type === 'response.incomplete' ? 'incomplete' : response.status;
  const seen = { tool: state.hasCall, refusal: state.hasRefusal };
  state.emit({ kind: 'finish', choice: 0, finish: toFinish({ ...response, status }, seen) });
  state.emit({ kind: 'end' });
  state.isOver = true;
}

/** `error` is flat or nested. A failed response has it inside. */
function fail(state: DecoderState, event: JsonObject): void {
  const inner = event.error ?? objectOrEmpty(event.response).error;
  const error = isObject(inner) ? inner : event;
  state.isOver = true;
  // The type of a flat event is `error`, which carries no information.
  const details = error === event ? { ...event, type: undefined } : error;
  state.emit({ kind: 'error', error: toAnswerError(details) });
}
