import { sha256Hex } from '../../../kernel/encoding/hash.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { Skimmer } from '../../bytes/skim.ts';
import { NOTHING } from '../../bytes/splitter.ts';
import { decodeText } from '../../bytes/text.ts';
import {
  type JsonObject,
  type JsonValue,
  RawJson,
  readJson,
  type ValueBudget,
} from '../../hub/content/json.ts';
import { wholeBudget } from '../../hub/content/value-budget.ts';
import { responsesCodec } from '../codec.ts';
import type { StoredResponse } from './kept-response.ts';

export interface ListQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The list continues after this item. */
  readonly after: string | undefined;
}

const DIGEST_LENGTH = 40;
const INDEX_LENGTH = 8;
const ITEM = compilePaths({ id: 'id', type: 'type' });
const skimmer = new Skimmer(ITEM);
const PREFIXES: ReadonlyMap<string | undefined, string> = new Map([
  [undefined, 'msg'],
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['function_call_output', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['custom_tool_call_output', 'ctc'],
  ['reasoning', 'rs'],
]);

/** One page of a response's input. `undefined` if `after` is not one of its items. */
export function listInputItems(id: string, kept: StoredResponse, query: ListQuery): JsonObject | undefined {
  const items = new Items(id, kept.input);
  const { length } = kept.input;
  const afterIndex = query.after === undefined ? undefined : items.find(query.after);
  if (afterIndex === -1) return undefined;
  const isUp = query.order === 'asc';
  const before = isUp ? (afterIndex ?? -1) + 1 : length - (afterIndex ?? length);
  const count = Math.min(query.limit, length - before);
  const page = Array.from({ length: count }, (_, place) =>
    isUp ? before + place : length - 1 - before - place,
  );
  const [first, last] = [page.at(0), page.at(-1)];
  const budget = wholeBudget();
  return {
    object: 'list',
    data: page.map((index) => items.complete(index, budget)),
    first_id: first === undefined ? null : items.idAt(first),
    last_id: last === undefined ? null : items.idAt(last),
    has_more: before + count < length,
  };
}

/** A long conversation has thousands of items: only the requested ones are parsed. */
class Items {
  readonly #items: readonly Buffer[];
  /** Most items have no id. Ours is made from the response and the item's place in it. */
  readonly #digest: string;

  constructor(responseId: string, items: readonly Buffer[]) {
    this.#items = items;
    this.#digest = sha256Hex(responseId).slice(0, DIGEST_LENGTH);
  }

  idAt(index: number): string {
    const bytes = this.#items[index] ?? NOTHING;
    skimmer.run(bytes, 0, bytes.length);
    const prefix = PREFIXES.get(textAt(bytes, ITEM.slots.type)) ?? 'item';
    const place = index.toString(16).padStart(INDEX_LENGTH, '0');
    return textAt(bytes, ITEM.slots.id) ?? `${prefix}_${this.#digest}${place}`;
  }

  /** -1 if it is not one of them. */
  find(id: string): number {
    const place = Number.parseInt(id.slice(-INDEX_LENGTH), 16);
    if (this.#items[place] !== undefined && this.idAt(place) === id) return place;
    return this.#items.findIndex((_item, index) => this.idAt(index) === id);
  }

  complete(index: number, budget: ValueBudget): JsonValue {
    const text = (this.#items[index] ?? NOTHING).toString('utf8');
    const item = readJson(text, responsesCodec.rawKeys, budget);
    // An item that would take too long to parse is returned unchanged.
    return item === undefined ? new RawJson(text) : completeItem(item, this.idAt(index));
  }
}

function textAt(bytes: Buffer, slot: number): string | undefined {
  const start = skimmer.starts[slot] as number;
  if (start < 0 || bytes[start] !== QUOTE) return undefined;
  return decodeText(bytes, start + 1, (skimmer.ends[slot] as number) - 1);
}

/** Clients may write less than a list shows: no id, no type, a text instead of parts. */
function completeItem(item: JsonObject, id: string): JsonObject {
  const type = item.type ?? 'message';
  const complete = { ...item, id, type };
  if (type !== 'message' || typeof item.content !== 'string') return complete;
  const part = item.role === 'assistant' ? 'output_text' : 'input_text';
  const status = item.status ?? 'completed';
  return { ...complete, status, content: [{ type: part, text: item.content }] };
}
