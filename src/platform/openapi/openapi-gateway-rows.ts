import type { GatewayRow } from './gateway-row.ts';
import { BATCH_ROWS } from './openapi-batch-rows.ts';

const MODEL = { type: 'string', description: 'A `model_id` of the catalogue.' };
const STREAM = { type: 'boolean', description: 'Stream the answer as events.' };
const TURNS = { type: 'array', items: { type: 'object' }, description: 'The conversation so far.' };
const INPUT = { type: ['string', 'array'], description: 'A text, or the items of the conversation so far.' };
const MESSAGE = { role: 'user', content: 'Hello' };
const FREE =
  'Free of charge. The vendor counts; if it cannot, the gateway estimates (`x-tollgate-estimated`).';
const KEPT = 'Responses are stored for `TOLLGATE_CONVERSATION_DAYS`.';
const COMPACTED = 'For models whose vendor speaks Responses: only this vendor can read the compaction.';
const PREFIXES = 'Also below `/v1/v1beta` and `/v1alpha`, which clients of Google use.';

const OPENAI = { of: 'OpenAI' } as const;
const RESPONSES = { ...OPENAI, tag: 'Responses' } as const;
const MESSAGES = { of: 'Anthropic', tag: 'Messages' } as const;
const CONTENT = {
  ...({ of: 'Google', tag: 'generateContent', method: 'post' } as const),
  body: { contents: TURNS },
  example: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
} as const;

const TEXT_ROWS: readonly GatewayRow[] = [
  {
    ...{ ...OPENAI, tag: 'Chat Completions', method: 'post', path: '/v1/chat/completions', streams: true },
    ...{ id: 'createChatCompletion', title: 'Create a chat completion' },
    body: { model: MODEL, messages: TURNS, stream: STREAM },
    example: { model: 'gpt-5', messages: [MESSAGE] },
  },
  {
    ...{ ...RESPONSES, method: 'post', path: '/v1/responses', streams: true },
    ...{ id: 'createResponse', title: 'Create a response', note: KEPT },
    body: { model: MODEL, input: INPUT, stream: STREAM },
    example: { model: 'gpt-5', input: 'Hello' },
  },
  {
    ...{ ...RESPONSES, method: 'get', path: '/v1/responses/{id}', id: 'getResponse' },
    ...{ title: 'Get a response', note: KEPT },
  },
  {
    ...{ ...RESPONSES, method: 'delete', path: '/v1/responses/{id}', id: 'deleteResponse' },
    title: 'Delete a response',
  },
  {
    ...{ ...RESPONSES, method: 'get', path: '/v1/responses/{id}/input_items', id: 'listInputOfResponse' },
    title: 'List the input of a response',
    query: { limit: 'Number of items.', after: 'The id of the item before.', order: '`asc` or `desc`.' },
  },
  {
    ...{ ...RESPONSES, method: 'post', path: '/v1/responses/{id}/cancel', id: 'cancelResponse' },
    title: 'Cancel a response in the background',
  },
  {
    ...{ ...RESPONSES, method: 'post', path: '/v1/responses/input_tokens', id: 'countTokensOfResponse' },
    ...{ title: 'Count the tokens of a response’s input', note: FREE },
    body: { model: MODEL, input: INPUT },
    example: { model: 'gpt-5', input: 'Hello' },
  },
  {
    ...{ ...RESPONSES, method: 'post', path: '/v1/responses/compact', id: 'compactResponse' },
    ...{ title: 'Compact a conversation', note: COMPACTED },
    body: { model: MODEL, input: INPUT },
    example: { model: 'gpt-5', input: 'Hello' },
  },
  {
    ...{ ...MESSAGES, method: 'post', path: '/v1/messages', id: 'createMessage', streams: true },
    title: 'Create a message',
    body: { model: MODEL, max_tokens: { type: 'integer', minimum: 1 }, messages: TURNS, stream: STREAM },
    example: { model: 'claude-sonnet-5', max_tokens: 256, messages: [MESSAGE] },
  },
  {
    ...{ ...MESSAGES, method: 'post', path: '/v1/messages/count_tokens', id: 'countTokensOfMessages' },
    ...{ title: 'Count the tokens of messages', note: FREE },
    body: { model: MODEL, messages: TURNS },
    example: { model: 'claude-sonnet-5', messages: [MESSAGE] },
  },
  {
    ...{ ...CONTENT, path: '/v1beta/models/{model}:generateContent', id: 'generateContent' },
    ...{ title: 'Generate content', note: PREFIXES },
  },
  {
    ...{ ...CONTENT, path: '/v1beta/models/{model}:streamGenerateContent', id: 'streamGenerateContent' },
    ...{ title: 'Generate content as a stream', streams: true, note: PREFIXES },
    query: { alt: '`sse` for events. Otherwise the answer is one JSON array.' },
  },
  {
    ...{ ...CONTENT, path: '/v1beta/models/{model}:countTokens', id: 'countTokensOfContent' },
    ...{ title: 'Count the tokens of content', note: `${FREE} ${PREFIXES}` },
  },
];

const CONVERSATIONS = { ...OPENAI, tag: 'Conversations', note: KEPT } as const;
const ONE = '/v1/conversations/{id}';
const ITEMS = { type: 'array', items: { type: 'object' } };
const METADATA = { type: 'object', additionalProperties: { type: 'string' } };

const CONVERSATION_ROWS: readonly GatewayRow[] = [
  {
    ...{ ...CONVERSATIONS, method: 'post', path: '/v1/conversations', id: 'createConversation' },
    title: 'Create a conversation',
    body: { items: ITEMS, metadata: METADATA },
    example: { items: [MESSAGE], metadata: { topic: 'demo' } },
  },
  { ...CONVERSATIONS, method: 'get', path: ONE, id: 'getConversation', title: 'Get a conversation' },
  {
    ...{ ...CONVERSATIONS, method: 'post', path: ONE, id: 'updateConversation' },
    title: 'Set the metadata of a conversation',
    body: { metadata: METADATA },
    example: { metadata: { topic: 'demo' } },
  },
  { ...CONVERSATIONS, method: 'delete', path: ONE, id: 'deleteConversation', title: 'Delete a conversation' },
  {
    ...{ ...CONVERSATIONS, method: 'get', path: `${ONE}/items`, id: 'listItemsOfConversation' },
    title: 'List the items of a conversation',
    query: { limit: 'Number of items.', after: 'The id of the item before.', order: '`asc` or `desc`.' },
  },
  {
    ...{ ...CONVERSATIONS, method: 'post', path: `${ONE}/items`, id: 'addItemsToConversation' },
    title: 'Add items to a conversation',
    body: { items: ITEMS },
    example: { items: [MESSAGE] },
  },
  {
    ...{ ...CONVERSATIONS, method: 'get', path: `${ONE}/items/{item}`, id: 'getItemOfConversation' },
    title: 'Get an item of a conversation',
  },
  {
    ...{ ...CONVERSATIONS, method: 'delete', path: `${ONE}/items/{item}`, id: 'deleteItemOfConversation' },
    title: 'Delete an item of a conversation',
  },
];

const IMAGE_ROWS: readonly GatewayRow[] = [
  {
    ...{ ...OPENAI, tag: 'Images', method: 'post', path: '/v1/images/generations', streams: true },
    ...{ id: 'createImage', title: 'Create images' },
    body: { model: MODEL, prompt: { type: 'string' } },
    example: { model: 'gpt-image-1', prompt: 'A toll gate in the mountains' },
  },
  {
    ...{ ...OPENAI, tag: 'Images', method: 'post', path: '/v1/images/edits', streams: true },
    ...{ id: 'editImage', title: 'Edit images' },
    form: {
      type: 'object',
      required: ['model', 'prompt', 'image'],
      properties: { model: MODEL, prompt: { type: 'string' }, image: { type: 'string', format: 'binary' } },
    },
  },
  {
    ...{ ...OPENAI, tag: 'Images', method: 'post', path: '/v1/images/variations' },
    ...{ id: 'varyImage', title: 'Create variations of an image' },
    form: {
      type: 'object',
      required: ['model', 'image'],
      properties: { model: MODEL, image: { type: 'string', format: 'binary' }, n: { type: 'integer' } },
    },
  },
];

const RERANK = { of: 'Cohere', tag: 'Rerank', method: 'post' } as const;
const RANKED = {
  body: { model: MODEL, query: { type: 'string' }, documents: { type: 'array', items: { type: 'string' } } },
  example: { model: 'rerank-v3.5', query: 'Where do boats land?', documents: ['At the pier', 'In the air'] },
};

const SOUND = {
  type: 'object',
  required: ['model', 'file'],
  properties: {
    model: MODEL,
    file: { type: 'string', format: 'binary' },
    response_format: { type: 'string' },
  },
};

/** Only a vendor that speaks the protocol itself serves these. */
const PASSED_ROWS: readonly GatewayRow[] = [
  {
    ...{ ...OPENAI, tag: 'Moderations', method: 'post', path: '/v1/moderations', id: 'createModeration' },
    ...{ title: 'Create a moderation', note: 'Free of charge if the model has no price.' },
    body: { model: MODEL, input: { type: ['string', 'array'], description: 'Texts, or texts and images.' } },
    example: { model: 'omni-moderation-latest', input: 'Hello' },
  },
  { ...RERANK, ...RANKED, path: '/v1/rerank', id: 'rerank', title: 'Rank documents' },
  {
    ...{ ...RERANK, ...RANKED, path: '/v2/rerank', id: 'rerankForCohere' },
    title: 'Rank documents for clients of Cohere',
  },
  {
    ...{ ...OPENAI, tag: 'Completions', method: 'post', path: '/v1/completions', streams: true },
    ...{ id: 'createCompletion', title: 'Create a completion' },
    body: { model: MODEL, prompt: { type: ['string', 'array'] }, stream: STREAM },
    example: { model: 'gpt-3.5-turbo-instruct', prompt: 'Once upon a time' },
  },
  {
    ...{ ...OPENAI, tag: 'Speech', method: 'post', path: '/v1/audio/speech', id: 'createSpeech' },
    ...{ title: 'Create speech', type: 'audio/mpeg', note: 'Charged by the characters of `input`.' },
    body: { model: MODEL, input: { type: 'string' }, voice: { type: 'string' } },
    example: { model: 'tts-1', input: 'Hello', voice: 'alloy' },
  },
  {
    ...{ ...OPENAI, tag: 'Speech', method: 'post', path: '/v1/audio/transcriptions', streams: true },
    ...{ id: 'createTranscription', title: 'Create a transcription', form: SOUND },
  },
  {
    ...{ ...OPENAI, tag: 'Speech', method: 'post', path: '/v1/audio/translations', form: SOUND },
    ...{ id: 'createTranslation', title: 'Create a translation into English' },
  },
];

const VIDEOS = { ...OPENAI, tag: 'Videos' } as const;
const HELD =
  'Its price is held until the video is complete, and returned if it fails. With an image as a multipart form.';

const VIDEO_ROWS: readonly GatewayRow[] = [
  {
    ...{ ...VIDEOS, method: 'post', path: '/v1/videos', id: 'createVideo', title: 'Create a video' },
    ...{ note: HELD },
    body: { model: MODEL, prompt: { type: 'string' } },
    example: { model: 'sora-2', prompt: 'A lighthouse at dawn' },
  },
  {
    ...{ ...VIDEOS, method: 'get', path: '/v1/videos', id: 'listVideos', title: 'List videos' },
    ...{ note: 'Those of the account, as their vendors show them.' },
    query: {
      limit: 'Number of videos: 20 if it is absent, and 100 at most.',
      after: 'The `last_id` of the page before.',
      order: '`asc` or `desc`, by the time of creation.',
    },
  },
  { ...VIDEOS, method: 'get', path: '/v1/videos/{id}', id: 'getVideo', title: 'Get a video' },
  { ...VIDEOS, method: 'delete', path: '/v1/videos/{id}', id: 'deleteVideo', title: 'Delete a video' },
  {
    ...{ ...VIDEOS, method: 'get', path: '/v1/videos/{id}/content', id: 'getVideoContent' },
    ...{ title: 'Get the content of a video', type: 'video/mp4', note: '`Range` is passed on.' },
    query: { variant: '`video`, `thumbnail` or `spritesheet`.' },
  },
];

const VECTORS = { of: 'Google', tag: 'Embeddings', method: 'post' } as const;
const CONTENT_TO_EMBED = { content: { parts: [{ text: 'Hello' }] } };

const EMBEDDING_ROWS: readonly GatewayRow[] = [
  {
    ...{ ...OPENAI, tag: 'Embeddings', method: 'post', path: '/v1/embeddings', id: 'createEmbeddings' },
    title: 'Create embeddings',
    body: { model: MODEL, input: { type: ['string', 'array'], description: 'A text, or up to 2,048.' } },
    example: { model: 'text-embedding-3-small', input: 'Hello' },
  },
  {
    ...{ ...VECTORS, path: '/v1beta/models/{model}:embedContent', id: 'embedContent' },
    ...{ title: 'Embed content', note: PREFIXES },
    body: { content: { type: 'object', description: 'The content with its parts.' } },
    example: CONTENT_TO_EMBED,
  },
  {
    ...{ ...VECTORS, path: '/v1beta/models/{model}:batchEmbedContents', id: 'batchEmbedContents' },
    ...{ title: 'Embed many contents', note: PREFIXES },
    body: { requests: { type: 'array', items: { type: 'object' }, description: 'Each names the model.' } },
    example: { requests: [{ model: 'models/gemini-embedding-001', ...CONTENT_TO_EMBED }] },
  },
];

const MODEL_ROWS: readonly GatewayRow[] = [
  {
    ...{ ...OPENAI, tag: 'Models', method: 'get', path: '/v1/models', id: 'listModelsOfKey' },
    title: 'List models',
    note: 'Clients of Anthropic and Google, identified by their headers, get the format of their vendor.',
  },
  {
    ...{ ...OPENAI, tag: 'Models', method: 'get', path: '/v1/models/{model}', id: 'getModelOfKey' },
    title: 'Get a model',
  },
  {
    ...{ of: 'Google', tag: 'Models', method: 'get', path: '/v1beta/models', id: 'listModelsForGoogle' },
    ...{ title: 'List models for clients of Google', note: PREFIXES },
    query: { pageSize: 'Number of models.', pageToken: 'The `nextPageToken` of the page before.' },
  },
  {
    ...{
      of: 'Google',
      tag: 'Models',
      method: 'get',
      path: '/v1beta/models/{model}',
      id: 'getModelForGoogle',
    },
    ...{ title: 'Get a model for clients of Google', note: PREFIXES },
  },
];

const TEXT = 'text/plain; charset=utf-8';
const SERVER_ROWS: readonly GatewayRow[] = [
  {
    ...{ tag: 'Server', method: 'get', path: '/healthz', id: 'getHealth', title: 'Get health', type: TEXT },
    note: 'The process is running.',
  },
  {
    ...{ tag: 'Server', method: 'get', path: '/readyz', id: 'getReadiness', title: 'Get readiness' },
    ...{ type: TEXT, note: '200 if calls can be served. Otherwise 503, and the text says why.' },
  },
  {
    ...{ tag: 'Server', method: 'get', path: '/openapi.json', id: 'getApiDocument' },
    ...{ title: 'Get this document', type: 'application/json', note: 'OpenAPI 3.1.' },
  },
  {
    ...{ tag: 'Server', method: 'get', path: '/docs', id: 'getReference', title: 'Get the API reference' },
    ...{ type: 'text/html; charset=utf-8', note: 'This page.' },
  },
];

export const GATEWAY_ROWS = [
  ...[...TEXT_ROWS, ...CONVERSATION_ROWS, ...IMAGE_ROWS, ...EMBEDDING_ROWS, ...PASSED_ROWS],
  ...[...VIDEO_ROWS, ...BATCH_ROWS, ...MODEL_ROWS, ...SERVER_ROWS],
];
