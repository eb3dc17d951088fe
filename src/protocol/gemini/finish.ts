import type { Finish, FinishReason } from '../hub/answer.ts';
import type { Part } from '../hub/part.ts';

const FILTERED: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'LANGUAGE',
  'MODEL_ARMOR',
]);

/** The vendor's filters ended the answer. */
export function isFiltered(reason: string): boolean {
  return FILTERED.has(reason);
}

/** What a candidate contains, as far as its end depends on it: Google has no finish reason for calls. */
export type CandidateContent = 'nothing' | 'words' | 'calls';

/** What a candidate contains with one more part. Thoughts and a signature without words answer nothing. */
export function withPart(content: CandidateContent, part: Part): CandidateContent {
  if (part.kind === 'tool-call' || content === 'calls') return 'calls';
  const isSilent = part.kind === 'reasoning' || (part.kind === 'text' && part.text === '');
  return isSilent ? content : 'words';
}

/**
 * The end of a candidate; `undefined` if it failed: without content, every word but those of an ordinary end
 * means a failure of the vendor, also a word that is new.
 */
export function decodeFinish(
  reason: string | undefined,
  message: string | undefined,
  content: CandidateContent,
): Finish | undefined {
  const detail = message === undefined || message === '' ? {} : { message };
  if (reason !== undefined && FILTERED.has(reason)) return { reason: 'filter', ...detail };
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return { reason: 'length' };
  if (content === 'nothing' && reason !== undefined && reason !== '' && reason !== 'STOP') return undefined;
  return { reason: content === 'calls' ? 'tool' : 'stop' };
}

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  tool: 'STOP',
  length: 'MAX_TOKENS',
  context: 'MAX_TOKENS',
  filter: 'SAFETY',
  refusal: 'SAFETY',
  pause: 'STOP',
};

/** What was sent to the client. A refusal with text is an ordinary answer here. */
export interface Ending {
  readonly hasRefusal: boolean;
  /** The name of a call that was left out because its arguments were not a JSON object. */
  readonly malformedCall: string | undefined;
}

export interface EncodedFinish {
  readonly finishReason: string;
  readonly finishMessage: string | undefined;
}

export function encodeFinish(finish: Finish, ending: Ending): EncodedFinish {
  const finishReason = finish.reason === 'refusal' && ending.hasRefusal ? 'STOP' : REASONS[finish.reason];
  if (ending.malformedCall !== undefined && finishReason === 'STOP') {
    const finishMessage = `Malformed function call: ${ending.malformedCall}`;
    return { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage };
  }
  return { finishReason, finishMessage: finishReason === 'SAFETY' ? finish.message : undefined };
}
