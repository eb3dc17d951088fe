import type { EndpointRow } from '../row.ts';
import { FREE, KEPT, MESSAGE, MODEL, STREAM } from './shared.ts';

const INPUT = { type: ['string', 'array'], description: 'A text, or the items of the conversation so far.' };
const ITEMS = { type: 'array', items: { type: 'object' } };
const METADATA = { type: 'object', additionalProperties: { type: 'string' } };
const LIST_QUERY = {
  limit: 'Number of items.',
  after: 'The id of the item before.',
  order: '`asc` or `desc`.',
};
const RESPONSES = { tag: 'Responses', of: 'OpenAI' } as const;
const CONVERSATIONS = { tag: 'Conversations', of: 'OpenAI', note: KEPT } as const;

/** Responses, those that are stored, and the conversations that they continue. */
export const RESPONSE_ROWS = {
  createResponse: {
    method: 'POST',
    path: '/v1/responses',
    call: { protocol: 'responses' },
    document: {
      ...RESPONSES,
      title: 'Create a response',
      note: KEPT,
      streams: true,
      body: { model: MODEL, input: INPUT, stream: STREAM },
      example: { model: 'gpt-5', input: 'Hello' },
    },
  },
  countTokensOfResponse: {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    counts: 'responses',
    document: {
      ...RESPONSES,
      title: 'Count the tokens of a response’s input',
      note: FREE,
      body: { model: MODEL, input: INPUT },
      example: { model: 'gpt-5', input: 'Hello' },
    },
  },
  compactResponse: {
    method: 'POST',
    path: '/v1/responses/compact',
    call: { protocol: 'responses', action: 'compact' },
    document: {
      ...RESPONSES,
      title: 'Compact a conversation',
      note: 'For models whose vendor speaks Responses: only this vendor can read the compaction.',
      body: { model: MODEL, input: INPUT },
      example: { model: 'gpt-5', input: 'Hello' },
    },
  },
  getResponse: {
    method: 'GET',
    path: '/v1/responses/{id}',
    errors: 'responses',
    document: { ...RESPONSES, title: 'Get a response', note: KEPT },
  },
  deleteResponse: {
    method: 'DELETE',
    path: '/v1/responses/{id}',
    errors: 'responses',
    document: { ...RESPONSES, title: 'Delete a response' },
  },
  listInputOfResponse: {
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    errors: 'responses',
    document: { ...RESPONSES, title: 'List the input of a response', query: LIST_QUERY },
  },
  cancelResponse: {
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    errors: 'responses',
    document: { ...RESPONSES, title: 'Cancel a response in the background' },
  },
  createConversation: {
    method: 'POST',
    path: '/v1/conversations',
    errors: 'responses',
    pays: 'payer',
    hasBody: true,
    document: {
      ...CONVERSATIONS,
      title: 'Create a conversation',
      body: { items: ITEMS, metadata: METADATA },
      example: { items: [MESSAGE], metadata: { topic: 'demo' } },
    },
  },
  getConversation: {
    method: 'GET',
    path: '/v1/conversations/{id}',
    errors: 'responses',
    document: { ...CONVERSATIONS, title: 'Get a conversation' },
  },
  updateConversation: {
    method: 'POST',
    path: '/v1/conversations/{id}',
    errors: 'responses',
    pays: 'payer',
    hasBody: true,
    document: {
      ...CONVERSATIONS,
      title: 'Set the metadata of a conversation',
      body: { metadata: METADATA },
      example: { metadata: { topic: 'demo' } },
    },
  },
  deleteConversation: {
    method: 'DELETE',
    path: '/v1/conversations/{id}',
    errors: 'responses',
    document: { ...CONVERSATIONS, title: 'Delete a conversation' },
  },
  listItemsOfConversation: {
    method: 'GET',
    path: '/v1/conversations/{id}/items',
    errors: 'responses',
    document: { ...CONVERSATIONS, title: 'List the items of a conversation', query: LIST_QUERY },
  },
  addItemsToConversation: {
    method: 'POST',
    path: '/v1/conversations/{id}/items',
    errors: 'responses',
    pays: 'payer',
    hasBody: true,
    document: {
      ...CONVERSATIONS,
      title: 'Add items to a conversation',
      body: { items: ITEMS },
      example: { items: [MESSAGE] },
    },
  },
  getItemOfConversation: {
    method: 'GET',
    path: '/v1/conversations/{id}/items/{item}',
    errors: 'responses',
    document: { ...CONVERSATIONS, title: 'Get an item of a conversation' },
  },
  deleteItemOfConversation: {
    method: 'DELETE',
    path: '/v1/conversations/{id}/items/{item}',
    errors: 'responses',
    document: { ...CONVERSATIONS, title: 'Delete an item of a conversation' },
  },
} as const satisfies Readonly<Record<string, EndpointRow>>;
