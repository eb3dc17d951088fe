import type { Finish, FinishReason } from '../hub/answer.ts';

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

/** Reasons that mean a failure of the vendor, unless there is content. */
const FAILED: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'NO_IMAGE',
  'IMAGE_OTHER',
  'OTHER',
]);

/** What a candidate contains, as far as its end depends on it: Google has no finish reason for calls. */
export type CandidateContent = 'nothing' | 'words' | 'calls';

/** The end of a candidate; `undefined` if it failed. */
export function decodeFinish(
  reason: string | undefined,
  message: string | undefined,
  content: CandidateContent,
): Finish | undefined {
  const detail = message === undefined || message === '' ? {} : { message };
  if (reason !== undefined && FILTERED.has(reason)) return { reason: 'filter', ...detail };
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return { reason: 'length' };
  if (reason !== undefined && FAILED.has(reason) && content === 'nothing') return undefined;
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
