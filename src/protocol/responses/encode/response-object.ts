import type { Finish, HubUsage } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import { type JsonObject, type JsonValue, RawJson, readJson } from '../../hub/content/json.ts';
import { encodeUsage } from '../usage.ts';

/** The fields of a response that change while it is produced. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly output: readonly JsonValue[];
  readonly incompleteReason?: string | undefined;
  readonly error?: JsonObject | undefined;
  readonly usage?: HubUsage | undefined;
  readonly serviceTier?: string | undefined;
}

export const TIERS: readonly string[] = ['default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'];

/** The whole object with all repeated fields of its request, and the vendor's defaults for the rest. */
export function responseObject(session: Session, state: ResponseState): JsonObject {
  const { echo } = session.request;
  const repeated = (name: string, otherwise: JsonValue): JsonValue => {
    const raw = echo.get(name);
    return raw === undefined ? otherwise : new RawJson(raw);
  };
  const { incompleteReason, serviceTier = '' } = state;
  return {
    id: `resp_${session.callId}`,
    object: 'response',
    created_at: session.createdAtS,
    status: state.status,
    background: false,
    completed_at: null,
    error: state.error ?? null,
    frequency_penalty: 0,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    instructions: repeated('instructions', null),
    max_output_tokens: repeated('max_output_tokens', null),
    max_tool_calls: repeated('max_tool_calls', null),
    metadata: repeated('metadata', {}),
    model: session.modelId,
    output: state.output,
    parallel_tool_calls: repeated('parallel_tool_calls', true),
    presence_penalty: 0,
    previous_response_id: repeated('previous_response_id', null),
    prompt_cache_key: repeated('prompt_cache_key', null),
    prompt_cache_retention: repeated('prompt_cache_retention', null),
    reasoning: overlaid({ effort: null, summary: null }, echo.get('reasoning')),
    safety_identifier: repeated('safety_identifier', null),
    service_tier: TIERS.includes(serviceTier) ? serviceTier : 'default',
    store: repeated('store', true),
    temperature: repeated('temperature', 1),
    text: overlaid({ format: { type: 'text' }, verbosity: 'medium' }, echo.get('text')),
    tool_choice: repeated('tool_choice', 'auto'),
    tools: repeated('tools', []),
    top_logprobs: repeated('top_logprobs', 0),
    top_p: repeated('top_p', 1),
    truncation: repeated('truncation', 'disabled'),
    usage: state.usage === undefined ? null : encodeUsage(state.usage),
    user: repeated('user', null),
  };
}

const SCHEMA_KEYS: ReadonlySet<string> = new Set(['schema']);

/** The client's value of an option with several fields, with the defaults of the missing ones. */
function overlaid(defaults: JsonObject, raw: string | undefined): JsonObject {
  return raw === undefined ? defaults : { ...defaults, ...readJson(raw, SCHEMA_KEYS) };
}

export interface Outcome {
  readonly status: 'completed' | 'incomplete';
  readonly incompleteReason?: string | undefined;
}

/** How an answer ended (rule C-50). A refusal with text is complete; one without text is `content_filter`. */
export function toOutcome(finish: Finish, seen: { readonly refusal: boolean }): Outcome {
  switch (finish.reason) {
    case 'length':
    case 'context':
      return { status: 'incomplete', incompleteReason: 'max_output_tokens' };
    case 'filter':
      return { status: 'incomplete', incompleteReason: 'content_filter' };
    case 'refusal':
      return seen.refusal
        ? { status: 'completed' }
        : { status: 'incomplete', incompleteReason: 'content_filter' };
    default:
      return { status: 'completed' };
  }
}
