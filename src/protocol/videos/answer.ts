import { NO_USAGE } from '../../kernel/usage.ts';
import { compilePaths } from '../bytes/paths.ts';
import { Skimmer } from '../bytes/skim.ts';
import type { PlainAnswer } from '../dialect.ts';
import { type AnswerShape, readAnswer } from '../pass-through/answer.ts';
import { INPUT_ONLY_RULE } from '../pass-through/no-stream.ts';
import { isObjectId, slotText } from '../pass-through/object-text.ts';

const TREE = compilePaths({ model: 'model', id: 'id', status: 'status', error: 'error' });
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  // A video that failed has an error too. What has only that is an error.
  signs: [slots.id],
  words: INPUT_ONLY_RULE.words,
  figures: () => ({ input: 0 }),
  settle: INPUT_ONLY_RULE.settle,
};

/** What a vendor says of a video. */
export interface VideoAnswer extends PlainAnswer {
  /** Empty if it is missing, or no id that can stand in a path. */
  readonly id: string;
  readonly status: string;
}

/** Reads a video: how far it is, and the answer with the platform's name of the model. */
export function readVideo(body: Buffer, modelId: string): VideoAnswer {
  const answer = readAnswer(body, SHAPE, modelId);
  const id = slotText(body, skimmer, slots.id);
  return { ...answer, id: isObjectId(id) ? id : '', status: slotText(body, skimmer, slots.status) };
}

/** The answer to a new video. Without an id nobody could ask for it, so it is no answer. */
export function readCreatedVideo(body: Buffer, modelId: string): PlainAnswer {
  const { id, status, ...answer } = readVideo(body, modelId);
  const isCreated = answer.valid && id !== '' && status !== 'failed';
  return {
    ...answer,
    valid: answer.isError || (answer.valid && id !== ''),
    usage: answer.isError ? undefined : { ...NO_USAGE, videos: isCreated ? 1 : 0 },
    jobId: isCreated ? id : undefined,
  };
}
