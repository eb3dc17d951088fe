import { isObject, type JsonObject } from '../../hub/content/json.ts';

/** The parts of a body that can have cache marks, in the order in which the vendor reads them. */
export interface Prompt {
  readonly tools: readonly JsonObject[];
  readonly system: readonly JsonObject[];
  readonly messages: readonly WireMessage[];
}

export interface WireMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly JsonObject[];
}

/**
 * Where marks come from: the client's own, ours because the client cannot set them, or none because the
 * vendor accepts none.
 */
export type MarkPolicy = 'client' | 'ours' | 'none';

/** More than four are refused (rule C-49). */
const MARKS_MAX = 4;

/**
 * The prompt with the allowed marks. Of more than four the earliest are removed, because the latest save the
 * most. Clients that cannot set marks get ours: after the tools, after the system, and after the last two
 * user turns, so that this turn reads what the previous one wrote.
 */
export function settleMarks(prompt: Prompt, policy: MarkPolicy): Prompt {
  const chosen = policy === 'none' ? new Map() : chooseMarks(prompt, policy);
  const settle = (block: JsonObject): JsonObject => {
    const mark = chosen.get(block);
    if (mark !== undefined) return { ...block, cache_control: mark };
    if (block.cache_control === undefined) return block;
    const { cache_control: _mark, ...rest } = block;
    return rest;
  };
  return {
    tools: prompt.tools.map(settle),
    system: prompt.system.map(settle),
    messages: prompt.messages.map(({ role, content }) => ({ role, content: content.map(settle) })),
  };
}

function chooseMarks(prompt: Prompt, policy: 'client' | 'ours'): Map<JsonObject, JsonObject> {
  const { tools, system, messages } = prompt;
  const blocks = [...tools, ...system, ...messages.flatMap(({ content }) => content)];
  const marked = blocks.filter((block) => block.cache_control !== undefined && isMarkable(block));
  const wanted = marked.length > 0 || policy === 'client' ? marked : ownMarks(prompt);
  const chosen = new Map<JsonObject, JsonObject>();
  let isShort = false;
  for (const block of wanted.slice(-MARKS_MAX)) {
    // A long-lived mark after a short-lived one is refused.
    const isLong: boolean = !isShort && isObject(block.cache_control) && block.cache_control.ttl === '1h';
    isShort ||= !isLong;
    chosen.set(block, isLong ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' });
  }
  return chosen;
}

function ownMarks({ tools, system, messages }: Prompt): readonly JsonObject[] {
  const users = messages.filter(({ role }) => role === 'user').slice(-2);
  const ends = [tools.at(-1), system.at(-1), ...users.map(({ content }) => content.findLast(isMarkable))];
  return ends.filter((block) => block !== undefined);
}

/** Thinking cannot have a mark. */
function isMarkable({ type }: JsonObject): boolean {
  return type !== 'thinking' && type !== 'redacted_thinking';
}
