import type { JsonObject } from '../../hub/content/json.ts';
import { findNumber, listObjects, objectOrEmpty, textOrEmpty } from '../fields.ts';
import { callArguments } from './answer.ts';
import { reasoningText } from './reasoning.ts';
import { ITEM_HANDLERS } from './stream-item.ts';
import { beginItem, type DecoderState, type ItemSeed, type ItemState } from './stream-state.ts';
import { findRest, newText, note } from './text-so-far.ts';

export const ITEM_ADDED = 'response.output_item.added';
export const ITEM_DONE = 'response.output_item.done';
const DELTA = '.delta';

/** `none`: the event repeats something or comes too late. `too-many`: more items than any answer has. */
type Owner = ItemState | 'none' | 'too-many';

/** What an event says about the item that it belongs to. */
interface EventInfo extends ItemSeed {
  readonly event: string;
  /** The final form of the item, if the event has it. */
  readonly final: JsonObject | undefined;
}

/**
 * The item that an event belongs to; it begins here if it does not exist. Vendors identify it by its id and
 * by its place in the output, and not all of them get both right: one gives every event of an item another
 * id, others count places from one, give all items the same place, or none.
 */
export function findOwner(state: DecoderState, event: JsonObject, type: string): Owner {
  const place = findNumber(event.output_index);
  if (type === ITEM_ADDED) return announce(state, objectOrEmpty(event.item), place);
  const final = type === ITEM_DONE ? objectOrEmpty(event.item) : undefined;
  const id = textOrEmpty(final === undefined ? event.item_id : final.id);
  const kind = final === undefined ? ITEM_HANDLERS.get(type)?.of : textOrEmpty(final.type);
  const info: EventInfo = { id, place, type: kind ?? '', event: type, final };
  const found = find(state, info) ?? adopt(state, info);
  if (found === undefined) return isNameless(info) ? 'none' : begin(state, info);
  if (found.stage === 'done') return isAnother(found, info) ? begin(state, info) : 'none';
  // The end of an item may come twice, with an id that only its end has.
  if (final !== undefined && id !== '') state.byId.set(id, found);
  return found;
}

function begin(state: DecoderState, seed: ItemSeed): Owner {
  return beginItem(state, seed) ?? 'too-many';
}

function find(state: DecoderState, { id, place }: ItemSeed): ItemState | undefined {
  const placed = place === undefined ? undefined : state.byPlace.get(place);
  const named = id === '' ? undefined : state.byId.get(id);
  return placed?.id === id ? placed : (named ?? placed);
}

/** An event without a known owner belongs to the open item, if that is likely. */
function adopt(state: DecoderState, info: EventInfo): ItemState | undefined {
  const { open } = state;
  const { place } = info;
  if (open === undefined) return undefined;
  if (place === undefined) return isOthers(open, info) ? undefined : open;
  const isUnplaced = open.place === undefined;
  if (!isUnplaced && !isMisplaced(open, info)) return undefined;
  if (isUnplaced) open.place = place;
  else open.isMisplaced = true;
  state.byPlace.set(place, open);
  return open;
}

/** By its id alone, without an announcement: it belongs to another item, unless it ends the open one. */
function isOthers(open: ItemState, { id, final }: EventInfo): boolean {
  if (id === '' || open.id === '' || open.announced !== undefined) return false;
  return final === undefined || findRest(open.text, wholeText(final)) === undefined;
}

/** The open item was announced at another place than its text. */
function isMisplaced(open: ItemState, { type, final }: EventInfo): boolean {
  const isFit = open.announced !== undefined && open.type === type && open.text.chars === 0;
  return isFit && final === undefined && !open.isMisplaced;
}

/** Without id and place, only an event with certainly new content begins an item. */
function isNameless({ id, place, event, final }: EventInfo): boolean {
  return id === '' && place === undefined && final === undefined && !event.endsWith(DELTA);
}

/** Whether an event at the place of a finished item is about another one. */
function isAnother(done: ItemState, { id, event, final }: EventInfo): boolean {
  if (id !== '') return done.id !== id && (final !== undefined || event.endsWith(DELTA));
  if (final === undefined) return false;
  return textOrEmpty(final.call_id) !== done.callId || findRest(done.text, wholeText(final)) !== '';
}

/** Every announcement is a new item, unless it repeats one or follows its first text. */
function announce(state: DecoderState, item: JsonObject, place: number | undefined): Owner {
  const seed = { id: textOrEmpty(item.id), place, type: textOrEmpty(item.type), announced: item };
  const known = find(state, seed);
  if (known === undefined || known.stage === 'done') return begin(state, seed);
  if (known.announced !== undefined) return isRepeated(known, seed) ? 'none' : begin(state, seed);
  known.announced = item;
  known.type = seed.type;
  return known;
}

function isRepeated(known: ItemState, seed: ItemSeed): boolean {
  if (known.id !== seed.id || known.place !== seed.place) return false;
  return seed.id !== '' || (known.text.chars === 0 && known.type === seed.type);
}

/** All text of an item, in its order. */
function wholeText(item: JsonObject): string {
  if (item.type === 'reasoning') return reasoningText(item);
  if (item.type === 'function_call') return callArguments(item);
  if (item.type === 'custom_tool_call') return textOrEmpty(item.input);
  return listObjects(item.content)
    .map((part) => (part.type === 'refusal' ? textOrEmpty(part.refusal) : textOrEmpty(part.text)))
    .join('');
}

/** How items of the whole answer are recognised: by id, by their text, and last by their type. */
const KEYS: readonly {
  readonly seen: (item: ItemState) => string;
  readonly final: (item: JsonObject) => string;
}[] = [
  { seen: ({ id }) => id, final: ({ id }) => textOrEmpty(id) },
  { seen: ({ callId }) => callId, final: ({ call_id: id }) => textOrEmpty(id) },
  {
    seen: ({ type, text }) => `${type} ${text.chars} ${text.print}`,
    final: (item) => {
      const text = newText();
      note(text, wholeText(item));
      return `${textOrEmpty(item.type)} ${text.chars} ${text.print}`;
    },
  },
  { seen: ({ type }) => type, final: ({ type }) => textOrEmpty(type) },
];

/** The answer's items in its last event: those that were seen before, and those that are new. */
export function matchItems(
  seen: readonly ItemState[],
  final: readonly JsonObject[],
): { readonly known: ReadonlyMap<ItemState, JsonObject>; readonly added: readonly JsonObject[] } {
  const known = new Map<ItemState, JsonObject>();
  const found = new Map<JsonObject, ItemState>();
  for (const { seen: seenKey, final: finalKey } of KEYS) {
    const waiting = new Map<string, ItemState[]>();
    for (const item of seen.toReversed()) {
      const key = seenKey(item);
      if (key === '' || known.has(item)) continue;
      const others = waiting.get(key);
      if (others === undefined) waiting.set(key, [item]);
      else others.push(item);
    }
    for (const one of final) {
      const item = found.has(one) ? undefined : waiting.get(finalKey(one))?.pop();
      if (item === undefined) continue;
      known.set(item, one);
      found.set(one, item);
    }
  }
  const isNew = (item: ItemState | undefined): boolean => item === undefined || isEmptyMessage(item);
  return { known, added: final.filter((one) => isNew(found.get(one))) };
}

/** A message that ended without its text. */
function isEmptyMessage({ stage, type, text }: ItemState): boolean {
  return stage === 'done' && type === 'message' && text.chars === 0;
}
