import { compilePaths } from '../../bytes/paths.ts';
import { Skimmer } from '../../bytes/skim.ts';
import type { PlainAnswer } from '../../dialect.ts';
import { type AnswerShape, readAnswer } from '../../pass-through/answer.ts';
import {
  MESSAGES_ANSWER_WORDS,
  MESSAGES_USAGE_RULE,
  messagesUsagePaths,
  readMessagesFigures,
} from './usage.ts';

const TREE = compilePaths({
  model: 'model',
  content: 'content',
  error: 'error',
  ...messagesUsagePaths(''),
});
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  signs: [slots.content],
  words: MESSAGES_ANSWER_WORDS,
  figures: (body) => readMessagesFigures(body, skimmer, slots),
  settle: MESSAGES_USAGE_RULE.settle,
};

export function readMessagesAnswer(body: Buffer, modelId: string): PlainAnswer {
  return readAnswer(body, SHAPE, modelId);
}
