import { QUOTE } from '../bytes/ascii.ts';
import { reportedFigure } from '../bytes/number.ts';
import { compilePaths } from '../bytes/paths.ts';
import { Skimmer } from '../bytes/skim.ts';
import { type Edit, quoteModel, splice } from '../bytes/splice.ts';
import type { PlainAnswer } from '../dialect.ts';
import { type AnswerShape, readAnswer } from '../pass-through/answer.ts';
import { INPUT_ONLY_RULE } from '../pass-through/no-stream.ts';
import { isObjectId, slotText } from '../pass-through/object-text.ts';
import type { BatchKind } from './sum.ts';

const TREE = compilePaths({
  model: 'model',
  id: 'id',
  status: 'status',
  processing: 'processing_status',
  endpoint: 'endpoint',
  output: 'output_file_id',
  errors: 'error_file_id',
  completed: 'request_counts.completed',
  results: 'results_url',
  error: 'error',
});
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

const SHAPE: AnswerShape = {
  skimmer,
  model: slots.model,
  error: slots.error,
  signs: [slots.id],
  words: INPUT_ONLY_RULE.words,
  figures: () => ({}),
  settle: INPUT_ONLY_RULE.settle,
};

/** What a vendor says of a batch. Texts that are missing are empty. */
export interface BatchAnswer extends PlainAnswer {
  /** Empty if it is missing, or no id that can stand in a path. */
  readonly id: string;
  /** `processing_status` in the form of Anthropic. */
  readonly status: string;
  /** OpenAI: the path of its requests. */
  readonly endpoint: string;
  readonly outputFileId: string;
  readonly errorFileId: string;
  /** OpenAI: how many of its requests have an answer. */
  readonly completed: number;
}

/** Names of ours that replace those of the vendor. */
export interface BatchNames {
  readonly model: string;
  /** Where the results of this batch are read; Anthropic only. */
  readonly resultsUrl?: string | undefined;
}

/** Reads a batch: how far it is, and the answer with the platform's names. */
export function readBatch(body: Buffer, { model, resultsUrl }: BatchNames): BatchAnswer {
  const answer = readAnswer(body, SHAPE, model);
  const text = (slot: number): string => slotText(body, skimmer, slot);
  const idOf = (slot: number): string => {
    const id = text(slot);
    return isObjectId(id) ? id : '';
  };
  return {
    ...answer,
    pieces: resultsUrl === undefined || !answer.valid ? answer.pieces : withNames(body, model, resultsUrl),
    id: idOf(slots.id),
    status: text(slots.status) || text(slots.processing),
    endpoint: text(slots.endpoint),
    outputFileId: idOf(slots.output),
    errorFileId: idOf(slots.errors),
    completed: reportedFigure(body, skimmer, slots.completed) ?? 0,
  };
}

/** The address of the vendor is of no use to a client, which has no key for it. */
function withNames(body: Buffer, model: string, resultsUrl: string): readonly Buffer[] {
  const edits: Edit[] = [];
  const replace = (slot: number, bytes: Buffer): void => {
    const start = skimmer.starts[slot] as number;
    if (start >= 0 && body[start] === QUOTE)
      edits.push({ at: { start, end: skimmer.ends[slot] as number }, bytes });
  };
  replace(slots.model, quoteModel(model));
  replace(slots.results, Buffer.from(JSON.stringify(resultsUrl)));
  return splice(body, edits);
}

/** A batch that failed at once costs nothing, so it is no job. */
const OVER = new Set(['failed']);

/** The answer to a new batch. Without an id nobody could ask for it, so it is no answer. */
export function readCreatedBatch(body: Buffer, model: string): PlainAnswer {
  const { id, status, ...answer } = readBatch(body, { model });
  return {
    ...answer,
    valid: answer.isError || (answer.valid && id !== ''),
    usage: undefined,
    jobId: answer.valid && id !== '' && !OVER.has(status) ? id : undefined,
  };
}

/** `ended`: it has results, or none will come. `failed`: it never began. */
export type BatchProgress = 'running' | 'ended' | 'failed' | 'unknown';

const PROGRESS: Readonly<Record<BatchKind, ReadonlyMap<string, BatchProgress>>> = {
  batch: new Map([
    ['validating', 'running'],
    ['in_progress', 'running'],
    ['finalizing', 'running'],
    ['cancelling', 'running'],
    ['completed', 'ended'],
    ['expired', 'ended'],
    ['cancelled', 'ended'],
    ['failed', 'failed'],
  ]),
  'message-batch': new Map([
    ['in_progress', 'running'],
    ['canceling', 'running'],
    ['ended', 'ended'],
  ]),
};

export function batchProgress(kind: BatchKind, status: string): BatchProgress {
  return PROGRESS[kind].get(status) ?? 'unknown';
}
