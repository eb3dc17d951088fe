import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../dialect.ts';
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
  { config: slots.config, limits: [[slots.limit], [slots.limitSnake]] },
  { config: slots.configSnake, limits: [[slots.snakeLimit], [slots.snakeLimitSnake]] },
] as const;
const ANSWERS = [slots.answers, slots.answersSnake, slots.snakeAnswers, slots.snakeAnswersSnake];

type CallPath = NonNullable<RawRequest['path']>;

export function readGenerateContentRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  const { path, body } = request;
  assert(path !== undefined, 'generateContent carries its model in the path');
  if (path.model === '' || path.model.length > MODEL_NAME_LENGTH_MAX) return refuse('modelMissing');
  return scanRequest(body, TREE, (scan) => readFacts(body, scan, path));
}

function readFacts(body: Buffer, scan: JsonScan, { model, stream }: CallPath): RequestFacts {
  // A message given twice may be merged, and the scan keeps the figures of the last one only.
  const isRepeated = isTwice(scan.found[slots.config]) || isTwice(scan.found[slots.configSnake]);
  const answers = isRepeated ? Number.POSITIVE_INFINITY : foundFigure(body, scan, ANSWERS);
  return {
    model,
    stream,
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
  let largest: number | undefined;
  for (const { config, limits } of CONFIGS) {
    if (scan.found[config] === undefined) continue;
    let isGiven = false;
    for (const limit of limits) {
      if (scan.found[limit[0]] === undefined) continue;
      const figure = foundLimit(body, scan, limit);
      if (figure === undefined) return undefined;
      largest = larger(largest, figure);
      isGiven = true;
    }
    if (!isGiven) return undefined;
  }
  return largest;
}

function isTwice(ranges: readonly ByteRange[] | undefined): boolean {
  return ranges !== undefined && ranges.length > 1;
}
