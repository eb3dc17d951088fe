import { compilePaths } from '../../bytes/paths.ts';
import { Skimmer } from '../../bytes/skim.ts';
import type { PlainAnswer } from '../../dialect.ts';
import { type AnswerShape, readAnswer } from '../../pass-through/answer.ts';
import { Candidates } from './candidates.ts';
import { GENERATE_USAGE_PATHS, GENERATE_USAGE_RULE, readGenerateFigures } from './usage.ts';

const TREE = compilePaths({
  model: 'modelVersion',
  candidates: 'candidates',
  promptFeedback: 'promptFeedback',
  error: 'error',
  ...GENERATE_USAGE_PATHS,
});
const { slots } = TREE;
const found = new Candidates();
const skimmer = new Skimmer(TREE, { slot: slots.candidates, walk: found.walk });

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  signs: [slots.candidates, slots.promptFeedback, slots.usage],
  words: GENERATE_USAGE_RULE.words,
  figures: (body) => readGenerateFigures(body, skimmer, slots),
  settle: GENERATE_USAGE_RULE.settle,
  images: () => ((skimmer.starts[slots.candidates] as number) < 0 ? 0 : found.pictures),
};

export function readGeminiAnswer(body: Buffer, modelId: string): PlainAnswer {
  return readAnswer(body, SHAPE, modelId);
}
