import { samplePicture } from '../../../sim/answer/picture.ts';
import type { TruthCall } from '../../../sim/truth.ts';
import type { CloudKind } from '../../../src/catalog/contract.ts';
import type { Protocol } from '../../../src/kernel/protocol-name.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { formBody, jsonBody, type MadeBody, silentSound } from './body.ts';

export type Form = 'plain' | 'stream';

export const VENDOR_CODES = ['openai', 'jina', 'cohere', 'anthropic', 'google'] as const;
export type VendorCode = (typeof VENDOR_CODES)[number] | CloudKind;

/** What is charged for; what is left out is 0. */
export interface Used {
  readonly input?: number;
  readonly output?: number;
  readonly images?: number;
  readonly videos?: number;
}

/** One small valid call of an endpoint, or through a cloud, and its charge by the vendor's truth. */
export interface EndpointCall {
  /** As the gateway's own tables name it: a path, an action of Google's, or the kind of a cloud. */
  readonly name: string;
  readonly protocol: Protocol;
  /** Of the platform; it has no other endpoint. */
  readonly model: string;
  readonly vendor: VendorCode;
  /** The vendor's name of it. */
  readonly forward: string;
  /** Micro-yuan for a token, character, second, search unit or picture: any call costs a Credit or more. */
  readonly price: Used;
  readonly forms: readonly Form[];
  /** `words` are for the simulator. */
  send(words: string, form: Form): MadeBody;
  path(form: Form): string;
  /** What a whole answer is charged for. */
  used(made: TruthCall): Used;
  /** What is owed by who leaves while the vendor is at work on a plain answer. */
  left(made: TruthCall): Used;
  /** The least that is charged where the vendor has reported nothing; else it is what was `used`. */
  readonly leastCounted?: Used;
  /** No vendor reports anything: every call is marked as estimated. */
  readonly isCounted?: true;
  /** The fault that breaks a stream in its middle. */
  readonly cut: string;
}

const TOKEN_PRICE = { input: 100, output: 300 };
const SOUND_SECONDS = 4;
const PLAIN: readonly Form[] = ['plain'];
const BOTH: readonly Form[] = ['plain', 'stream'];
/** Above what any proof asks for: the answer is as long as its directive says. */
const OUTPUT_MAX = 80;

const prompt = (words: string): string => `Count the boats in the harbour, twice. [[sim ${words}]]`;
const streamed = (form: Form): object => (form === 'stream' ? { stream: true } : {});
const picture = { name: 'boat.png', type: 'image/png', data: samplePicture(seededRandom(1)) };
const sound = silentSound(SOUND_SECONDS);

const textUsed = ({ inputTokens, outputTokens }: TruthCall): Used => ({
  input: inputTokens,
  output: outputTokens,
});
const inputUsed = ({ inputTokens }: TruthCall): Used => ({ input: inputTokens });

type Part = 'name' | 'protocol' | 'model' | 'vendor' | 'forward' | 'send';
type Row = Pick<EndpointCall, Part> & Partial<EndpointCall>;

/** What is not said is that of a path of its own, which is answered with tokens. */
function row(given: Row): EndpointCall {
  return {
    price: TOKEN_PRICE,
    forms: PLAIN,
    path: () => given.name,
    used: textUsed,
    left: inputUsed,
    cut: 'fault=reset@10t',
    ...given,
  };
}

const OPENAI = { vendor: 'openai' } as const;
const CHAT = { ...OPENAI, protocol: 'chat', forward: 'gpt-4.1', forms: BOTH } as const;
const CLAUDE = { protocol: 'messages', forms: BOTH } as const;
const GEMINI = { protocol: 'gemini', forward: 'gemini-2.5-flash-lite' } as const;
const VECTORS = {
  protocol: 'gemini-embeddings',
  vendor: 'google',
  forward: 'gemini-embedding-001',
  used: inputUsed,
} as const;
const DRAWN = {
  ...OPENAI,
  protocol: 'images',
  forward: 'gpt-image-1',
  price: { images: 300_000 },
  used: ({ images }: TruthCall): Used => ({ images }),
  left: (): Used => ({ images: 1 }),
} as const;
const HEARD = {
  ...OPENAI,
  protocol: 'transcriptions',
  price: { input: 1_000, output: 300 },
  // Without a report the seconds are counted, and not the tokens.
  leastCounted: { input: SOUND_SECONDS },
} as const;

const messages = (words: string) => [{ role: 'user', content: prompt(words) }];
const contents = (words: string) => [{ role: 'user', parts: [{ text: prompt(words) }] }];

const chatBody = (model: string) => (words: string, form: Form) =>
  jsonBody({ model, messages: messages(words), max_completion_tokens: OUTPUT_MAX, ...streamed(form) });
const messagesBody = (model: string) => (words: string, form: Form) =>
  jsonBody({ model, messages: messages(words), max_tokens: OUTPUT_MAX, ...streamed(form) });
const geminiBody = (words: string) =>
  jsonBody({ contents: contents(words), generationConfig: { maxOutputTokens: OUTPUT_MAX } });
const geminiPath = (model: string) => (form: Form) =>
  `/v1beta/models/${model}:${form === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
const vectorBody = (model: string, words: string) => ({
  model: `models/${model}`,
  content: { parts: [{ text: prompt(words) }] },
  outputDimensionality: 32,
});

const TEXT_CALLS: readonly EndpointCall[] = [
  row({ ...CHAT, name: '/v1/chat/completions', model: 'm-chat', send: chatBody('m-chat') }),
  row({
    ...CHAT,
    name: '/v1/responses',
    protocol: 'responses',
    model: 'm-responses',
    send: (words, form) => {
      const limit = { max_output_tokens: OUTPUT_MAX };
      return jsonBody({ model: 'm-responses', input: prompt(words), ...limit, ...streamed(form) });
    },
  }),
  row({
    ...CHAT,
    name: '/v1/responses/compact',
    protocol: 'responses',
    model: 'm-compact',
    forms: PLAIN,
    // The summary is sealed: without a report only the input is counted.
    leastCounted: { input: 1 },
    send: (words) => jsonBody({ model: 'm-compact', input: prompt(words) }),
  }),
  row({
    ...CLAUDE,
    name: '/v1/messages',
    vendor: 'anthropic',
    forward: 'claude-sonnet-4-5',
    model: 'm-messages',
    send: messagesBody('m-messages'),
  }),
  row({
    ...GEMINI,
    name: ':generateContent',
    vendor: 'google',
    model: 'm-generate',
    path: geminiPath('m-generate'),
    send: geminiBody,
  }),
  row({
    ...GEMINI,
    name: ':streamGenerateContent',
    vendor: 'google',
    model: 'm-stream',
    forms: ['stream'],
    path: geminiPath('m-stream'),
    send: geminiBody,
  }),
  row({
    ...OPENAI,
    name: '/v1/completions',
    protocol: 'completions',
    forward: 'gpt-3.5-turbo-instruct',
    model: 'm-completions',
    forms: BOTH,
    send: (words, form) => {
      const limit = { max_tokens: OUTPUT_MAX };
      return jsonBody({ model: 'm-completions', prompt: prompt(words), ...limit, ...streamed(form) });
    },
  }),
];

const PICTURE_CALLS: readonly EndpointCall[] = [
  row({
    ...DRAWN,
    name: '/v1/images/generations',
    model: 'm-drawn',
    send: (words) => jsonBody({ model: 'm-drawn', prompt: prompt(words) }),
  }),
  row({
    ...DRAWN,
    name: '/v1/images/edits',
    model: 'm-edited',
    send: (words) => formBody({ model: 'm-edited', prompt: prompt(words), image: picture }),
  }),
  row({
    ...DRAWN,
    name: '/v1/images/variations',
    forward: 'dall-e-2',
    model: 'm-varied',
    // It has no prompt: the simulator reads its directive here.
    send: (words) => formBody({ model: 'm-varied', image: picture, user: prompt(words) }),
  }),
];

const INPUT_CALLS: readonly EndpointCall[] = [
  row({
    ...OPENAI,
    name: '/v1/embeddings',
    protocol: 'embeddings',
    forward: 'text-embedding-3-small',
    model: 'm-embeddings',
    used: inputUsed,
    send: (words) => jsonBody({ model: 'm-embeddings', input: prompt(words), dimensions: 32 }),
  }),
  row({
    ...VECTORS,
    name: ':embedContent',
    model: 'm-embed',
    path: () => '/v1beta/models/m-embed:embedContent',
    send: (words) => jsonBody(vectorBody('m-embed', words)),
  }),
  row({
    ...VECTORS,
    name: ':batchEmbedContents',
    model: 'm-batch',
    path: () => '/v1beta/models/m-batch:batchEmbedContents',
    send: (words) => jsonBody({ requests: [vectorBody('m-batch', words)] }),
  }),
  row({
    ...OPENAI,
    name: '/v1/moderations',
    protocol: 'moderations',
    forward: 'omni-moderation-latest',
    model: 'm-moderations',
    used: inputUsed,
    isCounted: true,
    send: (words) => jsonBody({ model: 'm-moderations', input: prompt(words) }),
  }),
  row({
    name: '/v1/rerank',
    protocol: 'rerank',
    vendor: 'jina',
    forward: 'jina-reranker-v3',
    model: 'm-ranked',
    used: inputUsed,
    send: (words) => jsonBody({ model: 'm-ranked', query: 'boats', documents: [prompt(words)] }),
  }),
  row({
    name: '/v2/rerank',
    protocol: 'rerank',
    vendor: 'cohere',
    forward: 'rerank-v3.5',
    model: 'm-units',
    price: { output: 14_000 },
    // Billed by search units, of which one document is one.
    used: () => ({ output: 1 }),
    left: () => ({ output: 1 }),
    send: (words) => jsonBody({ model: 'm-units', query: 'boats', documents: [prompt(words)] }),
  }),
];

const SOUND_CALLS: readonly EndpointCall[] = [
  row({
    ...OPENAI,
    name: '/v1/audio/speech',
    protocol: 'speech',
    forward: 'tts-1',
    model: 'm-speech',
    forms: ['stream'],
    used: inputUsed,
    cut: 'fault=reset@5',
    send: (words) => jsonBody({ model: 'm-speech', voice: 'alloy', input: prompt(words) }),
  }),
  row({
    ...HEARD,
    name: '/v1/audio/transcriptions',
    forward: 'gpt-4o-transcribe',
    model: 'm-transcribed',
    forms: BOTH,
    send: (words, form) =>
      formBody({
        model: 'm-transcribed',
        file: sound,
        prompt: prompt(words),
        ...(form === 'stream' && { stream: 'true' }),
      }),
  }),
  row({
    ...HEARD,
    name: '/v1/audio/translations',
    forward: 'whisper-1',
    model: 'm-translated',
    used: inputUsed,
    send: (words) => formBody({ model: 'm-translated', file: sound, prompt: prompt(words) }),
  }),
];

const CLOUD_CALLS: readonly EndpointCall[] = [
  row({
    ...CHAT,
    name: 'azure',
    vendor: 'azure',
    model: 'm-azure',
    path: () => '/v1/chat/completions',
    send: chatBody('m-azure'),
  }),
  row({
    ...CLAUDE,
    name: 'bedrock',
    vendor: 'bedrock',
    forward: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    model: 'm-bedrock',
    path: () => '/v1/messages',
    send: messagesBody('m-bedrock'),
  }),
  row({
    ...GEMINI,
    name: 'vertex',
    vendor: 'vertex',
    model: 'm-vertex',
    forms: BOTH,
    path: geminiPath('m-vertex'),
    send: geminiBody,
  }),
];

/**
 * Every endpoint that serves calls, and every kind of cloud: what the proofs of tenants, strange requests,
 * secrets, billing, kills and races go through. A new endpoint is one row here; coverage.ts tells which are
 * missing.
 */
export const ENDPOINT_CALLS: readonly EndpointCall[] = [
  ...TEXT_CALLS,
  ...PICTURE_CALLS,
  ...INPUT_CALLS,
  ...SOUND_CALLS,
  ...CLOUD_CALLS,
];

/** Micro-yuan, with no line of the product's price code. */
export function worthMicro({ price }: EndpointCall, used: Used): bigint {
  const kinds = ['input', 'output', 'images', 'videos'] as const;
  return kinds.reduce((sum, kind) => sum + BigInt(used[kind] ?? 0) * BigInt(price[kind] ?? 0), 0n);
}
