import type { Emit, PartHead } from '../hub/event.ts';
import type { JsonObject } from '../hub/json.ts';
import type { Session } from '../hub/spoke.ts';

/** Where a stream is. One item is open at a time; events of others wait until it is done. */
export interface DecoderState {
  readonly session: Session;
  readonly emit: Emit;
  isStarted: boolean;
  /** The terminator passed by, or an error: nothing counts any more. */
  isOver: boolean;
  item: ItemState | undefined;
  readonly doneIndexes: Set<number>;
  /** Events of later items, by their place in the output. */
  readonly held: Map<number, JsonObject[]>;
  heldCount: number;
  isReplaying: boolean;
  hasCall: boolean;
  hasRefusal: boolean;
}

/** One item of the output while its events come. */
export interface ItemState {
  readonly index: number;
  /** As it was announced; empty when it was not. */
  readonly announced: JsonObject;
  isPartOpen: boolean;
  /** The content part (or summary) the deltas belong to; -1 before the first. */
  partIndex: number;
  /** Reasoning is told as a summary or as it is; the first that comes counts. */
  reasoning: 'summary' | 'content' | undefined;
  isCallOpen: boolean;
  /** Characters sent of the call or of all reasoning. */
  chars: number;
  /** What was sent of each part of a message. */
  readonly sent: Map<number, { chars: number; citations: number }>;
}

export function createItem(index: number, announced: JsonObject): ItemState {
  return {
    index,
    announced,
    isPartOpen: false,
    partIndex: -1,
    reasoning: undefined,
    isCallOpen: false,
    chars: 0,
    sent: new Map(),
  };
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
