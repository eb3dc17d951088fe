import { NO_USAGE } from '../../kernel/usage.ts';
import { QUOTE } from '../bytes/ascii.ts';
import { compilePaths } from '../bytes/paths.ts';
import { Skimmer } from '../bytes/skim.ts';
import { decodeText } from '../bytes/text.ts';
import type { PlainAnswer } from '../dialect.ts';
import { type AnswerShape, readAnswer } from '../pass-through/answer.ts';
import { INPUT_ONLY_RULE } from '../pass-through/no-stream.ts';

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

/** An id that means the same in a path, in a header and in the store. */
const ID = /^(?!\.{1,2}$)[^\p{Cc}/\\]{1,256}$/u;

export function isVideoId(id: string): boolean {
  return ID.test(id) && id.isWellFormed();
}

/** Reads a video: how far it is, and the answer with the platform's name of the model. */
export function readVideo(body: Buffer, modelId: string): VideoAnswer {
  const answer = readAnswer(body, SHAPE, modelId);
  const id = textAt(body, slots.id);
  return { ...answer, id: isVideoId(id) ? id : '', status: textAt(body, slots.status) };
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

/** More than any id or status has, in bytes with escapes. */
const TEXT_BYTES_MAX = 2_048;

function textAt(body: Buffer, slot: number): string {
  const start = skimmer.starts[slot] as number;
  const end = skimmer.ends[slot] as number;
  if (start < 0 || body[start] !== QUOTE || end - start > TEXT_BYTES_MAX) return '';
  return decodeText(body, start + 1, end - 1);
}
