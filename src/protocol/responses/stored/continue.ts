import { joinPieces, nextTurn } from '../../../kernel/async/next-turn.ts';
import { isRefusal, type Refusal, refuse } from '../../../kernel/errors.ts';
import { OPEN_BRACKET, QUOTE } from '../../bytes/ascii.ts';
import { listElements } from '../../bytes/elements.ts';
import { isWord, skipSpace } from '../../bytes/skim.ts';
import { type Edit, splice } from '../../bytes/splice.ts';
import { decodeText } from '../../bytes/text.ts';
import type { ByteRange, MemoryFacts } from '../../dialect.ts';
import { type JsonObject, readJson, type ValueBudget, writeJson } from '../../hub/content/json.ts';
import { tooLarge, wholeBudget } from '../../hub/content/value-budget.ts';
import { responsesCodec } from '../codec.ts';
import { misreadKey } from '../pass-through/references.ts';
import type { StoredResponse } from './kept-response.ts';

/** The stored responses and items that a request refers to. */
export interface WantedHistory {
  readonly previousId: string | undefined;
  readonly conversationId: string | undefined;
  /** Referenced items, with their places in the input. */
  readonly references: readonly { readonly id: string; readonly index: number }[];
}

/** The stored data that was found. If anything is missing, the request is refused. */
export interface FoundHistory {
  /** The response or the conversation that is continued. */
  readonly previous: StoredResponse | undefined;
  readonly items: ReadonlyMap<string, Buffer>;
}

/** One item for a vendor: its raw text, and its parsed form. */
interface Item {
  readonly bytes: Buffer;
  readonly json: JsonObject | undefined;
  readonly origin: 'kept' | 'new';
}

/** A request that is too large to be searched is refused: a missed reference would reach a vendor. */
export async function findWantedHistory(body: Buffer, memory: MemoryFacts): Promise<WantedHistory | Refusal> {
  const previous = memory.previous.findLast(({ start }) => body[start] === QUOTE);
  const conversationId = findConversationId(body, memory);
  if (isRefusal(conversationId)) return conversationId;
  if (previous !== undefined && conversationId !== undefined) return BOTH;
  const items = await newItems(body, memory, wholeBudget());
  if (isRefusal(items)) return items;
  const misread = items.flatMap(({ json = {} }) => Object.keys(json)).find(misreadKey);
  if (misread !== undefined) {
    const message = `The key "${misread}" of an input item may be read as "${misreadKey(misread)}"`;
    return refuse('bodyNotJson', { message });
  }
  const references = items.flatMap(({ json }, index) => {
    const id = findReference(json);
    return id === undefined ? [] : [{ id, index }];
  });
  return {
    previousId: previous === undefined ? undefined : decodeText(body, previous.start + 1, previous.end - 1),
    conversationId,
    references,
  };
}

const BOTH = refuse('notExpressible', {
  message:
    "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Provide only one of them.",
  vendorFields: { type: 'invalid_request_error', param: null, code: 'mutually_exclusive_parameters' },
});

/** An id, or an object with one. */
function findConversationId(body: Buffer, { conversation }: MemoryFacts): string | undefined | Refusal {
  const at = conversation.at(-1);
  if (at === undefined) return undefined;
  if (body[at.start] === QUOTE) return decodeText(body, at.start + 1, at.end - 1);
  const given = at.end - at.start > ID_BYTES_MAX ? undefined : body.toString('utf8', at.start, at.end);
  const id = given === undefined ? undefined : readJson(given, NO_RAW_KEYS)?.id;
  if (typeof id === 'string') return id;
  return refuse('notExpressible', {
    message: 'Invalid type for \'conversation\': expected an id, or an object with an "id".',
    vendorFields: { type: 'invalid_request_error', param: 'conversation', code: 'invalid_type' },
  });
}

const ID_BYTES_MAX = 1024;
const NO_RAW_KEYS: ReadonlySet<string> = new Set();

/**
 * The same request with the whole conversation in it, for any vendor: earlier input, earlier output, then the
 * new input. Instructions are not inherited (rule K-8).
 */
export async function completeBody(
  body: Buffer,
  memory: MemoryFacts,
  { previous, items }: FoundHistory,
): Promise<Buffer | Refusal> {
  const budget = wholeBudget();
  const given = await newItems(body, memory, budget);
  if (isRefusal(given)) return given;
  const earlier = await readItems([...(previous?.input ?? []), ...(previous?.output ?? [])], 'kept', budget);
  const referred = given.map(({ json }) => items.get(findReference(json) ?? ''));
  const recalled = await readItems(
    referred.filter((item) => item !== undefined),
    'kept',
    budget,
  );
  if (budget.left < 0) return tooLarge();
  const fresh = given.flatMap((item, index) => {
    if (findReference(item.json) === undefined) return [item];
    return referred[index] === undefined ? [] : recalled.splice(0, 1);
  });
  const input = await writeItems([...earlier, ...fresh]);
  const edits: Edit[] = memory.inputs.map((at) => ({ at, bytes: input }));
  for (const at of [...memory.previous, ...memory.conversation])
    edits.push({ at, bytes: Buffer.from('null') });
  if (memory.inputs.length === 0) {
    const top = skipSpace(body, 0, body.length) + 1;
    edits.push({ at: { start: top, end: top }, bytes: Buffer.from(`"input":${input},`) });
  }
  return joinPieces(splice(body, edits));
}

/** The new input of a request, item by item, with references replaced by what they refer to. */
export async function listNewItems(
  body: Buffer,
  memory: MemoryFacts,
  items: FoundHistory['items'],
): Promise<readonly Buffer[]> {
  const given = await newItems(body, memory, wholeBudget());
  if (isRefusal(given)) return [];
  // Copies, because views would keep the whole request in memory.
  return given.map(({ bytes, json }) => Buffer.from(items.get(findReference(json) ?? '') ?? bytes));
}

function newItems(
  body: Buffer,
  memory: MemoryFacts,
  budget: ValueBudget,
): Promise<Item[] | Refusal> | Refusal | readonly Item[] {
  const input = memory.inputs.at(-1);
  if (input === undefined || isWord(body, input.start, input.end, 'null')) return [];
  return memory.isTooMuch ? tooLarge() : readItems(splitInput(body, input), 'new', budget);
}

function splitInput(body: Buffer, input: ByteRange): readonly Buffer[] {
  const given = body.subarray(input.start, input.end);
  if (given[0] === OPEN_BRACKET) {
    return listElements(body, input).map(({ start, end }) => body.subarray(start, end));
  }
  // A value that is neither a list nor a text is left for the vendor to reject.
  return [given[0] === QUOTE ? Buffer.concat([MESSAGE_OPEN, given, MESSAGE_CLOSE]) : given];
}

const MESSAGE_OPEN = Buffer.from('{"type":"message","role":"user","content":');
const MESSAGE_CLOSE = Buffer.from('}');
/** How much is read or written in one turn, and the least cost of an item. */
const TURN_BYTES = 1024 * 1024;
const ITEM_BYTES = 256;

/** Returns fewer items than there are if the budget is used up. */
async function readItems(
  list: readonly Buffer[],
  origin: Item['origin'],
  budget: ValueBudget,
): Promise<Item[]> {
  const items: Item[] = [];
  let bytesRead = 0;
  for (const bytes of list) {
    const text = bytes.toString('utf8');
    bytesRead += bytes.length + ITEM_BYTES;
    if (bytesRead > TURN_BYTES) {
      bytesRead = 0;
      await nextTurn();
    }
    items.push({ bytes, json: readJson(text, responsesCodec.rawKeys, budget), origin });
    if (budget.left < 0) break;
  }
  return items;
}

/** A reference may omit its type, and so may a message; but messages have a role. */
function findReference(item: JsonObject | undefined): string | undefined {
  const type = item?.type ?? (item?.role === undefined ? 'item_reference' : 'message');
  return type === 'item_reference' && typeof item?.id === 'string' ? item.id : undefined;
}

/** The list to send. The client's own new items stay unchanged. */
async function writeItems(items: readonly Item[]): Promise<Buffer> {
  const sendable = items.filter((item) => item.origin === 'new' || isSendable(item));
  const pieces: Buffer[] = [];
  let written = 0;
  for (const [index, item] of sendable.entries()) {
    const text = writeItem(item, sendable[index + 1]);
    if (text === undefined) continue;
    pieces.push(pieces.length === 0 ? LIST_OPEN : LIST_COMMA, text);
    written += item.origin === 'new' ? 0 : text.length + ITEM_BYTES;
    if (written < TURN_BYTES) continue;
    written = 0;
    await nextTurn();
  }
  if (pieces.length === 0) pieces.push(LIST_OPEN);
  pieces.push(LIST_CLOSE);
  return joinPieces(pieces);
}

const LIST_OPEN = Buffer.from('[');
const LIST_COMMA = Buffer.from(',');
const LIST_CLOSE = Buffer.from(']');

function writeItem({ bytes, json, origin }: Item, following: Item | undefined): Buffer | undefined {
  if (origin === 'new' || json === undefined) return bytes;
  if (json.type !== 'reasoning') return Buffer.from(writeJson(withoutId(json)));
  // Reasoning belongs to the text or call right after it. Alone it is refused.
  if (!isTextOrCall(following?.json)) return undefined;
  const { type, id, summary = [], encrypted_content } = json;
  return Buffer.from(writeJson({ type, id, summary, encrypted_content }));
}

/** Reasoning without ciphertext is dropped: no vendor could read it. */
function isSendable({ json }: Item): boolean {
  if (json === undefined) return false;
  return json.type !== 'reasoning' || typeof json.encrypted_content === 'string';
}

function isTextOrCall(item: JsonObject | undefined): boolean {
  if (item === undefined || item.role === 'user') return false;
  return typeof item.type !== 'string' || !item.type.endsWith('_output');
}

const IDLESS: ReadonlySet<unknown> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** With an id a vendor would look the item up, and it may be another vendor's (rule K-10). */
function withoutId(item: JsonObject): JsonObject {
  return IDLESS.has(item.type ?? 'message') ? { ...item, id: undefined } : item;
}
