import type { EndpointRow } from '../row.ts';
import { pageOf } from './shared.ts';

const OPENAI = { tag: 'Batches', of: 'OpenAI' } as const;
const ANTHROPIC = { tag: 'Batches', of: 'Anthropic' } as const;
const HELD = 'The most that its requests may cost is held, and what they used is charged when it has ended.';
const PAGE = pageOf('entries');

/** Files, and batches in the forms of OpenAI and Anthropic. */
export const BATCH_ROWS = {
  uploadFile: {
    method: 'POST',
    path: '/v1/files',
    errors: 'by-client',
    refusesAnthropic: true,
    pays: 'payer',
    hasBody: true,
    document: {
      ...OPENAI,
      title: 'Upload a file',
      note: 'It goes to the vendor of the model that its requests name, and is not kept here.',
      form: {
        type: 'object',
        required: ['file', 'purpose'],
        properties: {
          file: { type: 'string', format: 'binary', description: 'A line of JSON for each request.' },
          purpose: { type: 'string', const: 'batch' },
        },
      },
    },
  },
  listFiles: {
    method: 'GET',
    path: '/v1/files',
    errors: 'by-client',
    refusesAnthropic: true,
    document: { ...OPENAI, title: 'List files', query: PAGE },
  },
  getFile: {
    method: 'GET',
    path: '/v1/files/{id}',
    errors: 'by-client',
    refusesAnthropic: true,
    document: { ...OPENAI, title: 'Get a file' },
  },
  deleteFile: {
    method: 'DELETE',
    path: '/v1/files/{id}',
    errors: 'by-client',
    refusesAnthropic: true,
    document: { ...OPENAI, title: 'Delete a file' },
  },
  getFileContent: {
    method: 'GET',
    path: '/v1/files/{id}/content',
    errors: 'by-client',
    refusesAnthropic: true,
    document: { ...OPENAI, title: 'Get the content of a file', type: 'application/octet-stream' },
  },
  createBatch: {
    method: 'POST',
    path: '/v1/batches',
    call: { protocol: 'chat', action: 'batch' },
    document: {
      ...OPENAI,
      title: 'Create a batch',
      note: HELD,
      body: {
        input_file_id: { type: 'string' },
        endpoint: { type: 'string', description: 'The `url` of the requests in the file.' },
        completion_window: { type: 'string' },
      },
      example: { input_file_id: 'file-abc', endpoint: '/v1/chat/completions', completion_window: '24h' },
    },
  },
  listBatches: {
    method: 'GET',
    path: '/v1/batches',
    errors: 'by-client',
    document: { ...OPENAI, title: 'List batches', query: PAGE },
  },
  getBatch: {
    method: 'GET',
    path: '/v1/batches/{id}',
    errors: 'by-client',
    document: { ...OPENAI, title: 'Get a batch' },
  },
  cancelBatch: {
    method: 'POST',
    path: '/v1/batches/{id}/cancel',
    errors: 'by-client',
    document: { ...OPENAI, title: 'Cancel a batch' },
  },
  createMessageBatch: {
    method: 'POST',
    path: '/v1/messages/batches',
    call: { protocol: 'messages', action: 'batch' },
    document: {
      ...ANTHROPIC,
      title: 'Create a batch of Messages',
      note: HELD,
      body: {
        requests: { type: 'array', items: { type: 'object' }, description: 'All name the same model.' },
      },
      example: {
        requests: [
          {
            custom_id: 'first',
            params: {
              model: 'claude-sonnet-4-5',
              max_tokens: 64,
              messages: [{ role: 'user', content: 'Hello' }],
            },
          },
        ],
      },
    },
  },
  listMessageBatches: {
    method: 'GET',
    path: '/v1/messages/batches',
    errors: 'messages',
    document: {
      ...ANTHROPIC,
      title: 'List batches of Messages',
      query: { limit: PAGE.limit, after_id: PAGE.after, before_id: 'The `first_id` of the page behind.' },
    },
  },
  getMessageBatch: {
    method: 'GET',
    path: '/v1/messages/batches/{id}',
    errors: 'messages',
    document: { ...ANTHROPIC, title: 'Get a batch of Messages' },
  },
  deleteMessageBatch: {
    method: 'DELETE',
    path: '/v1/messages/batches/{id}',
    errors: 'messages',
    document: { ...ANTHROPIC, title: 'Delete a batch of Messages', note: 'Only when it has ended.' },
  },
  cancelMessageBatch: {
    method: 'POST',
    path: '/v1/messages/batches/{id}/cancel',
    errors: 'messages',
    document: { ...ANTHROPIC, title: 'Cancel a batch of Messages' },
  },
  getMessageBatchResults: {
    method: 'GET',
    path: '/v1/messages/batches/{id}/results',
    errors: 'messages',
    document: { ...ANTHROPIC, title: 'Get the results of a batch', type: 'application/x-jsonl' },
  },
} as const satisfies Readonly<Record<string, EndpointRow>>;
