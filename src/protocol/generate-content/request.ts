import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { larger } from '../figures.ts';
import { compilePaths } from '../paths.ts';
import { boundAnswers, foundFigure, foundLimit, inputTokensEstimate, scanRequest } from '../request.ts';
import type { JsonScan } from '../scan.ts';

/** Google reads both spellings of every field, each name for itself. */
const TREE = compilePaths({
  config: 'generationConfig',
  configSnake: 'generation_config',
  limit: 'generationConfig.maxOutputTokens',
  limitSnake: 'generationConfig.max_output_tokens',
  snakeLimit: 'generation_config.maxOutputTokens',
  snakeLimitSnake: 'generation_config.max_output_tokens',
  answers: 'generationConfig.candidateCount',
  answersSnake: 'generationConfig.candidate_count',
  snakeAnswers: 'generation_config.candidateCount',
  snakeAnswersSnake: 'generation_config.candidate_count',
});
const { slots } = TREE;
const CONFIGS = [
  { config: slots.config, limits: [slots.limit, slots.limitSnake] },
  { config: slots.configSnake, limits: [slots.snakeLimit, slots.snakeLimitSnake] },
];
const ANSWERS = [slots.answers, slots.answersSnake, slots.snakeAnswers, slots.snakeAnswersSnake];

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
  // A message given twice may be merged, and the scan keeps the figures of the last one only.
  const isRepeated = CONFIGS.some(({ config }) => (scan.found[config]?.length ?? 0) > 1);
  const answers = isRepeated ? Number.POSITIVE_INFINITY : foundFigure(body, scan, ANSWERS);
  return {
    // A `model` in the body is the vendor's business: the path decides, and the body goes as it came.
    modelRanges: [],
    outputTokensMax: isRepeated ? undefined : readLimit(body, scan),
    answers: boundAnswers(answers),
    images: 0,
    inputTokensEstimate: inputTokensEstimate(scan),
    holdsEnvelope: scan.holdsEnvelope,
    usageInjected: false,
    usageSplice: undefined,
    edit: false,
  };
}

/** Of two spellings the one without a limit may be the one that is read: then there is none. */
function readLimit(body: Buffer, scan: JsonScan): number | undefined {
  let limit: number | undefined;
  for (const { config, limits } of CONFIGS) {
    if (scan.found[config] === undefined) continue;
    const given = limits.filter((slot) => scan.found[slot] !== undefined);
    const figures = given.map((slot) => foundLimit(body, scan, [slot]));
    if (given.length === 0 || figures.includes(undefined)) return undefined;
    limit = figures.reduce(larger, limit);
  }
  return limit;
}
