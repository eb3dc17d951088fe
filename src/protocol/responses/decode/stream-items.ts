import type { JsonObject } from '../../hub/content/json.ts';
import { findNumber, listObjects, objectOrEmpty, textOrEmpty } from '../fields.ts';
import { callArguments } from './answer.ts';
import { reasoningText } from './reasoning.ts';
import { ITEM_HANDLERS } from './stream-item.ts';
import { beginItem, type DecoderState, type ItemSeed, type ItemState } from './stream-state.ts';
import { findRest, note, nothingSaid } from './text-so-far.ts';

export const ITEM_ADDED = 'response.output_item.added';
export const ITEM_DONE = 'response.output_item.done';
const DELTA = '.delta';

/** Of no item (the event repeats something, or comes too late), or of one more than any answer has. */
type Owner = ItemState | 'nobody' | 'too-many';

/** What an event says of the item that it belongs to. */
interface Clue extends ItemSeed {
  readonly event: string;
  /** The item as it is in the end, where the event tells that. */
  readonly final: JsonObject | undefined;
}

/**
 * The item that an event belongs to, which begins here if it is not there. Vendors name it by its id and by
 * its place in the output, and not all of them get both right: one gives every event of an item another id,
 * others count places from one, give the same place to all items, or none.
 */
export function findOwner(state: DecoderState, event: JsonObject, type: string): Owner {
  const place = findNumber(event.output_index);
  if (type === ITEM_ADDED) return announce(state, objectOrEmpty(event.item), place);
  const final = type === ITEM_DONE ? objectOrEmpty(event.item) : undefined;
  const id = textOrEmpty(final === undefined ? event.item_id : final.id);
  const kind = final === undefined ? ITEM_HANDLERS.get(type)?.of : textOrEmpty(final.type);
  const clue: Clue = { id, place, type: kind ?? '', event: type, final };
  const found = find(state, clue) ?? adopt(state, clue);
  if (found === undefined) return isNameless(clue) ? 'nobody' : begin(state, clue);
  if (found.stage === 'done') return isAnother(found, clue) ? begin(state, clue) : 'nobody';
  // The end of an item may be told twice, by an id that only its end has.
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

/** What nobody is known by is the open item's where that is likely. */
function adopt(state: DecoderState, clue: Clue): ItemState | undefined {
  const { open } = state;
  const { place } = clue;
  if (open === undefined) return undefined;
  if (place === undefined) return isOthers(open, clue) ? undefined : open;
  const isUnplaced = open.place === undefined;
  if (!isUnplaced && !isMisplaced(open, clue)) return undefined;
  if (isUnplaced) open.place = place;
  else open.isMisplaced = true;
  state.byPlace.set(place, open);
  return open;
}

/** By its id alone, where nothing is announced: another item's, unless it tells how the open one ends. */
function isOthers(open: ItemState, { id, final }: Clue): boolean {
  if (id === '' || open.id === '' || open.announced !== undefined) return false;
  return final === undefined || findRest(open.said, wholeText(final)) === undefined;
}

/** The open item was announced at another place than its words are at. */
function isMisplaced(open: ItemState, { type, final }: Clue): boolean {
  const isFit = open.announced !== undefined && open.type === type && open.said.chars === 0;
  return isFit && final === undefined && !open.isMisplaced;
}

/** Without a name and a place, only what certainly says something new begins an item. */
function isNameless({ id, place, event, final }: Clue): boolean {
  return id === '' && place === undefined && final === undefined && !event.endsWith(DELTA);
}

/** Whether an event at the place of an item that is done is about another one. */
function isAnother(done: ItemState, { id, event, final }: Clue): boolean {
  if (id !== '') return done.id !== id && (final !== undefined || event.endsWith(DELTA));
  if (final === undefined) return false;
  return textOrEmpty(final.call_id) !== done.callId || findRest(done.said, wholeText(final)) !== '';
}

/** Every announcement is an item of its own, unless it repeats one or follows its first words. */
function announce(state: DecoderState, item: JsonObject, place: number | undefined): Owner {
  const seed = { id: textOrEmpty(item.id), place, type: textOrEmpty(item.type), announced: item };
  const known = find(state, seed);
  if (known === undefined || known.stage === 'done') return begin(state, seed);
  if (known.announced !== undefined) return isRepeated(known, seed) ? 'nobody' : begin(state, seed);
  known.announced = item;
  known.type = seed.type;
  return known;
}

function isRepeated(known: ItemState, seed: ItemSeed): boolean {
  if (known.id !== seed.id || known.place !== seed.place) return false;
  return seed.id !== '' || (known.said.chars === 0 && known.type === seed.type);
}

/** All that an item says, in the order in which it is told. */
function wholeText(item: JsonObject): string {
  if (item.type === 'reasoning') return reasoningText(item);
  if (item.type === 'function_call') return callArguments(item);
  if (item.type === 'custom_tool_call') return textOrEmpty(item.input);
  return listObjects(item.content)
    .map((part) => (part.type === 'refusal' ? textOrEmpty(part.refusal) : textOrEmpty(part.text)))
    .join('');
}

/** How items of the whole answer are known again: by names, by all their words, at last by their kind. */
const KEYS: readonly {
  readonly seen: (item: ItemState) => string;
  readonly told: (item: JsonObject) => string;
}[] = [
  { seen: ({ id }) => id, told: ({ id }) => textOrEmpty(id) },
  { seen: ({ callId }) => callId, told: ({ call_id: id }) => textOrEmpty(id) },
  {
    seen: ({ type, said }) => `${type} ${said.chars} ${said.print}`,
    told: (item) => {
      const said = nothingSaid();
      note(said, wholeText(item));
      return `${textOrEmpty(item.type)} ${said.chars} ${said.print}`;
    },
  },
  { seen: ({ type }) => type, told: ({ type }) => textOrEmpty(type) },
];

/** The answer's items as its last event tells them: those that were seen before, and those to be told now. */
export function matchItems(
  seen: readonly ItemState[],
  told: readonly JsonObject[],
): { readonly known: ReadonlyMap<ItemState, JsonObject>; readonly untold: readonly JsonObject[] } {
  const known = new Map<ItemState, JsonObject>();
  const found = new Map<JsonObject, ItemState>();
  for (const { seen: seenKey, told: toldKey } of KEYS) {
    const waiting = new Map<string, ItemState[]>();
    for (const item of seen.toReversed()) {
      const key = seenKey(item);
      if (key === '' || known.has(item)) continue;
      const others = waiting.get(key);
      if (others === undefined) waiting.set(key, [item]);
      else others.push(item);
    }
    for (const one of told) {
      const item = found.has(one) ? undefined : waiting.get(toldKey(one))?.pop();
      if (item === undefined) continue;
      known.set(item, one);
      found.set(one, item);
    }
  }
  const isUntold = (item: ItemState | undefined): boolean => item === undefined || isSilent(item);
  return { known, untold: told.filter((one) => isUntold(found.get(one))) };
}

/** A message that ended without its words. */
function isSilent({ stage, type, said }: ItemState): boolean {
  return stage === 'done' && type === 'message' && said.chars === 0;
}
