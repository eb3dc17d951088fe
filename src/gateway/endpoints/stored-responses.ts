import type { Conversations } from '../../conversation/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { writeJson } from '../../protocol/hub/content/json.ts';
import { isBackground, readBackground, writeBackground } from '../../protocol/responses/stored/background.ts';
import { listInputItems } from '../../protocol/responses/stored/item-list.ts';
import {
  findItemId,
  type StoredResponse,
  unpackResponse,
} from '../../protocol/responses/stored/kept-response.ts';
import { keyOfCancel } from '../background/background.ts';
import { keyOfItem, keyOfResponse, shortId } from '../convert/conversation-load.ts';
import type { Gateway } from '../gateway.ts';
import type { JobRequest, JobRequestEnd } from '../jobs/job-request.ts';
import type { FoundObject } from './find.ts';
import { readListQuery, sendStored, unknown, wrong } from './stored-answer.ts';

/**
 * Reads, lists and deletes the stored responses of an account. This is not a call: nothing is held, counted
 * or charged, and no vendor is asked.
 */
export async function serveStored(request: JobRequest): Promise<JobRequestEnd> {
  const { asked, gateway, caller, nowMs } = request;
  const body = await answer(asked, { gateway, accountId: caller.account.id, nowMs });
  return isRefusal(body) ? body : sendStored(request, body);
}

interface Owner {
  readonly gateway: Gateway;
  readonly accountId: number;
  readonly nowMs: number;
}

async function answer(
  { id: endpoint, params: { id = '' }, query }: FoundObject,
  owner: Owner,
): Promise<string | Buffer | Refusal> {
  const { gateway, accountId, nowMs } = owner;
  const { conversations } = gateway.deps;
  const asked = new URLSearchParams(query);
  if (endpoint === 'getResponse' && asked.get('stream') === 'true') {
    return refuse('notExpressible', { message: 'A stored response cannot be streamed: leave "stream" out' });
  }
  const value = await conversations.find(accountId, keyOfResponse(id));
  const kept = value === undefined ? undefined : unpackResponse(value);
  if (kept === undefined) return unknown(`Response with id '${shortId(id)}' not found.`);
  if (endpoint === 'cancelResponse') return cancel(id, kept, owner);
  if (endpoint === 'getResponse') return showResponse(kept, nowMs);
  return endpoint === 'deleteResponse'
    ? remove(id, kept, { conversations, accountId })
    : list(id, kept, asked);
}

/** A process that died, or that was stopped, leaves work behind that nobody goes on with. */
const BACKGROUND_MS_MAX = 3_600_000;

function showResponse({ response }: StoredResponse, nowMs: number): string | Buffer {
  const state = readBackground(response);
  if (state?.status !== 'in_progress' || nowMs - state.createdAtMs < BACKGROUND_MS_MAX) return response;
  return writeBackground({ ...state, status: 'failed', message: 'The work on this response was lost' });
}

/** A response that has ended stays as it is. */
function cancel(
  id: string,
  kept: StoredResponse,
  { gateway, accountId, nowMs }: Owner,
): string | Buffer | Refusal {
  const state = readBackground(kept.response);
  if (state?.status !== 'in_progress') {
    if (state !== undefined || isBackground(kept.response)) return kept.response;
    return wrong('id', 'is not that of a response in the background');
  }
  // Another node may work on it, and looks for this.
  gateway.deps.conversations.keep(accountId, keyOfCancel(id), Buffer.from(String(nowMs)));
  gateway.running.cancel(accountId, id);
  return writeBackground({ ...state, status: 'cancelled' });
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
  const query = readListQuery(asked);
  if (isRefusal(query)) return query;
  const page = listInputItems(id, kept, query);
  if (page !== undefined) return writeJson(page);
  return unknown(`Item with id '${shortId(query.after ?? '')}' not found.`);
}
