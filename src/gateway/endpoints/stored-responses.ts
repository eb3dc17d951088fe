import type { IncomingMessage, ServerResponse } from 'node:http';
import { PAGE_SIZE_MAX } from '../../bounds.ts';
import type { Conversations } from '../../conversation/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { newCallId } from '../../kernel/id.ts';
import { writeJson } from '../../protocol/hub/content/json.ts';
import { type ListQuery, listInputItems } from '../../protocol/responses/stored/item-list.ts';
import {
  findItemId,
  type StoredResponse,
  unpackResponse,
} from '../../protocol/responses/stored/kept-response.ts';
import { identify, refuseIfAway } from '../admit/identify.ts';
import { ownHeaders, sendRefusal } from '../answer/answer.ts';
import { keyOfItem, keyOfResponse, shortId } from '../convert/conversation-load.ts';
import type { Gateway } from '../gateway.ts';
import type { StoredEndpoint } from './stored-responses-endpoint.ts';
import { refuseParameter, refuseUnknown } from './vendor-refusals.ts';

const PAGE_SIZE = 20;

/**
 * Reads, lists and deletes the stored responses of an account. This is not a call: nothing is held, counted
 * or charged, and no vendor is asked.
 */
export async function serveStored(
  request: IncomingMessage,
  response: ServerResponse,
  stored: StoredEndpoint,
  gateway: Gateway,
): Promise<void> {
  const nowMs = gateway.deps.clock.now();
  const requestId = newCallId(nowMs);
  gateway.discardBody(request, response);
  const caller = await identify(request, gateway, nowMs);
  const body = isRefusal(caller)
    ? caller
    : await answer(stored, gateway.deps.conversations, caller.account.id).catch(refuseIfAway);
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    sendRefusal(response, body, requestId, 'responses');
    return;
  }
  response.writeHead(200, [
    ...['content-type', 'application/json; charset=utf-8'],
    ...['content-length', String(Buffer.byteLength(body))],
    ...ownHeaders(requestId, 'responses'),
  ]);
  response.end(body);
}

async function answer(
  { action, id, query }: StoredEndpoint,
  conversations: Conversations,
  accountId: number,
): Promise<string | Buffer | Refusal> {
  if (action === 'unserved') {
    return refuse('notExpressible', { message: 'Responses can neither be cancelled nor compacted here' });
  }
  const asked = new URLSearchParams(query);
  if (action === 'read' && asked.get('stream') === 'true') {
    return refuse('notExpressible', { message: 'A stored response cannot be streamed: leave "stream" out' });
  }
  const value = await conversations.find(accountId, keyOfResponse(id));
  const kept = value === undefined ? undefined : unpackResponse(value);
  if (kept === undefined) return refuseUnknown(`Response with id '${shortId(id)}' not found.`);
  if (action === 'read') return kept.response;
  return action === 'delete' ? remove(id, kept, { conversations, accountId }) : list(id, kept, asked);
}

/** Deletes a response with all items that a request could refer to. */
async function remove(
  id: string,
  { output }: StoredResponse,
  { conversations, accountId }: { readonly conversations: Conversations; readonly accountId: number },
): Promise<string> {
  for (const item of output) {
    const itemId = findItemId(item);
    if (itemId !== undefined) await conversations.forget(accountId, keyOfItem(itemId));
  }
  await conversations.forget(accountId, keyOfResponse(id));
  return writeJson({ id, object: 'response', deleted: true });
}

function list(id: string, kept: StoredResponse, asked: URLSearchParams): string | Refusal {
  const query = readQuery(asked);
  if (isRefusal(query)) return query;
  const page = listInputItems(id, kept, query);
  if (page !== undefined) return writeJson(page);
  return refuseUnknown(`Item with id '${shortId(query.after ?? '')}' not found.`);
}

function readQuery(asked: URLSearchParams): ListQuery | Refusal {
  const limit = asked.get('limit') ?? String(PAGE_SIZE);
  const order = asked.get('order') ?? 'desc';
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > PAGE_SIZE_MAX) {
    return refuseParameter('limit', `must be a whole number from 1 to ${PAGE_SIZE_MAX}`);
  }
  if (order !== 'asc' && order !== 'desc') return refuseParameter('order', 'must be "asc" or "desc"');
  return { limit: Number(limit), order, after: asked.get('after') ?? undefined };
}
