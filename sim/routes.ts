import { anthropicMessages } from './anthropic/dialect.ts';
import { anthropicCount, anthropicModels, anthropicNotFound } from './anthropic/endpoints.ts';
import { matchMessageBatches } from './batches/anthropic.ts';
import { matchFiles } from './batches/files.ts';
import { matchBatches } from './batches/openai.ts';
import { compatibleChat, compatibleModels } from './compatible/dialect.ts';
import type { Dialect, VendorRequest } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import { googleGenerate } from './google/dialect.ts';
import { googleCount, googleModels, googleNotFound } from './google/endpoints.ts';
import { googleEmbed } from './google-embeddings/dialect.ts';
import type { Vendor } from './models.ts';
import { openaiModels, openaiNotFound } from './openai/endpoints.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiCompletions } from './openai-completions/dialect.ts';
import { openaiEmbeddings } from './openai-embeddings/dialect.ts';
import { openaiImages } from './openai-images/dialect.ts';
import { openaiModerations } from './openai-moderations/dialect.ts';
import { openaiCompact, openaiResponses } from './openai-responses/dialect.ts';
import { responsesCount } from './openai-responses/endpoints.ts';
import { openaiSpeech } from './openai-speech/dialect.ts';
import { openaiTranscriptions } from './openai-transcriptions/dialect.ts';
import { openaiVideos } from './openai-videos/dialect.ts';
import { matchVideo, serveVideo } from './openai-videos/endpoints.ts';
import type { Reply } from './request/ask.ts';
import { rerank } from './rerank/dialect.ts';
import type { World } from './world.ts';

export type Endpoint =
  | { readonly kind: 'generate'; readonly dialect: Dialect; readonly pathModel: string }
  | {
      readonly kind: 'answer';
      readonly vendor: Vendor;
      readonly pathModel: string;
      answer(request: VendorRequest): Reply;
    }
  | {
      readonly kind: 'serve';
      readonly vendor: Vendor;
      readonly pathModel: string;
      serve(request: VendorRequest, exchange: Exchange): Promise<void>;
    };

const POSTS: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/chat/completions', generate(openaiChat)],
  ['/v1/responses', generate(openaiResponses)],
  ['/v1/responses/compact', generate(openaiCompact)],
  ['/v1/images/generations', generate(openaiImages('generations'))],
  ['/v1/images/edits', generate(openaiImages('edits'))],
  ['/v1/images/variations', generate(openaiImages('variations'))],
  ['/v1/embeddings', generate(openaiEmbeddings)],
  ['/v1/moderations', generate(openaiModerations)],
  ['/v1/rerank', generate(rerank)],
  ['/v2/rerank', generate(rerank)],
  ['/v1/completions', generate(openaiCompletions)],
  ['/v1/audio/speech', generate(openaiSpeech)],
  ['/v1/audio/transcriptions', generate(openaiTranscriptions('transcriptions'))],
  ['/v1/audio/translations', generate(openaiTranscriptions('translations'))],
  ['/v1/messages', generate(anthropicMessages)],
  ['/v1/messages/count_tokens', answer('anthropic', anthropicCount)],
  ['/v1/responses/input_tokens', answer('openai', responsesCount)],
]);

const GOOGLE_CALL = /^\/v1(?:beta|alpha)?\/models\/(.{1,300}):([A-Za-z]{1,40})$/;
const GOOGLE_LIST = /^\/v1(?:beta|alpha)\/models$/;

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: VendorRequest['headers'];
}

/** One server is all vendors: the path tells which. One that imitates OpenAI may stand at any path. */
export function findEndpoint(
  { method, url, headers }: Asked,
  { compatible: quirks, videos, batches, clock }: Pick<World, 'compatible' | 'videos' | 'batches' | 'clock'>,
): Endpoint {
  const path = url.pathname;
  if (quirks !== undefined && method === 'POST' && path.endsWith('/chat/completions')) {
    return generate(compatibleChat(quirks));
  }
  if (quirks !== undefined && method === 'GET' && path.endsWith('/models')) {
    return answer('openai', () => compatibleModels(quirks));
  }
  if (method === 'POST' && path === '/v1/videos') return generate(openaiVideos(videos));
  const video = matchVideo(method, path);
  if (video !== undefined) {
    const serve = (request: VendorRequest, exchange: Exchange) =>
      serveVideo({ videos, request, exchange }, video);
    return { kind: 'serve', vendor: 'openai', pathModel: '', serve };
  }
  const messageBatch = matchMessageBatches(method, path);
  if (messageBatch !== undefined) {
    return answer('anthropic', (request) => messageBatch(request, { batches, clock }));
  }
  const batch = matchBatches(method, path) ?? matchFiles(method, path);
  if (batch !== undefined) return answer('openai', (request) => batch(request, { batches, clock }));
  if (method === 'POST') {
    const found = POSTS.get(path) ?? findGoogle(url);
    if (found !== undefined) return found;
  }
  if (method === 'GET' && GOOGLE_LIST.test(path)) return answer('google', googleModels);
  const anthropic = headers['anthropic-version'] !== undefined;
  if (method === 'GET' && path === '/v1/models') {
    return anthropic ? answer('anthropic', anthropicModels) : answer('openai', openaiModels);
  }
  if (path.startsWith('/v1beta')) return answer('google', googleNotFound);
  if (anthropic || path.startsWith('/v1/messages')) return answer('anthropic', anthropicNotFound);
  return answer('openai', openaiNotFound(method));
}

function findGoogle(url: URL): Endpoint | undefined {
  const match = GOOGLE_CALL.exec(url.pathname.replace(/%3[aA]/, ':'));
  if (match === null) return undefined;
  const [, encoded = '', operation = ''] = match;
  const pathModel = encoded.replaceAll(/%2[fF]/g, '/');
  if (operation === 'generateContent' || operation === 'streamGenerateContent') {
    return { kind: 'generate', dialect: googleGenerate(operation, url.searchParams), pathModel };
  }
  if (operation === 'embedContent' || operation === 'batchEmbedContents') {
    return { kind: 'generate', dialect: googleEmbed(operation), pathModel };
  }
  if (operation === 'countTokens') return { ...answer('google', googleCount), pathModel };
  return { ...answer('google', googleNotFound), pathModel };
}

function generate(dialect: Dialect): Endpoint {
  return { kind: 'generate', dialect, pathModel: '' };
}

function answer(vendor: Vendor, make: (request: VendorRequest) => Reply): Endpoint & { kind: 'answer' } {
  return { kind: 'answer', vendor, pathModel: '', answer: make };
}
