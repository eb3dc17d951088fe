import { type AnswerShape, readAnswer } from '../answer.ts';
import type { PlainAnswer } from '../dialect.ts';
import type { Settled } from '../figures.ts';
import { compilePaths } from '../paths.ts';
import { countElements, isOpenBracket, Skimmer } from '../skim.ts';
import { IMAGES_USAGE_PATHS, IMAGES_USAGE_RULE, readImagesFigures } from './usage.ts';

const TREE = compilePaths({ model: 'model', data: 'data', error: 'error', ...IMAGES_USAGE_PATHS });
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  signs: [slots.data],
  words: IMAGES_USAGE_RULE.words,
  settle: settleAnswer,
};

export function readImagesAnswer(body: Buffer, modelId: string): PlainAnswer {
  return readAnswer(body, SHAPE, modelId);
}

function settleAnswer(body: Buffer): Settled {
  const data = skimmer.starts[slots.data] as number;
  if (!isOpenBracket(body, data)) return IMAGES_USAGE_RULE.settle({});
  // Every element is an image, as `b64_json` or as `url`.
  const settled = IMAGES_USAGE_RULE.settle(readImagesFigures(body, skimmer, slots));
  return { ...settled, usage: { ...settled.usage, images: countElements(body, data) } };
}
