import { INTERLEAVED_EVENTS_MAX } from '../../../bounds.ts';
import type { Session } from '../../hub/codec.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import type { Emit, PartHead } from '../../hub/event.ts';
import { newText, type TextSoFar } from './text-so-far.ts';

/** The state of a stream. One item is open at a time; events of later ones wait until it is done. */
export interface DecoderState {
  readonly session: Session;
  readonly emit: Emit;
  isStarted: boolean;
  /** The terminator or an error has passed: later events are ignored. */
  isOver: boolean;
  /** In the order in which they began, which is the order in which they are emitted. */
  readonly items: ItemState[];
  /** How many of them were opened. */
  turns: number;
  open: ItemState | undefined;
  /** The newest item of an id, and the newest at a place in the output. Vendors repeat and confuse both. */
  readonly byId: Map<string, ItemState>;
  readonly byPlace: Map<number, ItemState>;
  /** The number of events that wait for their item. */
  heldCount: number;
  isReplaying: boolean;
  hasCall: boolean;
  hasRefusal: boolean;
}

/** One item of the output while its events arrive. */
export interface ItemState {
  readonly id: string;
  /** `undefined` until the vendor sends it. */
  place: number | undefined;
  /** The vendor sends the deltas of this item with another place than its announcement. */
  isMisplaced: boolean;
  type: string;
  callId: string;
  /** The announced item; `undefined` if it was not announced or is done. */
  announced: JsonObject | undefined;
  stage: 'waiting' | 'open' | 'done';
  held: JsonObject[];
  isPartOpen: boolean;
  isCallOpen: boolean;
  /** Reasoning comes as a summary or in full. The first that comes counts. */
  reasoning: 'summary' | 'content' | undefined;
  /** The parts of a message or of reasoning: the last, the newest at each place, and their number. */
  part: PartState | undefined;
  readonly parts: Map<number, PartState>;
  partCount: number;
  /** All text that was emitted. */
  readonly text: TextSoFar;
}

/** The state of one part. */
export interface PartState {
  readonly kind: 'text' | 'refusal' | 'reasoning';
  /** `undefined` until the vendor sends it. */
  place: number | undefined;
  readonly text: TextSoFar;
  /** The vendor has sent all of it: whatever follows at its place is another part. */
  isComplete: boolean;
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
    text: newText(),
  };
}

/** Adds an item. `undefined` if there are more items than any answer has. */
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

/** Keeps only what is needed to recognise an item that is done. */
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
