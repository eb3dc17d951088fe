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

/** Reasons that are a failure of the vendor unless something was said before. */
const FAILED: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'NO_IMAGE',
  'IMAGE_OTHER',
  'OTHER',
]);

/** What a candidate brought, as far as its end depends on it: Google has no reason of its own for calls. */
export type Brought = 'nothing' | 'words' | 'calls';

/** The end of a candidate; nothing when it is a failure. */
export function decodeFinish(
  reason: string | undefined,
  message: string | undefined,
  brought: Brought,
): Finish | undefined {
  const said = message === undefined || message === '' ? {} : { message };
  if (reason !== undefined && FILTERED.has(reason)) return { reason: 'filter', ...said };
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return { reason: 'length' };
  if (reason !== undefined && FAILED.has(reason) && brought === 'nothing') return undefined;
  return { reason: brought === 'calls' ? 'tool' : 'stop' };
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

/** What the words toward the client were: a refusal that was spoken is an ordinary answer here. */
export interface Ending {
  readonly hasRefusal: boolean;
  /** The name of a call whose arguments were no JSON object; it was left out. */
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
