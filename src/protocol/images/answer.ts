import { compilePaths } from '../bytes/paths.ts';
import { countElements, isOpenBracket, Skimmer } from '../bytes/skim.ts';
import type { PlainAnswer } from '../dialect.ts';
import { type AnswerShape, readAnswer } from '../pass-through/answer.ts';
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
  figures: (body) => (hasData(body) ? readImagesFigures(body, skimmer, slots) : {}),
  settle: IMAGES_USAGE_RULE.settle,
  // Every element is an image, as `b64_json` or as `url`.
  images: (body) => (hasData(body) ? countElements(body, dataStart()) : 0),
};

export function readImagesAnswer(body: Buffer, modelId: string): PlainAnswer {
  return readAnswer(body, SHAPE, modelId);
}

function hasData(body: Buffer): boolean {
  return isOpenBracket(body, dataStart());
}

function dataStart(): number {
  return skimmer.starts[slots.data] as number;
}
