import { type AnswerShape, readAnswer } from '../answer.ts';
import type { PlainAnswer } from '../dialect.ts';
import { compilePaths } from '../paths.ts';
import { Skimmer } from '../skim.ts';
import { GENERATE_USAGE_PATHS, GENERATE_USAGE_RULE, readGenerateFigures } from './usage.ts';

const TREE = compilePaths({
  model: 'modelVersion',
  candidates: 'candidates',
  promptFeedback: 'promptFeedback',
  error: 'error',
  ...GENERATE_USAGE_PATHS,
});
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  signs: [slots.candidates, slots.promptFeedback, slots.usage],
  words: GENERATE_USAGE_RULE.words,
  settle: (body) => GENERATE_USAGE_RULE.settle(readGenerateFigures(body, skimmer, slots)),
};

export function readGenerateContentAnswer(body: Buffer, modelId: string): PlainAnswer {
  return readAnswer(body, SHAPE, modelId);
}
