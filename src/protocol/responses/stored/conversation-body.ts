import { isRefusal, type Refusal, refuse } from '../../../kernel/errors.ts';
import { OPEN_BRACE } from '../../bytes/ascii.ts';
import { listElements } from '../../bytes/elements.ts';
import { type JsonObject, readJson } from '../../hub/content/json.ts';
import { wholeBudget } from '../../hub/content/value-budget.ts';
import { compileMembers } from '../../pass-through/metered-keys.ts';
import { scanRequest } from '../../pass-through/request.ts';
import { responsesCodec } from '../codec.ts';

/** Items of one request: what the vendor allows. */
export const ITEMS_AT_ONCE_MAX = 20;

const BODY = compileMembers({ items: ['items', 'list'], metadata: ['metadata', 'object'] });
/** The members that say what an item is and which one. */
const ITEM = compileMembers({
  type: ['type', 'any'],
  role: ['role', 'any'],
  id: ['id', 'any'],
  callId: ['call_id', 'any'],
  name: ['name', 'any'],
  content: ['content', 'any'],
  input: ['arguments', 'any'],
  output: ['output', 'any'],
  summary: ['summary', 'any'],
});

/** The body of a request that makes or changes a conversation. Without a body nothing is asked for. */
export async function readConversationBody(bytes: Buffer): Promise<JsonObject | Refusal> {
  if (bytes.length === 0) return {};
  const items = await scanRequest(bytes, BODY, ({ found }) => found[BODY.slots.items]?.at(-1) ?? NO_RANGE);
  if (isRefusal(items)) return items;
  for (const { start, end } of listElements(bytes, items).slice(0, ITEMS_AT_ONCE_MAX)) {
    // What is no object is refused by name, when the items are read.
    if (bytes[start] !== OPEN_BRACE) continue;
    const read = await scanRequest(bytes.subarray(start, end), ITEM, () => undefined);
    if (isRefusal(read)) return { ...read, message: `items: ${read.message}` };
  }
  return readJson(bytes.toString('utf8'), responsesCodec.rawKeys, wholeBudget()) ?? refuse('bodyNotJson');
}

const NO_RANGE = { start: 0, end: 0 };
