import { CONVERSATION_READ_KEYS_MAX, REFERENCES_PER_CALL_MAX, REQUEST_BODY_BYTES_MAX } from '../../bounds.ts';
import type { Conversations } from '../../conversation/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { MemoryFacts, RawRequest, RequestFacts } from '../../protocol/dialect.ts';
import { getDialect } from '../../protocol/registry.ts';
import {
  completeBody,
  findWantedHistory,
  listNewItems,
  type WantedHistory,
} from '../../protocol/responses/stored/continue.ts';
import { type StoredResponse, unpackResponse } from '../../protocol/responses/stored/kept-response.ts';
import type { GatewayDeps } from '../attempt/attempt-context.ts';
import type { Call } from '../call.ts';
import { unknown } from '../endpoints/stored-answer.ts';

/** A request that is complete in itself. `release` gives back the memory that was reserved for it. */
export interface LoadedRequest {
  readonly raw: RawRequest;
  readonly facts: RequestFacts;
  release(): void;
}

export function keyOfResponse(id: string): string {
  return `resp:${id}`;
}

export function keyOfItem(id: string): string {
  return `item:${id}`;
}

export function keyOfConversation(id: string): string {
  return `conv:${id}`;
}

const nothingTaken = (): void => {};

/**
 * Responses: a request may refer to earlier answers instead of repeating them. They are loaded from the
 * account's stored responses and put into the body, so that any vendor can serve the call. The vendor's own
 * storage is never used: everyone who uses the platform's credential would share it.
 */
export function loadConversation(
  call: Pick<Call, 'caller'>,
  { raw, facts }: { readonly raw: RawRequest; readonly facts: RequestFacts },
  deps: GatewayDeps,
): LoadedRequest | Refusal | Promise<LoadedRequest | Refusal> {
  const { memory } = facts;
  if (memory?.unserved !== undefined) {
    return refuse('notExpressible', { message: `The field "${memory.unserved}" cannot be served here` });
  }
  if (memory?.refers !== true) return { raw, facts, release: nothingTaken };
  return complete(raw, memory, { deps, accountId: call.caller.account.id });
}

interface Owner {
  readonly deps: GatewayDeps;
  readonly accountId: number;
}

async function complete(
  raw: RawRequest,
  memory: MemoryFacts,
  { deps, accountId }: Owner,
): Promise<LoadedRequest | Refusal> {
  const { conversations, bodies } = deps;
  const wanted = await findWantedHistory(raw.body, memory);
  if (isRefusal(wanted)) return wanted;
  const previous = await findPrevious(wanted, conversations, accountId);
  if (isRefusal(previous)) return previous;
  const items = await findItems(wanted, conversations, accountId);
  if (isRefusal(items)) return items;
  const body = await completeBody(raw.body, memory, { previous, items });
  if (isRefusal(body)) return body;
  if (body.length > REQUEST_BODY_BYTES_MAX) return refuse('bodyTooLarge');
  if (!bodies.take(accountId, body.length)) return refuse('unavailable', { retryAfterMs: 1_000 });
  const { previousId, conversationId: id } = wanted;
  const completed: RawRequest = {
    ...raw,
    body,
    ...(previousId === undefined ? {} : { previousResponseId: previousId }),
    ...(id === undefined ? {} : { conversation: { id, items: await listNewItems(raw.body, memory, items) } }),
  };
  let held = false;
  try {
    const facts = await getDialect('responses').readRequest(completed);
    if (isRefusal(facts)) return facts;
    held = true;
    return { raw: completed, facts, release: () => bodies.give(accountId, body.length) };
  } finally {
    if (!held) bodies.give(accountId, body.length);
  }
}

async function findPrevious(
  { previousId, conversationId }: WantedHistory,
  conversations: Conversations,
  accountId: number,
): Promise<StoredResponse | undefined | Refusal> {
  if (conversationId !== undefined) return findConversation(conversationId, conversations, accountId);
  if (previousId === undefined) return undefined;
  const value = await conversations.find(accountId, keyOfResponse(previousId));
  const kept = value === undefined ? undefined : unpackResponse(value);
  if (kept !== undefined) return kept;
  return refuse('notExpressible', {
    message: `Previous response with id '${shortId(previousId)}' not found.`,
    vendorFields: {
      type: 'invalid_request_error',
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    },
  });
}

/** The items of a conversation are its input; it has no output. */
export async function findConversation(
  id: string,
  conversations: Conversations,
  accountId: number,
): Promise<StoredResponse | Refusal> {
  const value = await conversations.find(accountId, keyOfConversation(id));
  const kept = value === undefined ? undefined : unpackResponse(value);
  if (kept !== undefined) return kept;
  return unknown(`Conversation with id '${shortId(id)}' not found.`);
}

async function findItems(
  { references }: WantedHistory,
  conversations: Conversations,
  accountId: number,
): Promise<ReadonlyMap<string, Buffer> | Refusal> {
  const found = new Map<string, Buffer>();
  if (references.length > REFERENCES_PER_CALL_MAX) {
    return refuse('notExpressible', {
      message: `"input" has more than ${REFERENCES_PER_CALL_MAX} items of type "item_reference"`,
    });
  }
  let bytes = 0;
  for (let at = 0; at < references.length; at += CONVERSATION_READ_KEYS_MAX) {
    const batch = references.slice(at, at + CONVERSATION_READ_KEYS_MAX);
    const values = await Promise.all(batch.map(({ id }) => conversations.find(accountId, keyOfItem(id))));
    for (const [place, { id, index }] of batch.entries()) {
      const value = values[place];
      if (value === undefined) return itemUnknown(id, index);
      found.set(id, value);
      bytes += value.length;
    }
    if (bytes > REQUEST_BODY_BYTES_MAX) return refuse('bodyTooLarge');
  }
  return found;
}

function itemUnknown(id: string, index: number): Refusal {
  return refuse('notExpressible', {
    message:
      `Item with id '${shortId(id)}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.',
    vendorFields: { type: 'invalid_request_error', param: `input[${index}].id`, code: null },
  });
}

const SHOWN_CHARS_MAX = 100;

export function shortId(id: string): string {
  return id.slice(0, SHOWN_CHARS_MAX).toWellFormed();
}
