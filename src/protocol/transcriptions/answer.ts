import { compilePaths } from '../bytes/paths.ts';
import { isOpenBrace, Skimmer, skipSpace } from '../bytes/skim.ts';
import type { PlainAnswer } from '../dialect.ts';
import { type AnswerShape, readAnswer } from '../pass-through/answer.ts';
import { readTranscriptFigures, TRANSCRIPT_USAGE_PATHS, TRANSCRIPT_USAGE_RULE } from './usage.ts';

const TREE = compilePaths({ model: 'model', text: 'text', error: 'error', ...TRANSCRIPT_USAGE_PATHS });
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  signs: [slots.text],
  // Without a report the length of the sound is charged, and not its words.
  words: TRANSCRIPT_USAGE_RULE.words,
  figures: (body) => readTranscriptFigures(body, skimmer, slots),
  settle: TRANSCRIPT_USAGE_RULE.settle,
};

/** What a page of HTML begins with. */
const LESS_THAN = 0x3c;

/** JSON, or a text as it is: words, or subtitles. A page of HTML is neither. */
export function readTranscript(body: Buffer, modelId: string): PlainAnswer {
  const start = skipSpace(body, 0, body.length);
  if (isOpenBrace(body, start)) return readAnswer(body, SHAPE, modelId);
  const valid = body[start] !== LESS_THAN;
  return { pieces: [body], usage: undefined, outputTokens: () => 0, valid, isError: false };
}
