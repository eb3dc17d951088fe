import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { compilePaths } from '../paths.ts';
import { boundAnswers, foundFigure, foundLimit, inputTokensEstimate, scanRequest } from '../request.ts';
import type { JsonScan } from '../scan.ts';

/** Google reads both spellings of every field; the camel-case one wins. */
const TREE = compilePaths({
  outputMax: 'generationConfig.maxOutputTokens',
  outputMaxSnake: 'generation_config.max_output_tokens',
  answers: 'generationConfig.candidateCount',
  answersSnake: 'generation_config.candidate_count',
});
const { slots } = TREE;
const LIMITS = [slots.outputMax, slots.outputMaxSnake];
const ANSWERS = [slots.answers, slots.answersSnake];

export function readGenerateContentRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  const { path, body } = request;
  assert(path !== undefined, 'generateContent carries its model in the path');
  const { model, stream } = path;
  if (model === '' || model.length > MODEL_NAME_LENGTH_MAX) return refuse('modelMissing');
  return scanRequest(body, TREE, (scan) => ({ ...readFacts(body, scan), model, stream }));
}

function readFacts(body: Buffer, scan: JsonScan): Omit<RequestFacts, 'model' | 'stream'> {
  return {
    // A `model` in the body is the vendor's business: the path decides, and the body goes as it came.
    modelRanges: [],
    outputTokensMax: foundLimit(body, scan, LIMITS),
    answers: boundAnswers(foundFigure(body, scan, ANSWERS)),
    images: 0,
    inputTokensEstimate: inputTokensEstimate(scan),
    holdsEnvelope: scan.holdsEnvelope,
    usageInjected: false,
    usageSplice: undefined,
    edit: false,
  };
}
