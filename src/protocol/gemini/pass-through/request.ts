import { MODEL_NAME_LENGTH_MAX } from '../../../bounds.ts';
import { assert } from '../../../kernel/assert.ts';
import { type Refusal, refuse } from '../../../kernel/errors.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import type { JsonScan } from '../../bytes/scan.ts';
import { quoteModel, splice } from '../../bytes/splice.ts';
import { decodeText } from '../../bytes/text.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../../dialect.ts';
import { compileMediaKeys } from '../../media/finder.ts';
import { inputFacts } from '../../meter/input-estimate.ts';
import { compileMembers } from '../../pass-through/metered-keys.ts';
import { boundAnswers, foundFigure, foundLimit, scanRequest } from '../../pass-through/request.ts';

/** Google reads both spellings of every field, for each name separately. Only one of them may be present. */
const TREE = compileMembers({
  model: ['model', 'any'],
  config: ['generationConfig', 'object'],
  configSnake: ['generation_config', 'object'],
  limit: ['generationConfig.maxOutputTokens', 'limit'],
  limitSnake: ['generationConfig.max_output_tokens', 'limit'],
  snakeLimit: ['generation_config.maxOutputTokens', 'limit'],
  snakeLimitSnake: ['generation_config.max_output_tokens', 'limit'],
  answers: ['generationConfig.candidateCount', 'count'],
  answersSnake: ['generationConfig.candidate_count', 'count'],
  snakeAnswers: ['generation_config.candidateCount', 'count'],
  snakeAnswersSnake: ['generation_config.candidate_count', 'count'],
  tools: ['tools', 'list', 'object'],
  cached: ['cachedContent', 'text'],
  cachedSnake: ['cached_content', 'text'],
});
const { slots } = TREE;
export const GEMINI_MEMBERS = TREE.members;
const LIMITS = [slots.limit, slots.limitSnake, slots.snakeLimit, slots.snakeLimitSnake];
const ANSWERS = [slots.answers, slots.answersSnake, slots.snakeAnswers, slots.snakeAnswersSnake];

const WATCHED = {
  media: compileMediaKeys({
    raw: ['tools', 'args', 'response', 'responseSchema', 'response_schema', 'responseJsonSchema'],
    part: ['inlineData', 'inline_data', 'fileData', 'file_data'],
    inner: ['data', 'fileUri', 'file_uri'],
  }),
};
/** Cached content is charged again, and its size is unknown here. */
const CACHED_TOKENS = 32_768;

type CallPath = NonNullable<RawRequest['path']>;

export function readGeminiRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  const { path, body } = request;
  assert(path !== undefined, 'generateContent carries its model in the path');
  if (path.model === '' || path.model.length > MODEL_NAME_LENGTH_MAX) return refuse('modelMissing');
  return scanRequest(body, TREE, (scan) => readFacts(body, scan, path), WATCHED);
}

function readFacts(body: Buffer, scan: JsonScan, { model, stream }: CallPath): RequestFacts | Refusal {
  const { found } = scan;
  const modelRanges = found[slots.model] ?? NOWHERE;
  if (!modelRanges.every((range) => isNamed(body, range, model))) {
    return refuse('bodyNotJson', { message: '"model" in the body differs from the model in the path' });
  }
  const isCached = found[slots.cached] !== undefined || found[slots.cachedSnake] !== undefined;
  const about = { tools: found[slots.tools]?.at(-1), extra: isCached ? CACHED_TOKENS : 0 };
  const input = inputFacts(body, scan, { protocol: 'gemini', model, ...about });
  return {
    model,
    stream,
    modelRanges,
    outputTokensMax: foundLimit(body, scan, LIMITS),
    answers: boundAnswers(foundFigure(body, scan, ANSWERS)),
    images: 0,
    inputTokensEstimate: input.inputTokensEstimate,
    inputTokensLikely: input.inputTokensLikely,
    mediaTokens: input.mediaTokens,
    holdsEnvelope: scan.holdsEnvelope,
    usageInjected: false,
    usageSplice: undefined,
    edit: false,
  };
}

const NOWHERE: readonly ByteRange[] = [];
const COLLECTION = 'models/';

/** The path decides, with or without its collection. If the body names the model too, it must be the same. */
export function isNamed(body: Buffer, { start, end }: ByteRange, model: string): boolean {
  if (body[start] !== QUOTE || end - start > MODEL_NAME_LENGTH_MAX * 6) return false;
  return bareName(decodeText(body, start + 1, end - 1)) === bareName(model);
}

function bareName(model: string): string {
  return model.startsWith(COLLECTION) ? model.slice(COLLECTION.length) : model;
}

/** The body is sent unchanged, unless it names the model: then the vendor's name is put there too. */
export function spliceGeminiRequest(
  { body }: RawRequest,
  { modelRanges }: RequestFacts,
  forwardModel: string,
): readonly Buffer[] {
  if (modelRanges.length === 0) return [body];
  return splice(
    body,
    modelRanges.map((at) => {
      const isBare = !decodeText(body, at.start + 1, at.end - 1).startsWith(COLLECTION);
      const name = isBare || forwardModel.includes('/') ? forwardModel : COLLECTION + forwardModel;
      return { at, bytes: quoteModel(name) };
    }),
  );
}
