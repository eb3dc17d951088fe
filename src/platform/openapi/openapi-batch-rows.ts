import type { GatewayRow } from './gateway-row.ts';

const FILES = { of: 'OpenAI', tag: 'Batches' } as const;
const BATCHES = { of: 'OpenAI', tag: 'Batches' } as const;
const MESSAGES = { of: 'Anthropic', tag: 'Batches' } as const;

const PAGE = {
  limit: 'Number of entries: 20 if it is absent, and 100 at most.',
  after: 'The `last_id` of the page before.',
  order: '`asc` or `desc`, by the time of creation.',
};
const FILE_FORM = {
  type: 'object',
  required: ['file', 'purpose'],
  properties: {
    file: { type: 'string', format: 'binary', description: 'A line of JSON for each request.' },
    purpose: { type: 'string', const: 'batch' },
  },
};
const HELD = 'The most that its requests may cost is held, and what they used is charged when it has ended.';

/** Files, and batches in the forms of OpenAI and Anthropic. */
export const BATCH_ROWS: readonly GatewayRow[] = [
  {
    ...{
      ...FILES,
      method: 'post',
      path: '/v1/files',
      id: 'uploadFile',
      title: 'Upload a file',
      form: FILE_FORM,
    },
    note: 'It goes to the vendor of the model that its requests name, and is not kept here.',
  },
  { ...FILES, method: 'get', path: '/v1/files', id: 'listFiles', title: 'List files', query: PAGE },
  { ...FILES, method: 'get', path: '/v1/files/{id}', id: 'getFile', title: 'Get a file' },
  { ...FILES, method: 'delete', path: '/v1/files/{id}', id: 'deleteFile', title: 'Delete a file' },
  {
    ...{ ...FILES, method: 'get', path: '/v1/files/{id}/content', id: 'getFileContent' },
    ...{ title: 'Get the content of a file', type: 'application/octet-stream' },
  },
  {
    ...{ ...BATCHES, method: 'post', path: '/v1/batches', id: 'createBatch', title: 'Create a batch' },
    note: HELD,
    body: {
      input_file_id: { type: 'string' },
      endpoint: { type: 'string', description: 'The `url` of the requests in the file.' },
      completion_window: { type: 'string' },
    },
    example: { input_file_id: 'file-abc', endpoint: '/v1/chat/completions', completion_window: '24h' },
  },
  { ...BATCHES, method: 'get', path: '/v1/batches', id: 'listBatches', title: 'List batches', query: PAGE },
  { ...BATCHES, method: 'get', path: '/v1/batches/{id}', id: 'getBatch', title: 'Get a batch' },
  {
    ...{ ...BATCHES, method: 'post', path: '/v1/batches/{id}/cancel', id: 'cancelBatch' },
    title: 'Cancel a batch',
  },
  {
    ...{ ...MESSAGES, method: 'post', path: '/v1/messages/batches', id: 'createMessageBatch' },
    ...{ title: 'Create a batch of Messages', note: HELD },
    body: { requests: { type: 'array', items: { type: 'object' }, description: 'All name the same model.' } },
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
  {
    ...{ ...MESSAGES, method: 'get', path: '/v1/messages/batches', id: 'listMessageBatches' },
    title: 'List batches of Messages',
    query: { limit: PAGE.limit, after_id: PAGE.after, before_id: 'The `first_id` of the page behind.' },
  },
  {
    ...{ ...MESSAGES, method: 'get', path: '/v1/messages/batches/{id}', id: 'getMessageBatch' },
    title: 'Get a batch of Messages',
  },
  {
    ...{ ...MESSAGES, method: 'delete', path: '/v1/messages/batches/{id}', id: 'deleteMessageBatch' },
    ...{ title: 'Delete a batch of Messages', note: 'Only when it has ended.' },
  },
  {
    ...{ ...MESSAGES, method: 'post', path: '/v1/messages/batches/{id}/cancel', id: 'cancelMessageBatch' },
    title: 'Cancel a batch of Messages',
  },
  {
    ...{ ...MESSAGES, method: 'get', path: '/v1/messages/batches/{id}/results' },
    ...{ id: 'getMessageBatchResults', title: 'Get the results of a batch', type: 'application/x-jsonl' },
  },
];
