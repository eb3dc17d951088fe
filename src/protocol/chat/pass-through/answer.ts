import { compilePaths } from '../../bytes/paths.ts';
import { Skimmer } from '../../bytes/skim.ts';
import type { PlainAnswer } from '../../dialect.ts';
import { type AnswerShape, readAnswer } from '../../pass-through/answer.ts';
import { CHAT_USAGE_PATHS, CHAT_USAGE_RULE, readChatFigures } from './usage.ts';

const TREE = compilePaths({ model: 'model', choices: 'choices', error: 'error', ...CHAT_USAGE_PATHS });
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  signs: [slots.choices],
  words: CHAT_USAGE_RULE.words,
  figures: (body) => readChatFigures(body, skimmer, slots),
  settle: CHAT_USAGE_RULE.settle,
};

export function readChatAnswer(body: Buffer, modelId: string): PlainAnswer {
  return readAnswer(body, SHAPE, modelId);
}
