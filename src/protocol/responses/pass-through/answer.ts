import { compilePaths } from '../../bytes/paths.ts';
import { Skimmer } from '../../bytes/skim.ts';
import type { PlainAnswer } from '../../dialect.ts';
import { type AnswerShape, readAnswer } from '../../pass-through/answer.ts';
import { OutputPictures } from './pictures.ts';
import {
  RESPONSES_ANSWER_WORDS,
  RESPONSES_USAGE_RULE,
  readResponsesFigures,
  responsesUsagePaths,
} from './usage.ts';

const TREE = compilePaths({
  model: 'model',
  items: 'output',
  status: 'status',
  error: 'error',
  ...responsesUsagePaths(''),
});
const { slots } = TREE;
const pictures = new OutputPictures();
const skimmer = new Skimmer(TREE, { slot: slots.items, walk: pictures.walk });

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  // A failed response is an answer too: it has a status and may have usage.
  signs: [slots.items, slots.status],
  words: RESPONSES_ANSWER_WORDS,
  figures: (body) => readResponsesFigures(body, skimmer, slots),
  settle: RESPONSES_USAGE_RULE.settle,
  images: () => ((skimmer.starts[slots.items] as number) < 0 ? 0 : pictures.count),
};

export function readResponsesAnswer(body: Buffer, modelId: string): PlainAnswer {
  return readAnswer(body, SHAPE, modelId);
}
