import { CONVERSATION_VALUE_BYTES_MAX } from '../../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { isArray, isObject, type JsonObject, readJson, writeJson } from '../../protocol/hub/content/json.ts';
import { responsesCodec } from '../../protocol/responses/codec.ts';
import { packConversation, withItemId } from '../../protocol/responses/stored/conversation.ts';
import {
  ITEMS_AT_ONCE_MAX,
  readConversationBody,
} from '../../protocol/responses/stored/conversation-body.ts';
import { listInputItems } from '../../protocol/responses/stored/item-list.ts';
import { findItemId, type StoredResponse } from '../../protocol/responses/stored/kept-response.ts';
import { type ConversationOwner, changeConversation, itemIds } from '../convert/conversation-items.ts';
import { findConversation, keyOfConversation, shortId } from '../convert/conversation-load.ts';
import type { JobRequest, JobRequestEnd } from '../jobs/job-request.ts';
import { ENDPOINTS, type EndpointRow } from './contract.ts';
import type { FoundObject } from './find.ts';
import { readListQuery, sendStored, unknown, wrong } from './stored-answer.ts';

/** Those of the vendor. */
const METADATA_MAX = 16;
const METADATA_KEY_CHARS_MAX = 64;
const METADATA_VALUE_CHARS_MAX = 512;

interface Question extends ConversationOwner {
  readonly endpoint: FoundObject['id'];
  readonly id: string;
  readonly itemId: string;
  readonly query: string;
  readonly body: JsonObject;
  /** Also the source of new ids. */
  readonly requestId: string;
  readonly nowMs: number;
}

/**
 * Makes, reads, changes and deletes the conversations of an account. This is not a call: nothing is held,
 * counted or charged, and no vendor is asked.
 */
export async function serveConversation(entered: JobRequest): Promise<JobRequestEnd> {
  const { request, response, asked, gateway, caller, requestId, nowMs } = entered;
  const { id: endpoint, params, query } = asked;
  const { id = '', item: itemId = '' } = params;
  const { conversations } = gateway.deps;
  const accountId = caller.account.id;
  const question = { conversations, accountId, endpoint, id, itemId, query, requestId, nowMs };
  const send = (made: string | Buffer | Refusal): JobRequestEnd =>
    isRefusal(made) ? made : sendStored(entered, made);
  const { hasBody }: EndpointRow = ENDPOINTS[endpoint];
  if (!hasBody) return send(await answer({ ...question, body: {} }));
  if (Number(request.headers['content-length'] ?? 0) > CONVERSATION_VALUE_BYTES_MAX) return TOO_LARGE;
  const read = await gateway.readBody(request, accountId, response);
  if (isRefusal(read)) return read;
  if (read.kind === 'aborted') return undefined;
  try {
    const isLarge = read.bytes.length > CONVERSATION_VALUE_BYTES_MAX;
    const body = isLarge ? TOO_LARGE : await readConversationBody(read.bytes);
    return send(isRefusal(body) ? body : await answer({ ...question, body }));
  } finally {
    read.release();
  }
}

const TOO_LARGE = refuse('bodyTooLarge', {
  message: `A conversation has at most ${CONVERSATION_VALUE_BYTES_MAX} bytes`,
});

function answer(question: Question): Promise<string | Buffer | Refusal> {
  switch (question.endpoint) {
    case 'createConversation':
      return create(question);
    case 'updateConversation':
      return update(question);
    case 'deleteConversation':
      return remove(question);
    case 'addItemsToConversation':
      return addItems(question);
    case 'listItemsOfConversation':
      return readKept(question, (kept) => list(kept, question));
    case 'getItemOfConversation':
      return readKept(question, (kept) => findItem(kept, question));
    case 'deleteItemOfConversation':
      return removeItem(question);
    default:
      return readKept(question, (kept) => kept.response);
  }
}

async function readKept(
  { id, conversations, accountId }: Question,
  show: (kept: StoredResponse) => string | Buffer | Refusal,
): Promise<string | Buffer | Refusal> {
  const kept = await findConversation(id, conversations, accountId);
  return isRefusal(kept) ? kept : show(kept);
}

async function create(question: Question): Promise<string | Refusal> {
  const { body, conversations, accountId, requestId, nowMs } = question;
  const [items, metadata] = [readItems(body, requestId), readMetadata(body)];
  if (isRefusal(items)) return items;
  if (isRefusal(metadata)) return metadata;
  const id = itemIds(requestId)('conversation').replace(/^item_/, 'conv_');
  const object = writeJson({ id, object: 'conversation', created_at: Math.floor(nowMs / 1000), metadata });
  const value = packConversation(object, items);
  if (value.length > CONVERSATION_VALUE_BYTES_MAX) return TOO_LONG;
  conversations.keep(accountId, keyOfConversation(id), value);
  if (conversations.find(accountId, keyOfConversation(id)) !== undefined) return object;
  return refuse('notExpressible', { message: 'Conversations are not stored here' });
}

const TOO_LONG = refuse('notExpressible', {
  message: `A conversation has at most ${CONVERSATION_VALUE_BYTES_MAX} bytes: begin a new one`,
});

async function update(question: Question): Promise<string | Refusal> {
  const metadata = readMetadata(question.body);
  if (isRefusal(metadata)) return metadata;
  let object = '';
  const isThere = await change(question, (kept) => {
    const known = readJson(kept.response.toString('utf8'), responsesCodec.rawKeys) ?? {};
    object = writeJson({ ...known, metadata });
    return packConversation(object, kept.input);
  });
  return isThere ? object : notFound(question);
}

async function remove(question: Question): Promise<string | Refusal> {
  const { id, conversations, accountId } = question;
  const isThere = await conversations.forget(accountId, keyOfConversation(id));
  return isThere ? writeJson({ id, object: 'conversation.deleted', deleted: true }) : notFound(question);
}

async function addItems(question: Question): Promise<string | Refusal> {
  const items = readItems(question.body, question.requestId);
  if (isRefusal(items)) return items;
  if (items.length === 0) return wrong('items', 'must have at least one item');
  let isTooLong = false;
  const isThere = await change(question, (kept) => {
    const value = packConversation(kept.response, [...kept.input, ...items]);
    isTooLong = value.length > CONVERSATION_VALUE_BYTES_MAX;
    return value;
  });
  if (!isThere) return notFound(question);
  if (isTooLong) return TOO_LONG;
  const added: StoredResponse = {
    input: items.map((item) => Buffer.from(item)),
    output: [],
    response: NOTHING,
  };
  const page = listInputItems(question.id, added, {
    limit: items.length,
    order: 'asc',
    after: undefined,
  });
  return writeJson(page ?? null);
}

const NOTHING = Buffer.alloc(0);

function list(kept: StoredResponse, { id, query: text }: Question): string | Refusal {
  const query = readListQuery(new URLSearchParams(text));
  if (isRefusal(query)) return query;
  const page = listInputItems(id, kept, query);
  return page === undefined ? noItem(query.after ?? '') : writeJson(page);
}

function findItem(kept: StoredResponse, { id, itemId }: Question): string | Refusal {
  const item = kept.input.find((each) => findItemId(each) === itemId);
  if (item === undefined) return noItem(itemId);
  const one: StoredResponse = { ...kept, input: [item] };
  const page = listInputItems(id, one, { limit: 1, order: 'asc', after: undefined });
  return isArray(page?.data) && page.data[0] !== undefined ? writeJson(page.data[0]) : noItem(itemId);
}

async function removeItem(question: Question): Promise<string | Buffer | Refusal> {
  const { itemId } = question;
  let response: Buffer | undefined;
  const isThere = await change(question, (kept) => {
    const left = kept.input.filter((each) => findItemId(each) !== itemId);
    if (left.length < kept.input.length) response = kept.response;
    return packConversation(kept.response, left);
  });
  return isThere ? (response ?? noItem(itemId)) : notFound(question);
}

function change(question: Question, make: (kept: StoredResponse) => Buffer): Promise<boolean> {
  return changeConversation(question.id, question, make);
}

function notFound({ id }: Question): Refusal {
  return unknown(`Conversation with id '${shortId(id)}' not found.`);
}

function noItem(id: string): Refusal {
  return unknown(`Item with id '${shortId(id)}' not found.`);
}

function readItems({ items = null }: JsonObject, requestId: string): readonly string[] | Refusal {
  if (items === null) return [];
  if (!isArray(items) || items.length > ITEMS_AT_ONCE_MAX) {
    return wrong('items', `must be a list of at most ${ITEMS_AT_ONCE_MAX} items`);
  }
  const newId = itemIds(`${requestId} item`);
  const read = items.map((item) => {
    return isObject(item) && isItem(item) ? withItemId(item, newId) : undefined;
  });
  const found = read.filter((item) => item !== undefined);
  return found.length === read.length ? found : wrong('items', 'must have input items only');
}

function isItem({ type = null, role = null, id = null }: JsonObject): boolean {
  const areTexts = [type, role, id].every((member) => member === null || typeof member === 'string');
  return areTexts && (type !== null || role !== null) && type !== 'item_reference';
}

function readMetadata({ metadata = null }: JsonObject): JsonObject | Refusal {
  if (metadata === null) return {};
  const pairs = isObject(metadata) ? Object.entries(metadata) : undefined;
  const isShort = ([key, value]: [string, unknown]): boolean =>
    key.length <= METADATA_KEY_CHARS_MAX &&
    typeof value === 'string' &&
    value.length <= METADATA_VALUE_CHARS_MAX;
  if (isObject(metadata) && pairs !== undefined && pairs.length <= METADATA_MAX && pairs.every(isShort)) {
    return metadata;
  }
  return wrong('metadata', `must be at most ${METADATA_MAX} pairs of short texts`);
}
