import type { EndpointRow } from '../row.ts';
import { FREE, MESSAGE, MODEL, PREFIXES, STREAM, TURNS } from './shared.ts';

const CONTENT = {
  tag: 'generateContent',
  of: 'Google',
  body: { contents: TURNS },
  example: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
} as const;
const CONTENT_TO_EMBED = { content: { parts: [{ text: 'Hello' }] } };
/** Google's clients append `/v1beta/models/…` to the base address that they are given. */
const BELOW_MODELS = ['/v1/v1beta/models', '/v1alpha/models', '/v1/models', '/v1beta/tunedModels'] as const;

/** Chats, messages and contents, counts of their tokens, completions and embeddings. */
export const TEXT_ROWS = {
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    call: { protocol: 'chat' },
    document: {
      tag: 'Chat Completions',
      of: 'OpenAI',
      title: 'Create a chat completion',
      streams: true,
      body: { model: MODEL, messages: TURNS, stream: STREAM },
      example: { model: 'gpt-5', messages: [MESSAGE] },
    },
  },
  createCompletion: {
    method: 'POST',
    path: '/v1/completions',
    call: { protocol: 'completions' },
    document: {
      tag: 'Completions',
      of: 'OpenAI',
      title: 'Create a completion',
      streams: true,
      body: { model: MODEL, prompt: { type: ['string', 'array'] }, stream: STREAM },
      example: { model: 'gpt-3.5-turbo-instruct', prompt: 'Once upon a time' },
    },
  },
  createMessage: {
    method: 'POST',
    path: '/v1/messages',
    call: { protocol: 'messages' },
    document: {
      tag: 'Messages',
      of: 'Anthropic',
      title: 'Create a message',
      streams: true,
      body: { model: MODEL, max_tokens: { type: 'integer', minimum: 1 }, messages: TURNS, stream: STREAM },
      example: { model: 'claude-sonnet-5', max_tokens: 256, messages: [MESSAGE] },
    },
  },
  countTokensOfMessages: {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    counts: 'messages',
    document: {
      tag: 'Messages',
      of: 'Anthropic',
      title: 'Count the tokens of messages',
      note: FREE,
      body: { model: MODEL, messages: TURNS },
      example: { model: 'claude-sonnet-5', messages: [MESSAGE] },
    },
  },
  generateContent: {
    method: 'POST',
    path: '/v1beta/models/{model}:generateContent',
    alsoBelow: BELOW_MODELS,
    call: { protocol: 'gemini' },
    document: { ...CONTENT, title: 'Generate content', note: PREFIXES },
  },
  streamGenerateContent: {
    method: 'POST',
    path: '/v1beta/models/{model}:streamGenerateContent',
    alsoBelow: BELOW_MODELS,
    call: { protocol: 'gemini' },
    document: {
      ...CONTENT,
      title: 'Generate content as a stream',
      streams: true,
      note: PREFIXES,
      query: { alt: '`sse` for events. Otherwise the answer is one JSON array.' },
    },
  },
  countTokensOfContent: {
    method: 'POST',
    path: '/v1beta/models/{model}:countTokens',
    alsoBelow: BELOW_MODELS,
    counts: 'gemini',
    document: { ...CONTENT, title: 'Count the tokens of content', note: `${FREE} ${PREFIXES}` },
  },
  createEmbeddings: {
    method: 'POST',
    path: '/v1/embeddings',
    call: { protocol: 'embeddings' },
    document: {
      tag: 'Embeddings',
      of: 'OpenAI',
      title: 'Create embeddings',
      body: { model: MODEL, input: { type: ['string', 'array'], description: 'A text, or up to 2,048.' } },
      example: { model: 'text-embedding-3-small', input: 'Hello' },
    },
  },
  embedContent: {
    method: 'POST',
    path: '/v1beta/models/{model}:embedContent',
    alsoBelow: BELOW_MODELS,
    call: { protocol: 'gemini-embeddings' },
    document: {
      tag: 'Embeddings',
      of: 'Google',
      title: 'Embed content',
      note: PREFIXES,
      body: { content: { type: 'object', description: 'The content with its parts.' } },
      example: CONTENT_TO_EMBED,
    },
  },
  batchEmbedContents: {
    method: 'POST',
    path: '/v1beta/models/{model}:batchEmbedContents',
    alsoBelow: BELOW_MODELS,
    call: { protocol: 'gemini-embeddings' },
    document: {
      tag: 'Embeddings',
      of: 'Google',
      title: 'Embed many contents',
      note: PREFIXES,
      body: {
        requests: { type: 'array', items: { type: 'object' }, description: 'Each names the model.' },
      },
      example: { requests: [{ model: 'models/gemini-embedding-001', ...CONTENT_TO_EMBED }] },
    },
  },
} as const satisfies Readonly<Record<string, EndpointRow>>;
