import type { Finish, FinishReason } from '../hub/answer.ts';
import { isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { findText } from './fields.ts';
import type { StopReason } from './wire.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['tool_use', 'tool'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'context'],
  ['refusal', 'filter'],
  ['pause_turn', 'pause'],
  ['compaction', 'pause'],
]);

const STOP_REASONS: Readonly<Record<FinishReason, StopReason>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  tool: 'tool_use',
  length: 'max_tokens',
  context: 'model_context_window_exceeded',
  filter: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
};

/** Whether the answer contains a call for the client: clients only look at the reason. */
export type Called = 'called' | 'not-called';

/** `holder` is a message, or the `delta` of a `message_delta`. An unknown reason is an ordinary end. */
export function decodeFinish(holder: JsonObject, called: Called): Finish {
  const reason = REASONS.get(findText(holder.stop_reason) ?? '') ?? (called === 'called' ? 'tool' : 'stop');
  const stopSequence = findText(holder.stop_sequence);
  const message = findExplanation(holder.stop_details);
  return {
    reason,
    ...(stopSequence === undefined ? {} : { stopSequence }),
    ...(message === undefined ? {} : { message }),
  };
}

function findExplanation(details: JsonValue | undefined): string | undefined {
  return isObject(details) ? findText(details.explanation) : undefined;
}

/** The fields with the reason of the end, in a message and in a `message_delta`. */
export interface WireFinish {
  readonly stop_reason: StopReason;
  readonly stop_sequence: string | null;
  readonly stop_details?: {
    readonly type: 'refusal';
    readonly category: null;
    readonly explanation: string | null;
  };
}

/** `refusal` is the model's text of a refusal, if it was a separate part. */
export function encodeFinish(finish: Finish, refusal: string): WireFinish {
  const isRefused = finish.reason === 'stop' && refusal !== '';
  const reason = isRefused ? 'refusal' : STOP_REASONS[finish.reason];
  const explanation = finish.message ?? (refusal === '' ? null : refusal);
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (finish.stopSequence ?? null) : null,
    ...(reason === 'refusal' ? { stop_details: { type: 'refusal', category: null, explanation } } : {}),
  };
}
