import { sha256Hex } from '../../kernel/hash.ts';
import { type JsonObject, type JsonValue, readJson } from '../hub/json.ts';
import type { KeptResponse } from './kept-response.ts';
import { responsesSpoke } from './spoke.ts';

export interface ListQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The list goes on behind this item. */
  readonly after: string | undefined;
}

const ID_LENGTH = 48;
const PREFIXES: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['function_call_output', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['custom_tool_call_output', 'ctc'],
  ['reasoning', 'rs'],
]);

/** One page of what a response was an answer to. Nothing when `after` is none of its items. */
export function listInputItems(id: string, kept: KeptResponse, query: ListQuery): JsonObject | undefined {
  const items = kept.input.flatMap((bytes, index) => {
    const item = readJson(bytes.toString('utf8'), responsesSpoke.rawKeys);
    return item === undefined ? [] : [completeItem(item, `${id} ${index}`)];
  });
  const ordered = query.order === 'asc' ? items : items.toReversed();
  const start = query.after === undefined ? 0 : ordered.findIndex((item) => item.id === query.after) + 1;
  if (query.after !== undefined && start === 0) return undefined;
  const data = ordered.slice(start, start + query.limit);
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < ordered.length,
  };
}

/** Clients may write less than a list shows: no id, no type, a text instead of parts. */
function completeItem(item: JsonObject, place: string): JsonObject {
  const type = item.type ?? 'message';
  const id = item.id ?? `${PREFIXES.get(type) ?? 'item'}_${sha256Hex(place).slice(0, ID_LENGTH)}`;
  const complete = { ...item, id, type };
  if (type !== 'message' || typeof item.content !== 'string') return complete;
  const part = item.role === 'assistant' ? 'output_text' : 'input_text';
  const status = item.status ?? 'completed';
  return { ...complete, status, content: [{ type: part, text: item.content }] };
}
