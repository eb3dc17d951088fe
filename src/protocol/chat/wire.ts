import type { JsonObject, JsonValue } from '../hub/content/json.ts';

/** Shapes that we write, except for plain options. They are type aliases, so that they count as JSON. */
export type WirePart =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly prompt_cache_breakpoint?: JsonObject | undefined;
    }
  | {
      readonly type: 'image_url';
      readonly image_url: { readonly url: string; readonly detail?: string | undefined };
      readonly prompt_cache_breakpoint?: JsonObject | undefined;
    }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } }
  | {
      readonly type: 'file';
      readonly file: JsonObject;
      readonly prompt_cache_breakpoint?: JsonObject | undefined;
    }
  | { readonly type: 'refusal'; readonly refusal: string };

export type WireMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly tool_call_id?: string | undefined;
  readonly content?: string | null | readonly WirePart[] | undefined;
  readonly reasoning_content?: string | undefined;
  readonly reasoning_details?: readonly JsonValue[] | undefined;
  readonly tool_calls?: readonly JsonObject[] | undefined;
  readonly extra_content?: JsonObject | undefined;
};

/** Google's compatible endpoint has a field for thought signatures. Clients keep it or lose it. */
export function signatureSlot(signature: string): JsonObject {
  return { google: { thought_signature: signature } };
}

/** Google's value for a signature that was lost (rule C-43). */
export const SIGNATURE_LOST = 'skip_thought_signature_validator';

/** Every option of a request that the hub or this codec knows. All others are named in the loss report. */
export const KNOWN_OPTIONS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'response_format',
  'verbosity',
  'temperature',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'stop',
  'max_completion_tokens',
  'max_tokens',
  'n',
  'logprobs',
  'top_logprobs',
  'safety_identifier',
  'user',
  'prompt_cache_key',
  'service_tier',
  'web_search_options',
  'metadata',
]);
