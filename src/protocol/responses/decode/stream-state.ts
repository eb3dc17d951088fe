import { INTERLEAVED_EVENTS_MAX } from '../../../bounds.ts';
import type { Session } from '../../hub/codec.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import type { Emit, PartHead } from '../../hub/event.ts';
import { nothingSaid, type TextSoFar } from './text-so-far.ts';

/** Where a stream is. One item is open at a time; events of later ones wait until it is done. */
export interface DecoderState {
  readonly session: Session;
  readonly emit: Emit;
  isStarted: boolean;
  /** The terminator passed by, or an error: nothing counts any more. */
  isOver: boolean;
  /** In the order in which they began, which is the order in which they are told. */
  readonly items: ItemState[];
  /** How many of them had their turn. */
  turns: number;
  open: ItemState | undefined;
  /** The newest item of an id, and the newest at a place in the output. Vendors repeat and confuse both. */
  readonly byId: Map<string, ItemState>;
  readonly byPlace: Map<number, ItemState>;
  /** Events that wait for the turn of their item. */
  heldCount: number;
  isReplaying: boolean;
  hasCall: boolean;
  hasRefusal: boolean;
}

/** One item of the output while its events come. */
export interface ItemState {
  readonly id: string;
  /** Nothing as long as the vendor has not told it. */
  place: number | undefined;
  /** The vendor puts the deltas of this item at another place than its announcement. */
  isMisplaced: boolean;
  type: string;
  callId: string;
  /** As it was announced; nothing when it was not, or when it is done. */
  announced: JsonObject | undefined;
  stage: 'waiting' | 'open' | 'done';
  held: JsonObject[];
  isPartOpen: boolean;
  isCallOpen: boolean;
  /** Reasoning is told as a summary or as it is; the first that comes counts. */
  reasoning: 'summary' | 'content' | undefined;
  /** The parts of a message or of reasoning: the last, the newest at each place, and how many there were. */
  part: PartState | undefined;
  readonly parts: Map<number, PartState>;
  partCount: number;
  /** All that was said of it. */
  readonly said: TextSoFar;
}

/** What was said of one part. */
export interface PartState {
  readonly kind: 'text' | 'refusal' | 'reasoning';
  /** Nothing as long as the vendor has not told it. */
  place: number | undefined;
  readonly said: TextSoFar;
  /** The vendor has told all of it: whatever follows at its place is another one. */
  isTold: boolean;
  citations: number;
}

export interface ItemSeed {
  readonly id: string;
  readonly place: number | undefined;
  readonly type: string;
  readonly announced?: JsonObject;
}

export function createItem(seed: ItemSeed): ItemState {
  return {
    id: seed.id,
    place: seed.place,
    isMisplaced: false,
    type: seed.type,
    callId: '',
    announced: seed.announced,
    stage: 'open',
    held: [],
    isPartOpen: false,
    isCallOpen: false,
    reasoning: undefined,
    part: undefined,
    parts: new Map(),
    partCount: 0,
    said: nothingSaid(),
  };
}

/** Adds an item to those that were seen; nothing when there are more of them than any answer has. */
export function beginItem(state: DecoderState, seed: ItemSeed): ItemState | undefined {
  if (state.items.length >= INTERLEAVED_EVENTS_MAX) return undefined;
  const item = createItem(seed);
  state.items.push(item);
  if (seed.id !== '') state.byId.set(seed.id, item);
  if (seed.place !== undefined) state.byPlace.set(seed.place, item);
  if (state.open === undefined) {
    state.open = item;
    state.turns = state.items.length;
  } else item.stage = 'waiting';
  return item;
}

/** What is left of an item that is done: enough to know it again. */
export function endItem(item: ItemState): void {
  item.stage = 'done';
  item.announced = undefined;
  item.held = [];
  item.part = undefined;
  item.parts.clear();
}

export function openPart(state: DecoderState, item: ItemState, head: PartHead): void {
  closePart(state, item);
  item.isPartOpen = true;
  if (head.kind === 'tool-call') state.hasCall = true;
  if (head.kind === 'refusal') state.hasRefusal = true;
  state.emit({ kind: 'part', choice: 0, head });
}

export function closePart(state: DecoderState, item: ItemState): void {
  if (!item.isPartOpen) return;
  item.isPartOpen = false;
  state.emit({ kind: 'part-end', choice: 0 });
}
