import type { Finish, FinishReason } from '../hub/answer.ts';
import type { Session } from '../hub/codec.ts';
import type { JsonValue } from '../hub/content/json.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool',
  function_call: 'tool',
  content_filter: 'filter',
};

/** What an answer contains, as far as the finish reason depends on it. */
export interface Held {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/**
 * Why an answer ended. Compatible vendors use other values, send none, or send `stop` where a tool is called.
 * Clients act on this value (rule C-51).
 */
export function decodeFinish(value: JsonValue | undefined, held: Held): Finish {
  const known = typeof value === 'string' && Object.hasOwn(REASONS, value) ? REASONS[value] : undefined;
  const reason = known ?? 'stop';
  if (reason === 'tool' && !held.calls) return { reason: 'stop' };
  if (reason !== 'stop') return { reason };
  if (held.calls) return { reason: 'tool' };
  return { reason: held.refusal ? 'refusal' : 'stop' };
}

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  tool: 'tool_calls',
  length: 'length',
  context: 'length',
  filter: 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
};

/** A refusal with text is an ordinary end; one without text is `content_filter`. */
export function encodeFinish({ reason }: Finish, held: Held, { request }: Session): string {
  if (reason === 'tool' && request.legacyFunctions === true) return 'function_call';
  return reason === 'refusal' && held.refusal ? 'stop' : WORDS[reason];
}
