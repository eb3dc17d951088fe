import { reportedFigure } from '../bytes/number.ts';
import { compilePaths } from '../bytes/paths.ts';
import { Skimmer } from '../bytes/skim.ts';
import type { PlainAnswer } from '../dialect.ts';
import { type AnswerShape, readAnswer } from '../pass-through/answer.ts';
import { INPUT_ONLY_RULE } from '../pass-through/no-stream.ts';

const TREE = compilePaths({
  model: 'model',
  data: 'data',
  error: 'error',
  input: 'usage.prompt_tokens',
  total: 'usage.total_tokens',
});
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  signs: [slots.data],
  words: INPUT_ONLY_RULE.words,
  // Some vendors report the total only.
  figures: (body) => ({
    input: reportedFigure(body, skimmer, slots.input) ?? reportedFigure(body, skimmer, slots.total),
  }),
  settle: INPUT_ONLY_RULE.settle,
};

export function readEmbeddingsAnswer(body: Buffer, modelId: string): PlainAnswer {
  return readAnswer(body, SHAPE, modelId);
}
