import type { Conversations } from '../../conversation/contract.ts';
import { sha256Hex } from '../../kernel/encoding/hash.ts';
import type { RawRequest } from '../../protocol/dialect.ts';
import { packConversation, withItemId } from '../../protocol/responses/stored/conversation.ts';
import { type StoredResponse, unpackResponse } from '../../protocol/responses/stored/kept-response.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { keyOfConversation } from './conversation-load.ts';

const ID_LENGTH = 48;
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
};

/** Ids of new items. `seed` is different for every request. */
export function itemIds(seed: string): (type: string) => string {
  let count = 0;
  return (type) => {
    count += 1;
    return `${PREFIXES[type] ?? 'item'}_${sha256Hex(`${seed} ${count}`).slice(0, ID_LENGTH)}`;
  };
}

/** Adds what was asked and what was answered. A conversation that was deleted meanwhile stays deleted. */
export async function addToConversation(
  { id, items }: NonNullable<RawRequest['conversation']>,
  output: readonly Buffer[],
  { call, deps }: Pick<AttemptContext, 'call' | 'deps'>,
): Promise<void> {
  const newId = itemIds(call.id);
  const asked = items
    .map((item) => withItemId(item.toString('utf8'), newId))
    .filter((item) => item !== undefined);
  await changeConversation(
    id,
    { conversations: deps.conversations, accountId: call.caller.account.id },
    (kept) => packConversation(kept.response, [...kept.input, ...asked, ...output]),
  );
}

export interface ConversationOwner {
  readonly conversations: Conversations;
  readonly accountId: number;
}

/** False if there is no such conversation. Of two changes on two nodes at once the later one counts. */
export async function changeConversation(
  id: string,
  { conversations, accountId }: ConversationOwner,
  change: (kept: StoredResponse) => Buffer,
): Promise<boolean> {
  const key = keyOfConversation(id);
  const found = await conversations.find(accountId, key);
  // While it was looked for, another call may have changed it: then this process has it at hand.
  const now = conversations.find(accountId, key);
  const value = now instanceof Promise || now === undefined ? found : now;
  const kept = value === undefined ? undefined : unpackResponse(value);
  if (kept === undefined) return false;
  conversations.keep(accountId, key, change(kept));
  return true;
}
