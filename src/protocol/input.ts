import { TextSample } from './estimate.ts';
import type { PathTree } from './paths.ts';
import { countElements, isOpenBracket, Skimmer } from './skim.ts';
import { collectWords, type Words } from './words.ts';

/** OpenAI's figure for one picture at high detail, tiles included; close enough for the others. */
export const PICTURE_TOKENS = 765;
/** What a message's frame costs, and the start of the answer. */
const MESSAGE_TOKENS = 3;

/** How one protocol's request is counted: where its conversation stands and which keys hold text. */
export interface InputShape {
  readonly tree: PathTree<'messages'>;
  readonly words: Words;
}

/** Tokens of a request's input, for when no vendor reported them; bounded by the tokenizer's sample. */
export function countInput(body: Buffer, shape: InputShape): number {
  const sample = new TextSample();
  collectWords({ bytes: body, start: 0, end: body.length }, shape.words, sample);
  const skimmer = new Skimmer(shape.tree);
  skimmer.run(body, 0, body.length);
  const messages = countMessages(body, skimmer.starts[shape.tree.slots.messages] as number);
  return sample.tokens() + sample.pictures * PICTURE_TOKENS + (messages + 1) * MESSAGE_TOKENS;
}

/** A conversation that is a single string counts as one message. */
function countMessages(bytes: Buffer, open: number): number {
  if (open < 0) return 0;
  if (!isOpenBracket(bytes, open)) return 1;
  return countElements(bytes, open);
}
