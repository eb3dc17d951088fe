import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { OPEN_BRACKET, QUOTE } from '../ascii.ts';
import type { ByteRange, MemoryFacts } from '../dialect.ts';
import { elementsOf } from '../elements.ts';
import { type JsonObject, readJson, type ValueBudget, writeJson } from '../hub/json.ts';
import { isTooLarge, tooLarge, wholeBudget } from '../hub/whole.ts';
import { isWord, skipSpace } from '../skim.ts';
import { type Edit, splice } from '../splice.ts';
import { decodeText } from '../text.ts';
import type { KeptResponse } from './kept-response.ts';
import { misreadKey } from './references.ts';
import { responsesSpoke } from './spoke.ts';

/** What a request leaves to us to look up. */
export interface Wanted {
  readonly previousId: string | undefined;
  /** Items that are referred to, with their places in the input. */
  readonly references: readonly { readonly id: string; readonly index: number }[];
}

/** What was found of it: all of it, or the request is refused. */
export interface Recalled {
  readonly previous: KeptResponse | undefined;
  readonly items: ReadonlyMap<string, Buffer>;
}

/** One item on its way to a vendor: its text, and what it says. */
interface Item {
  readonly text: string;
  readonly json: JsonObject | undefined;
  readonly origin: 'kept' | 'new';
}

/** A request too large to be looked into is refused: a reference that is missed would reach a vendor. */
export function wantedBy(body: Buffer, memory: MemoryFacts): Wanted | Refusal {
  const previous = memory.previous.findLast(({ start }) => body[start] === QUOTE);
  const items = newItems(body, memory, wholeBudget());
  if (isRefusal(items)) return items;
  const misread = items.flatMap(({ json = {} }) => Object.keys(json)).find(misreadKey);
  if (misread !== undefined) {
    const message = `The key "${misread}" of an input item may be read as "${misreadKey(misread)}"`;
    return refuse('bodyNotJson', { message });
  }
  const references = items.flatMap(({ json }, index) => {
    const id = referenceOf(json);
    return id === undefined ? [] : [{ id, index }];
  });
  return {
    previousId: previous === undefined ? undefined : decodeText(body, previous.start + 1, previous.end - 1),
    references,
  };
}

/**
 * The same request with the whole conversation in it, as any vendor understands it: earlier input, earlier
 * output, then what is new. Instructions are not inherited (conversion.md 15).
 */
export function completeBody(body: Buffer, memory: MemoryFacts, recalled: Recalled): Buffer | Refusal {
  const { previous, items } = recalled;
  const budget = wholeBudget();
  const given = newItems(body, memory, budget);
  if (isRefusal(given)) return given;
  const earlier = [...(previous?.input ?? []), ...(previous?.output ?? [])].map((item) =>
    keptItem(item, budget),
  );
  const fresh = given.flatMap((item) => {
    const id = referenceOf(item.json);
    if (id === undefined) return [item];
    const found = items.get(id);
    return found === undefined ? [] : [keptItem(found, budget)];
  });
  if (budget.left < 0) return tooLarge();
  const input = Buffer.from(`[${replay([...earlier, ...fresh]).join(',')}]`);
  const edits: Edit[] = memory.inputs.map((at) => ({ at, bytes: input }));
  for (const at of memory.previous) edits.push({ at, bytes: Buffer.from('null') });
  if (memory.inputs.length === 0) {
    const top = skipSpace(body, 0, body.length) + 1;
    edits.push({ at: { start: top, end: top }, bytes: Buffer.from(`"input":${input},`) });
  }
  return Buffer.concat(splice(body, edits));
}

function newItems(body: Buffer, memory: MemoryFacts, budget: ValueBudget): readonly Item[] | Refusal {
  const input = memory.inputs.at(-1);
  if (input === undefined || isWord(body, input.start, input.end, 'null')) return [];
  if (isTooLarge(body.length)) return tooLarge();
  const items = textsOf(body, input).map((text) => newItem(text, budget));
  return budget.left < 0 ? tooLarge() : items;
}

function textsOf(body: Buffer, input: ByteRange): readonly string[] {
  if (body[input.start] === OPEN_BRACKET) {
    return elementsOf(body, input).map(({ start, end }) => body.toString('utf8', start, end));
  }
  const text = body.toString('utf8', input.start, input.end);
  // What is neither a list nor a text is the vendor's to reject.
  return [text[0] === '"' ? `{"type":"message","role":"user","content":${text}}` : text];
}

function newItem(text: string, budget: ValueBudget): Item {
  return { text, json: readJson(text, responsesSpoke.rawKeys, budget), origin: 'new' };
}

function keptItem(item: Buffer, budget: ValueBudget): Item {
  const text = item.toString('utf8');
  return { text, json: readJson(text, responsesSpoke.rawKeys, budget), origin: 'kept' };
}

/** The type may be left out of a reference, as of a message; messages have a role. */
function referenceOf(item: JsonObject | undefined): string | undefined {
  const type = item?.type ?? (item?.role === undefined ? 'item_reference' : 'message');
  return type === 'item_reference' && typeof item?.id === 'string' ? item.id : undefined;
}

/** The texts to send. What the client itself sent stays as it is. */
function replay(items: readonly Item[]): readonly string[] {
  const sendable = items.filter((item) => item.origin === 'new' || isSendable(item));
  return sendable.flatMap((item, index) => {
    if (item.origin === 'new' || item.json === undefined) return [item.text];
    if (item.json.type !== 'reasoning') return [writeJson(withoutId(item.json))];
    // Reasoning belongs to what was said or called right after it: alone it is refused.
    if (!isSaid(sendable[index + 1]?.json)) return [];
    const { type, id, summary = [], encrypted_content } = item.json;
    return [writeJson({ type, id, summary, encrypted_content })];
  });
}

/** Reasoning that its vendor kept to itself is lost: nobody could read it. */
function isSendable({ json }: Item): boolean {
  if (json === undefined) return false;
  return json.type !== 'reasoning' || typeof json.encrypted_content === 'string';
}

function isSaid(item: JsonObject | undefined): boolean {
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

/** An id would make a vendor look the item up, and it may be another vendor's (conversion.md 6.8). */
function withoutId(item: JsonObject): JsonObject {
  return IDLESS.has(item.type ?? 'message') ? { ...item, id: undefined } : item;
}
